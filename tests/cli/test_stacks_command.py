"""`mqdiag stacks` from its arguments to its exit code."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from mqdiag.errors import EXIT_CLEAN, EXIT_FINDINGS, EXIT_INPUT, EXIT_USAGE, empty_file
from tests.cli.conftest import Run
from tests.layers import CHECK, one_in_each_run

CASES = Path(__file__).parents[2] / "fixtures" / "stacks"


def unpack(case: str, folder: Path) -> list[str]:
    """A case's series as files."""
    with tarfile.open(CASES / case / "series.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return sorted(str(path) for path in folder.iterdir() if path.is_file())


def test_a_stuck_consumer(mqdiag: Run, tmp_path: Path) -> None:
    done = mqdiag("stacks", *unpack("urlconnection-stuck", tmp_path))
    assert done.code == EXIT_FINDINGS
    first = " ".join(done.out.split())
    assert first.startswith(
        "ERROR All 20 consume threads of group CID_urlconnection-stuck hang in a network call"
    )
    assert "setReadTimeout" in first
    assert "RRRRR" in done.out
    assert done.err == ""


def test_a_progressing_consumer(mqdiag: Run, tmp_path: Path) -> None:
    files = unpack("urlconnection-progressing", tmp_path)
    done = mqdiag("stacks", *files)
    assert done.code == EXIT_CLEAN
    assert "ERROR" not in done.out
    assert mqdiag("stacks", *files, "--fail-on", "warning").code == EXIT_FINDINGS


def test_the_order_of_the_files_and_repetitions_do_not_matter(mqdiag: Run, tmp_path: Path) -> None:
    files = unpack("convoy-stuck", tmp_path)
    one = json.loads(mqdiag("stacks", *files, "--format", "json").out)
    other = json.loads(mqdiag("stacks", *reversed(files), files[2], "--format", "json").out)
    assert other["stacks"]["repeated_samples"] == 1
    assert [t["state"] for t in one["stacks"]["threads"]] == [t["state"] for t in other["stacks"]["threads"]]
    assert [f["fingerprint"] for f in one["findings"]] == [f["fingerprint"] for f in other["findings"]]


def test_the_root_cause_stands_before_what_it_causes(mqdiag: Run, tmp_path: Path) -> None:
    report = json.loads(mqdiag("stacks", *unpack("convoy-stuck", tmp_path), "--format", "json").out)
    read, convoy = report["findings"][:2]
    assert (read["rule"], convoy["rule"]) == ("stuck-socket-read", "lock-convoy")
    assert convoy["caused_by"] == [read["fingerprint"]]
    assert len(read["evidence"]["threads"]) == 1
    assert len(convoy["evidence"]["threads"]) == 19
    assert convoy["evidence"]["holder"] == read["evidence"]["threads"][0]


def two_jvms(one: str, other: str, tmp_path: Path, samples: int) -> list[str]:
    """The first samples of two cases, which are of two JVMs."""
    return [path for case in (one, other) for path in unpack(case, tmp_path / case)[:samples]]


def test_samples_of_two_jvms_are_judged_each_by_itself(mqdiag: Run, tmp_path: Path) -> None:
    """Never as one series: the threads of each JVM are what the JVM's own samples make of them."""
    cases = ("urlconnection-stuck", "apache4-stuck")
    done = mqdiag("stacks", *two_jvms(*cases, tmp_path, 5), "--format", "json")
    assert done.code == EXIT_FINDINGS
    report = json.loads(done.out)
    found = [one for one in report["findings"] if one["rule"] == "stuck-socket-read"]
    assert {one["subject"]["group"] for one in found} == {f"CID_{case}" for case in cases}
    assert "progress-not-judged" not in {one["rule"] for one in report["findings"]}
    judged = [report["stacks"], *(one["stacks"] for one in report["other_processes"])]
    by_group = {thread["group"]: stacks["threads"] for stacks in judged for thread in stacks["threads"]}
    for case in cases:
        alone = json.loads(mqdiag("stacks", *unpack(case, tmp_path / case), "--format", "json").out)
        assert by_group[f"CID_{case}"] == alone["stacks"]["threads"]


@one_in_each_run(2)
@pytest.mark.parametrize("samples", [1, 5])
def test_a_deadlock_of_one_jvm_is_told_beside_dumps_of_another(
    mqdiag: Run, tmp_path: Path, samples: int
) -> None:
    files = two_jvms("idle", "deadlock-monitors", tmp_path, samples)
    done = mqdiag("stacks", *files)
    assert done.code == EXIT_FINDINGS
    assert done.out.startswith("ERROR 2 threads wait for each other: ")
    assert mqdiag("diagnose", *files).out == done.out
    (tmp_path / "pasted.log").write_text("".join(Path(file).read_text() for file in files))
    pasted = mqdiag("stacks", str(tmp_path / "pasted.log"))
    assert pasted.code == EXIT_FINDINGS
    assert pasted.out.startswith("ERROR 2 threads wait for each other: ")


def test_one_sample_of_each_of_two_jvms_is_undecided(mqdiag: Run, tmp_path: Path) -> None:
    done = mqdiag("stacks", *two_jvms("urlconnection-stuck", "apache4-stuck", tmp_path, 1))
    assert done.code == EXIT_CLEAN
    said = " ".join(done.out.split())
    assert said.startswith("UNDECIDED ")
    assert "The thread dumps come from 2 JVMs, and each was judged by itself" in said


def test_a_file_that_is_missing_beside_dumps_of_two_jvms(mqdiag: Run, tmp_path: Path) -> None:
    files = two_jvms("idle", "deadlock-monitors", tmp_path, 1)
    done = mqdiag("stacks", *files, str(tmp_path / "none.log"), "--format", "json")
    assert done.code == EXIT_FINDINGS
    inputs = json.loads(done.out)["inputs"]
    assert sorted(one["path"] for one in inputs) == sorted([*files, str(tmp_path / "none.log")])
    assert [one["path"] for one in inputs if one["error"]] == [str(tmp_path / "none.log")]


@pytest.mark.parametrize(
    ("number", "cause", "said"),
    [
        (1, "one-sample", "One sample shows where threads are, not w"),
        (3, "identical-samples", "The samples are the same dump given more "),
    ],
)
def test_one_sample_however_often_given(
    mqdiag: Run, tmp_path: Path, number: int, cause: str, said: str
) -> None:
    first = unpack("urlconnection-stuck", tmp_path)[0]
    done = mqdiag("stacks", *[first] * number)
    assert done.code == EXIT_CLEAN
    assert done.out.startswith("UNDECIDED No fault found, but not all of the evidence could be judged.\n")
    assert said in done.out
    report = json.loads(mqdiag("stacks", *[first] * number, "--format", "json").out)
    assert report["findings"][0]["cause"] == cause


def test_one_of_several_files_is_missing(mqdiag: Run, tmp_path: Path) -> None:
    files = unpack("urlconnection-stuck", tmp_path)
    done = mqdiag("stacks", *files, str(tmp_path / "none.log"))
    assert done.code == EXIT_FINDINGS
    assert "none.log: no such file" in done.err
    assert "none.log: could not be read: no such file" in " ".join(done.out.split())


def test_nothing_readable(mqdiag: Run, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("4711: Unable to open socket file: target process not responding\n")
    done = mqdiag("stacks", str(tmp_path / "a.log"), str(tmp_path / "none.log"))
    assert done.code == EXIT_INPUT
    assert done.out == ""
    assert "the capture failed" in done.err
    assert mqdiag("stacks").code == EXIT_USAGE


def test_a_cut_sample_is_said_and_analysed(mqdiag: Run, tmp_path: Path) -> None:
    files = unpack("urlconnection-stuck", tmp_path)
    last = Path(files[-1])
    last.write_bytes(last.read_bytes()[:-4000])
    report = json.loads(mqdiag("stacks", *files, "--format", "json").out)
    assert [finding["rule"] for finding in report["findings"]] == ["stuck-socket-read", "input-incomplete"]
    assert report["inputs"][-1]["complete"] is False


def test_standard_input(mqdiag: Run) -> None:
    packed = (CASES / "urlconnection-stuck" / "series.tar.gz").read_bytes()
    done = mqdiag("stacks", "-", stdin=packed)
    assert done.code == EXIT_FINDINGS
    assert done.out.startswith("ERROR All 20 consume threads")
    nothing = mqdiag("stacks", "-")
    assert (nothing.code, nothing.line) == (EXIT_INPUT, f"mqdiag: {empty_file('-')}")


HOSTILE = "\x1b[31mred\x1b]0;owned\x07\u202e\x9b2J[/bold]<b>\x00\r"


def test_pipes_as_files(tmp_path: Path) -> None:
    files = unpack("urlconnection-stuck", tmp_path)
    script = f"{sys.executable} -m mqdiag stacks " + " ".join(f"<(cat {file})" for file in files)
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == EXIT_FINDINGS
    assert done.stdout.startswith("ERROR All 20 consume threads")
    assert done.stderr == ""


def test_hostile_names_and_frames_reach_neither_terminal_nor_json_raw(mqdiag: Run, tmp_path: Path) -> None:
    files = unpack("convoy-stuck", tmp_path)
    for name in files:
        path = Path(name)
        text = path.read_text()
        text = text.replace(
            '"ConsumeMessageThread_CID', f'"ConsumeMessageThread_{HOSTILE}\n\tat x.Y.z(Y.java:1)\nCID'
        )
        text = text.replace("com.acme.shop.UrlConnection.reserve", f"com.acme.{HOSTILE}.reserve")
        path.write_text(text, newline="")
    done = mqdiag("stacks", *files, "--threads")
    assert done.code == EXIT_FINDINGS
    raw = {char for char in done.out + done.err if not char.isprintable() and char != "\n"}
    assert not raw
    report = json.loads(mqdiag("stacks", *files, "--format", "json").out)
    workers = [thread for thread in report["stacks"]["threads"] if thread["role"] == "consume-worker"]
    assert len(workers) == 20
    assert all("\x1b[31m" in thread["name"] for thread in workers)
    assert report["findings"][0]["rule"] == "stuck-socket-read"


@CHECK
def test_no_kernels_and_no_tables_are_imported(tmp_path: Path) -> None:
    files = unpack("idle", tmp_path)
    code = (
        "import sys; from mqdiag.cli import run; run(sys.argv[1:]);"
        "print([name for name in ('numba', 'numpy', 'pandas', 'pyspark') if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "stacks", *files], capture_output=True, text=True, check=False
    )
    assert done.stderr.strip().endswith("[]"), done.stderr
