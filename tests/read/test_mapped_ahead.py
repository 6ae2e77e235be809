"""A dump is mapped ahead only where it helps, and what is taken is the file that is read."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqdiag.read import mapped_ahead
from mqdiag.read.mapped_ahead import map_ahead, taken_ahead
from mqdiag.read.source import open_source

HEAD = b"JAVA PROFILE 1.0.2\0"
SIZE = 300 << 10
OBJECTS = bytes(range(64)) + bytes(192)
"""what looks like ids, lengths and values"""


@pytest.fixture(autouse=True)
def _any_size(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(mapped_ahead, "_LEAST_BYTES", 1)
    monkeypatch.setattr(mapped_ahead.os, "sched_getaffinity", lambda _: {0, 1})
    yield
    mapped_ahead._ahead.clear()
    _finish()


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "dump.hprof"
    path.write_bytes(HEAD + OBJECTS * (SIZE // len(OBJECTS)))
    return path


def _finish() -> None:
    for thread in threading.enumerate():
        if thread.name == "mqdiag-map-ahead":
            thread.join()


def _taken(path: Path) -> object:
    with path.open("rb") as file:
        return taken_ahead(file.fileno(), path.stat().st_size)


def test_the_reader_gets_what_was_mapped(dump: Path) -> None:
    map_ahead(str(dump), None)
    (ahead,) = mapped_ahead._ahead
    source = open_source(str(dump))
    assert source.data.tobytes() == dump.read_bytes()
    assert memoryview(source.data.base).obj is ahead.mapped
    assert _taken(dump) is None


@pytest.mark.parametrize("content", [b'{"order": 4711} ', bytes(16)], ids=["bodies", "zeros"])
def test_large_arrays_are_not_mapped_ahead(dump: Path, content: bytes) -> None:
    """A walk skips them, so that most of the pages would never be read."""
    objects = OBJECTS * (SIZE // len(OBJECTS) // 4)
    dump.write_bytes(HEAD + objects + content * (SIZE // len(content)))
    map_ahead(str(dump), None)
    assert mapped_ahead._ahead == []
    dump.write_bytes(HEAD + 8 * objects + content * (SIZE // len(content)))
    map_ahead(str(dump), None)
    assert len(mapped_ahead._ahead) == 1


def test_pages_are_brought_in_to_the_end(dump: Path) -> None:
    map_ahead(str(dump), None)
    _finish()
    # One of each 64 KiB at least; the others come with it where the system is set up as usual.
    assert _resident_bytes(dump) >= SIZE // 16


def _resident_bytes(path: Path) -> int:
    lines = iter(Path("/proc/self/smaps").read_text().splitlines())
    for line in lines:
        if line.endswith(str(path)):
            return next(int(of.split()[1]) << 10 for of in lines if of.startswith("Rss:"))
    return 0


def test_no_more_is_touched_once_it_is_taken(dump: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped_ahead, "_WINDOW_BYTES", 64 << 10)
    seen = []

    def is_in_memory(descriptor: int, begin: int, end: int) -> bool:
        seen.append(begin)
        mapped_ahead._ahead[0].is_taken.set()
        return True

    monkeypatch.setattr(mapped_ahead, "_is_in_memory", is_in_memory)
    monkeypatch.setattr(mapped_ahead.threading, "Thread", _Later)
    map_ahead(str(dump), None)
    _Later.run_now()
    assert seen == [0]


class _Later:
    """A thread that begins its work when the test says so."""

    run_now = staticmethod(lambda: None)

    def __init__(self, target: object, args: tuple[object, ...], **_: object) -> None:
        type(self).run_now = staticmethod(lambda: target(*args))  # type: ignore[operator]

    def start(self) -> None:
        pass


def test_a_file_that_is_cut_meanwhile_raises_no_signal(dump: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped_ahead.threading, "Thread", _Later)
    monkeypatch.setattr(mapped_ahead, "_is_in_memory", lambda *_: True)
    map_ahead(str(dump), None)
    os.truncate(dump, 0)
    before = len(os.listdir("/proc/self/fd"))
    _Later.run_now()
    assert len(os.listdir("/proc/self/fd")) == before - 1


def test_a_file_that_was_written_to_is_mapped_anew(dump: Path) -> None:
    map_ahead(str(dump), None)
    with dump.open("ab") as file:
        file.write(b"more")
    assert _taken(dump) is None
    assert open_source(str(dump)).data.size == len(HEAD) + SIZE + 4


def test_another_file_is_not_taken(dump: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.hprof"
    other.write_bytes(dump.read_bytes())
    map_ahead(str(dump), None)
    assert _taken(other) is None


def test_a_file_that_is_not_in_memory_is_left_alone(dump: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped_ahead, "_is_in_memory", lambda *_: False)
    map_ahead(str(dump), None)
    _finish()
    assert _resident_bytes(dump) == 0


@pytest.mark.parametrize("error", [BlockingIOError(), OSError(95, "not supported")])
def test_where_the_system_does_not_tell_nothing_is_touched(
    dump: Path, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    def preadv(*_: object) -> int:
        raise error

    monkeypatch.setattr(mapped_ahead.os, "preadv", preadv)
    map_ahead(str(dump), None)
    _finish()
    assert _resident_bytes(dump) == 0


def test_a_dump_that_an_earlier_run_may_have_kept_is_left_alone(dump: Path, tmp_path: Path) -> None:
    folder = tmp_path / "heaps"
    map_ahead(str(dump), str(folder))
    assert mapped_ahead._ahead.pop()
    folder.mkdir()
    os.utime(folder, (time.time() + 60, time.time() + 60))
    map_ahead(str(dump), str(folder))
    assert not mapped_ahead._ahead


def test_other_inputs_are_left_alone(dump: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = tmp_path / "text"
    text.write_bytes(bytes(SIZE))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (text, pipe, tmp_path, tmp_path / "missing", Path("-"), Path("\0")):
        map_ahead(str(path), None)
        assert not mapped_ahead._ahead
    monkeypatch.setattr(mapped_ahead.os, "sched_getaffinity", lambda _: {0})
    map_ahead(str(dump), None)
    assert not mapped_ahead._ahead
    monkeypatch.setattr(mapped_ahead.os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(mapped_ahead, "_LEAST_BYTES", 1 << 30)
    map_ahead(str(dump), None)
    assert not mapped_ahead._ahead


def test_where_no_thread_can_be_started_nothing_is_kept_open(
    dump: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    before = len(os.listdir("/proc/self/fd"))
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", start)
        map_ahead(str(dump), None)
    assert not mapped_ahead._ahead
    assert len(os.listdir("/proc/self/fd")) == before
