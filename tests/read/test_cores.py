"""Small dumps are read without threads, large ones with them, and both find the same."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mqdiag.graph import Heap, open_heap
from mqdiag.read import cores
from mqdiag.read.cores import pool

FIXTURES = Path(__file__).parents[2] / "fixtures" / "heap"
USERS = (
    "mqdiag.graph.dominance.LEAST_OBJECTS",
    "mqdiag.graph.index.LEAST_OBJECTS",
    "mqdiag.graph.references.LEAST_OBJECTS",
    "mqdiag.graph.shallow.LEAST_OBJECTS",
    "mqdiag.read.hprof.walk.LEAST_BYTES",
)


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cores") / "dump.hprof"
    path.write_bytes(gzip.decompress((FIXTURES / "stuck-one-5.3.3" / "dump.hprof.gz").read_bytes()))
    return path


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the threads that are begun."""
    names: list[str] = []
    start = threading.Thread.start

    def note(thread: threading.Thread) -> None:
        names.append(thread.name)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", note)
    return names


def test_small_work_is_done_in_turn(begun: list[str]) -> None:
    with pool(2, is_large=False) as threads:
        first = threads.submit(threading.get_ident)
        each: Iterator[int] = threads.map(lambda _: threading.get_ident(), range(3))
        assert [first.result(), *each] == [threading.get_ident()] * 4
    assert begun == []


def test_large_work_has_threads() -> None:
    with pool(2, is_large=True) as threads:
        assert threads.submit(threading.get_ident).result() != threading.get_ident()


@pytest.mark.parametrize("is_large", [False, True])
def test_an_error_reaches_who_asks_for_the_result(is_large: bool) -> None:
    with pytest.raises(ZeroDivisionError), pool(1, is_large=is_large) as threads:
        threads.submit(divmod, 1, 0).result()


def test_a_small_dump_begins_no_thread_and_a_large_one_finds_the_same(
    dump: Path, begun: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert dump.stat().st_size < cores.LEAST_BYTES
    small = parts(open_heap(str(dump)))
    assert begun == []
    for name in USERS:
        monkeypatch.setattr(name, 1)
    large = parts(open_heap(str(dump)))
    assert len(begun) > len(USERS)
    assert all(np.array_equal(one, other) for one, other in zip(small, large, strict=True))


def parts(heap: Heap) -> list[np.ndarray]:
    tree, references = heap.dominance, heap.references
    return [
        *(heap.index.offsets, heap.index.rows, heap.index.read_ids(), heap.sizes.units),
        *(references.starts, references.edges),
        *(tree.numbers, tree.order, tree.dominator, tree.dominated, tree.prefix),
    ]
