"""References are gathered in chunks: where one ends must not show, and what cannot be numbered is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.graph import references
from mqdiag.language import english
from tests.graph.opening import heap_of, targets
from tests.graph.random_heap import random_heap
from tests.graph.small_dump import small_dump
from tests.writers.hprof_writer import DumpWriter

NO_ROOM_TO_SPARE = 1 << 62


@pytest.fixture
def chunks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many edges each chunk took."""
    taken: list[int] = []
    original = references.kernel.fill_references

    def counted(*arguments: Any) -> Any:
        result = original(*arguments)
        taken.append(result[1])
        return result

    monkeypatch.setattr(references.kernel, "fill_references", counted)
    return taken


@pytest.mark.parametrize("seed", range(6))
def test_small_chunks_give_the_same_references(
    seed: int, tmp_path: Path, chunks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    large = random_heap(tmp_path, seed, 200).heap.references
    few = len(chunks)
    monkeypatch.setattr(references, "_CHUNKS", NO_ROOM_TO_SPARE)
    small = random_heap(tmp_path, seed, 200).heap.references
    assert len(chunks) - few > few
    assert np.array_equal(small.starts, large.starts)
    assert np.array_equal(small.edges, large.edges)
    assert small.dangling == large.dangling


def test_an_array_larger_than_a_chunk_gets_one_of_its_own(
    tmp_path: Path, chunks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(references, "worker_count", lambda: 1)
    monkeypatch.setattr(references, "_CHUNKS", NO_ROOM_TO_SPARE)
    dump = DumpWriter()
    kind = dump.java_class("[Ljava/lang/Object;")
    element = dump.object_array(kind, [])
    large = dump.object_array(kind, [element] * 5_000)
    following = dump.object_array(kind, [element, large])
    heap = heap_of(dump, tmp_path)
    assert targets(heap, large) == [element] * 5_000
    assert targets(heap, following) == [element, large]
    assert 5_000 in chunks


def test_more_references_than_can_be_numbered_are_refused_with_what_to_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "dump.hprof"
    written = small_dump()
    path.write_bytes(written.to_bytes())
    count = heap_of(written, tmp_path).references.edges.size
    monkeypatch.setattr(references, "MAX_REFERENCES", count - 1)
    error = diagnose_heap(path).report.inputs[0].error
    assert error is not None
    assert english()(error).endswith(f"the graph holds at most {count - 1:,}; --quick counts it")
    monkeypatch.setattr(references, "MAX_REFERENCES", count)
    assert diagnose_heap(path).report.inputs[0].error is None


@pytest.mark.parametrize("few", [0, 1, 1 << 16])
def test_all_references_to_objects_are_found_however_many(
    few: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(references, "_FEW_REFERRERS", few)
    given_heap = random_heap(tmp_path, 3, 200)
    wanted = np.arange(given_heap.count, dtype=np.uint8) % 2
    counted = np.arange(given_heap.count, dtype=np.int32) % 3
    owners, targets = given_heap.heap.references.to(wanted, counted)
    everyone = np.arange(given_heap.count, dtype=np.int32)
    all_owners, all_targets = given_heap.heap.references.of(everyone)
    chosen = (wanted[all_targets] == 1) & (counted[all_owners] != 0)
    assert chosen.sum() > 10
    assert owners.tolist() == all_owners[chosen].tolist()
    assert targets.tolist() == all_targets[chosen].tolist()
