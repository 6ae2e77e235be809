"""Crash reports in files of thread dumps: found wherever they stand, without a search of its own for them."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from mqdiag.config import Settings
from mqdiag.diagnose.judge import Diagnosis
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.diagnose.sort.route import diagnose_routed_stacks
from mqdiag.progress import Silent
from mqdiag.read.crash.recognise import HEADS
from mqdiag.read.parts import MAX_BYTES
from mqdiag.read.sniff import HEAD_BYTES
from mqdiag.read.stacks.reader import read_stacks
from tests.layers import CHECK

THREAD = (
    '"worker-{0}" #{0} prio=5 os_prio=0 cpu=1.50ms elapsed=9.00s tid=0x00007f0000000{0:03x} nid=0x1f runnable\n'
    "   java.lang.Thread.State: WAITING (parking)\n"
    "\tat jdk.internal.misc.Unsafe.park(java.base@17.0.15/Native Method)\n"
    "\t- parking to wait for  <0x00000000fd1313{1:02x}> (a a.Lock)\n"
    "\tat com.acme.Worker.run(Worker.java:12)\n\n"
)
DUMP_HEAD = "2026-11-21 09:24:30\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):\n\n"
CRASH = f"#\n# {HEADS[0]}:\n#\n#  SIGSEGV (0xb) at pc=0x00007f, pid=1, tid=2\n#\n"
LARGE = 4 * MAX_BYTES // len(THREAD) // 3


def _dump(crash: str, places: tuple[str, ...] = ()) -> str:
    threads = [THREAD.format(number, number % 256) for number in range(LARGE)]
    middle = LARGE * 3 // 4
    if "name" in places:
        threads[middle] = threads[middle].replace("worker-", f"{HEADS[1]} ")
    if "header" in places:
        threads[middle] = threads[middle].replace("runnable", HEADS[1])
    if "frame" in places:
        threads[middle] = threads[middle].replace("(Worker.java:12)", f"({HEADS[1]})")
    return DUMP_HEAD + "".join([*threads[:middle], crash, *threads[middle:]])


def _counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are searched to their end."""
    searched: list[str] = []
    whole = Piece.holds

    def holds(piece: Piece, marks: tuple[bytes, ...]) -> bool:
        searched.append(Path(piece.path).name)
        return whole(piece, marks)

    monkeypatch.setattr(Piece, "holds", holds)
    return searched


def _diagnosed(*paths: Path | str) -> Diagnosis:
    return diagnose_routed_stacks([str(path) for path in paths], Settings(), Silent())


def test_a_large_dump_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    searched = _counted(monkeypatch)
    path = tmp_path / "jstack.txt"
    path.write_text(_dump(""))
    report = _diagnosed(path).report
    assert report.stacks is not None
    assert len(report.stacks.threads) == LARGE
    assert report.crash is None
    assert searched == []


@CHECK
def test_a_crash_report_behind_thousands_of_threads_is_read_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = _counted(monkeypatch)
    path = tmp_path / "jstack.txt"
    path.write_text(_dump(CRASH))
    report = _diagnosed(path).report
    assert report.crash is not None
    assert report.stacks is not None
    assert path.name in searched


@pytest.mark.parametrize("place", ["name", "header", "frame"])
def test_the_head_of_a_crash_report_is_noticed_in_a_thread(place: str, tmp_path: Path) -> None:
    path = tmp_path / "jstack.txt"
    text = _dump("", (place,))
    assert HEADS[1] not in text[:HEAD_BYTES]
    path.write_text(text)
    assert read_stacks(str(path)).has_crash_head


@CHECK
def test_standard_input_is_there_for_all_readers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "jstack.txt"
    path.write_text(_dump(CRASH))
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO((DUMP_HEAD + THREAD.format(1, 1)).encode())))
    )
    report = _diagnosed(path, "-").report
    assert report.crash is not None
    assert [given.kind for given in report.inputs if Path(given.path).name == "-"] == ["stacks"]
