"""A user who may start no more threads, as a limit of processes in a container does it: one line, and no traceback."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from mqdiag.cli import run
from tests.graph.small_dump import small_dump
from tests.hostile.crafted_texts import ring_of_locks
from tests.hostile.test_changing_files import LINE


@pytest.fixture(autouse=True)
def _no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)


@pytest.fixture
def evidence(tmp_path: Path) -> Path:
    small_dump(8).write(tmp_path / "dump.hprof")
    (tmp_path / "jstack.txt").write_text(ring_of_locks(4))
    (tmp_path / "broker.log").write_bytes(LINE)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "file"), [("stacks", "jstack.txt"), ("logs", "broker.log"), ("heap", "dump.hprof")]
)
def test_texts_and_small_dumps_are_read(
    command: str, file: str, evidence: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([command, str(evidence / file)]) in (0, 1)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "words",
    [
        ("heap", "dump.hprof"),
        ("show", "dump.hprof", "app.Holder"),
        ("diagnose", "."),
        ("query", "dump.hprof", "SELECT 1"),
    ],
    ids=" ".join,
)
def test_other_commands_end_with_one_line(
    words: tuple[str, ...], evidence: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(evidence)
    monkeypatch.setattr("mqdiag.read.hprof.walk.LEAST_BYTES", 1)
    assert run([*words, "--no-cache"]) == 4
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "mqdiag: this user may start no more threads; raise ulimit -u or the container's limit\n"
