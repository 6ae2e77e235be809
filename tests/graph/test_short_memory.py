"""A graph that does not fit the memory goes to files in part or in whole, and tells the same."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest

from mqdiag.errors import InputError
from mqdiag.graph import heap as heaps
from mqdiag.graph.memory_need import memory_need
from mqdiag.language import english
from mqdiag.progress import Silent
from mqdiag.read import array_memory
from mqdiag.read.array_memory import ArrayMemory, InFiles
from mqdiag.read.source import open_source
from mqdiag.text import Text
from tests.layers import CHECK, one_in_each_run

DUMP = Path(__file__).parents[2] / "fixtures" / "heap" / "oversized-oom-5.3.3" / "dump.hprof.gz"


class Heard(Silent):
    """Keeps the notes."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: Text) -> None:
        self.notes.append(english()(text))


@pytest.fixture
def in_files(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sizes of the arrays that went to files; small ones do too."""
    sizes: list[int] = []
    original = ArrayMemory._in_file

    def counted(room: ArrayMemory, count: int, dtype: type) -> np.ndarray:
        sizes.append(count * np.dtype(dtype).itemsize)
        return original(room, count, dtype)

    monkeypatch.setattr(ArrayMemory, "_in_file", counted)
    monkeypatch.setattr(array_memory, "_SMALLEST_BYTES", 1)
    return sizes


def opened(memory_bytes: int | None, progress: Silent | None = None) -> heaps.Heap:
    return heaps.read_heap(open_source(str(DUMP)), DUMP.name, progress or Silent(), memory_bytes=memory_bytes)


@one_in_each_run(2)
@pytest.mark.parametrize("level", [InFiles.READ_IN_ORDER, InFiles.ALL])
def test_the_graph_is_the_same(in_files: list[int], level: InFiles) -> None:
    usual = opened(None)
    assert usual.dump.room.in_files == InFiles.NOTHING
    assert in_files == []
    need = memory_need(usual.dump)
    heard = Heard()
    heap = opened(need.any_order if level == InFiles.READ_IN_ORDER else 1, heard)
    assert heap.dump.room.in_files == level
    for name in ("order", "dominator", "dominated", "prefix", "numbers"):
        assert np.array_equal(getattr(heap.dominance, name), getattr(usual.dominance, name)), name
    assert np.array_equal(heap.references.edges, usual.references.edges)
    assert np.array_equal(heap.index.offsets, usual.index.offsets)
    assert sum(in_files) > (need.in_order if level == InFiles.READ_IN_ORDER else need.total)
    (note,) = heard.notes
    assert "temporary files" in note


def test_the_need_is_no_less_than_what_there_is() -> None:
    heap = opened(None)
    need = memory_need(heap.dump)
    index, references, tree = heap.index, heap.references, heap.dominance
    in_order = (
        *(index.offsets, index.rows, heap.sizes.units, references.starts, references.edges),
        *(tree.dominator, tree.dominated, tree.prefix),
    )
    held = sum(array.nbytes for array in in_order)
    assert held <= need.in_order + 4 <= 1.5 * held


@CHECK
def test_a_large_graph_has_arrays_in_files_though_there_is_memory(
    in_files: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = opened(None)
    monkeypatch.setattr(array_memory, "_LARGE_BYTES", 1)
    heard = Heard()
    heap = opened(None, heard)
    assert heap.dump.room.in_files == InFiles.READ_IN_ORDER
    assert np.array_equal(heap.dominance.dominated, usual.dominance.dominated)
    assert heap.references.edges.nbytes in in_files
    assert heap.dominance.prefix.nbytes in in_files
    assert heard.notes == []


@one_in_each_run(3)
@pytest.mark.parametrize("place", ["folder", "disk", "later"])
def test_a_large_graph_stays_in_memory_where_files_are_no_place(
    place: str, in_files: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(array_memory, "_LARGE_BYTES", 1)
    if place == "folder":
        monkeypatch.setattr(array_memory, "_is_memory", lambda folder: True)
    elif place == "disk":
        monkeypatch.setattr(array_memory, "fits", lambda folder, size: False)
    else:
        monkeypatch.setattr("os.posix_fallocate", _refuse)
    assert opened(None).dominance.count > 0
    assert (len(in_files) > 0) == (place == "later")


def test_places_of_objects_go_to_files_while_they_are_found(in_files: list[int]) -> None:
    room = ArrayMemory("dump", 1000)
    kept, moved = (room.keep(np.arange(40, dtype=np.uint64)) for _ in range(2))
    assert in_files == [320]
    assert kept.tolist() == moved.tolist() == list(range(40))


def test_memory_is_used_again_only_where_all_arrays_fit(in_files: list[int]) -> None:
    ample, short = ArrayMemory("dump", 1 << 20), ArrayMemory("dump", 1000)
    for room in (ample, short):
        room.reserve(1000)
    assert not ample.allow(1000, 500, 500)
    assert short.allow(2000, 500, 500)
    for room in (ample, short):
        used = room.empty(8, np.uint64, any_order=True)
        begin = used.ctypes.data
        used[:] = 7
        del used
        again = room.zeros(16, np.int32, any_order=True)
        assert not again.any()
        assert room is short or again.ctypes.data == begin
        assert room.empty(8, np.uint64).ctypes.data != again.ctypes.data
    assert ample.reused_bytes == 8192
    assert short.reused_bytes == 0
    assert in_files == [64]


def test_what_is_hardly_touched_takes_no_place_that_others_reuse(in_files: list[int]) -> None:
    room = ArrayMemory("dump", 1 << 20)
    room.reserve(1000)
    sparse = room.empty(1000, np.uint64, any_order=True, sparse=True)
    assert sparse.nbytes == 8000
    assert room.reused_bytes == 0
    assert room.empty(1000, np.uint64, any_order=True).nbytes == 8000
    assert room.reused_bytes == 8192
    assert in_files == []


def test_neither_memory_nor_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_memory, "fits", lambda folder, size: False)
    with pytest.raises(
        InputError, match=r"more than the 1 KiB of memory that it may take, and .* has no room for"
    ):
        opened(1024)


def test_a_disk_that_is_full_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_memory, "_SMALLEST_BYTES", 1)
    monkeypatch.setattr("os.posix_fallocate", _refuse)
    with pytest.raises(InputError, match="has no room"):
        opened(1)


def test_a_temporary_folder_in_memory_is_no_help(monkeypatch: pytest.MonkeyPatch) -> None:
    if not array_memory._is_memory("/dev/shm"):
        pytest.skip("/dev/shm is no file system in memory here")
    monkeypatch.setattr(tempfile, "tempdir", "/dev/shm")
    assert ArrayMemory("dump", 1).folder == "/var/tmp"
    monkeypatch.setattr(tempfile, "tempdir", "/")
    assert ArrayMemory("dump", 1).folder == "/"


def _refuse(*_: int) -> None:
    raise OSError(28, "No space left on device")
