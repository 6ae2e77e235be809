"""Flight recordings that a capture takes of a real JVM, here and on the other side."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mqdiag.capture.recording import RecordingPlan, recording_plan
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.errors import UsageError
from tests.capture.conftest import Jvm
from tests.capture.other_side import Kubectl
from tests.folded import folded
from tests.layers import CHECK
from tests.waiting import PATIENCE_S, wait_until


def mqdiag(*words: object, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words),
        env=environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE_S,
        check=False,
    )


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "mqdiag", "capture", *map(str, words)]


def jcmd(jvm: Jvm, *words: str) -> str:
    done = subprocess.run(
        ["jcmd", str(jvm.pid), *words], capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    return done.stdout


def left(jvm: Jvm) -> list[Path]:
    return [
        path for path in Path("/tmp").glob("mqdiag-*") if str(jvm.pid) in path.name.split(".")[0].split("-")
    ]


def steps(folder: Path) -> dict[str, dict[str, object]]:
    return {step["what"]: step for step in json.loads((folder / "manifest.json").read_text())["steps"]}


def assert_read(folder: Path) -> None:
    report = diagnose_incident([str(folder)]).report
    (recording,) = (given for given in report.inputs if given.kind == "recording")
    assert recording.complete
    assert recording.error is None
    assert report.findings[0].rule == "stuck-socket-read"


@pytest.mark.parametrize(("asked", "seconds"), [("60s", 60), ("2m", 120), ("7", 7), ("running", None)])
def test_times(asked: str, seconds: int | None) -> None:
    assert recording_plan(asked) == RecordingPlan(seconds=seconds)


@folded("asked", ["", "0s", "s", "-1", "1h", "61m", "1.5s", "99999m", "6 0s"])
def test_what_is_no_time_is_refused(asked: str) -> None:
    with pytest.raises(UsageError):
        recording_plan(asked)


@CHECK
def test_a_recording_is_taken_and_diagnosed(jvm: Jvm, tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    done = mqdiag(jvm.pid, "--samples", 1, "--recording", "6s", "-o", folder)
    assert done.returncode == 0, done.stderr
    assert "flight recording: for 6 s, process" in done.stderr
    step = steps(folder)["flight recording"]
    assert step["result"] == "done"
    assert step["bytes"] == (folder / str(step["file"])).stat().st_size
    assert left(jvm) == []
    assert "No available recordings" in jcmd(jvm, "JFR.check")
    assert_read(folder)


@CHECK
def test_an_interrupted_recording_is_kept_and_stopped(jvm: Jvm, tmp_path: Path) -> None:
    folder = tmp_path / "taken"
    running = subprocess.Popen(
        command(jvm.pid, "--samples", 1, "--recording", "50m", "-o", folder), stderr=subprocess.DEVNULL
    )
    wait_until(lambda: "(running)" in jcmd(jvm, "JFR.check"), "the recording")
    running.send_signal(signal.SIGINT)
    assert running.wait(PATIENCE_S) == 130
    assert steps(folder)["flight recording"]["result"] == "interrupted"
    assert list((folder / "recording").iterdir())
    assert left(jvm) == []
    assert "No available recordings" in jcmd(jvm, "JFR.check")


@CHECK
def test_a_recording_that_runs_is_taken_and_goes_on(jvm: Jvm, tmp_path: Path) -> None:
    folder = tmp_path / "none"
    done = mqdiag(jvm.pid, "--samples", 1, "--recording", "running", "-o", folder)
    assert done.returncode == 0, done.stderr
    assert "no flight recording: No recordings to dump from." in done.stderr
    assert str(steps(folder)["flight recording"]["result"]).startswith("not done: No recordings")
    jcmd(jvm, "JFR.start", "name=always")
    try:
        folder = tmp_path / "taken"
        done = mqdiag(jvm.pid, "--samples", 1, "--recording", "running", "-o", folder)
        assert done.returncode == 0, done.stderr
        assert "name=always" in jcmd(jvm, "JFR.check")
    finally:
        jcmd(jvm, "JFR.stop", "name=always")
    assert list((folder / "recording").iterdir())
    assert left(jvm) == []


@CHECK
@pytest.mark.parametrize("asked", ["6s", "running"])
def test_a_recording_in_a_pod(asked: str, jvm: Jvm, tmp_path: Path) -> None:
    kubectl, folder = Kubectl(tmp_path), tmp_path / "taken"
    words = (jvm.pid, "--kube", "consumer-0", "--samples", 1, "-o", folder, "--recording", asked)
    if asked == "running":
        jcmd(jvm, "JFR.start", "name=always", "settings=profile")
    done = mqdiag(*words, environment=kubectl.environment)
    assert done.returncode == 0, done.stderr
    assert steps(folder)["flight recording"]["result"] == "done"
    assert left(jvm) == []
    if asked == "running":
        jcmd(jvm, "JFR.stop", "name=always")
        return
    assert "No available recordings" in jcmd(jvm, "JFR.check")
    assert_read(folder)
    shutil.rmtree(folder)
    (tmp_path / "fault.json").write_text(json.dumps({"instead": [["JFR.start", "JFR.begin"]]}))
    done = mqdiag(*words, environment=kubectl.environment)
    assert done.returncode == 0, done.stderr
    assert "no flight recording: " in done.stderr
    assert left(jvm) == []
