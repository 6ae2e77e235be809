"""The look-up of ids, which several threads fill."""

from __future__ import annotations

import numpy as np
import pytest

from mqdiag.graph import index
from mqdiag.read.array_memory import ArrayMemory

LOWEST = np.uint64(1 << 33)
EIGHT = np.uint64(8)
"""bytes from one possible address to the next"""


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_ids_are_found_where_several_threads_have_filled_their_pages(
    workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "worker_count", lambda: workers)
    units = np.unique(np.random.default_rng(workers).integers(0, 50_000, 9_000, np.uint64))
    ids = LOWEST + units * EIGHT
    lookup = index._id_index(ids, ArrayMemory("dump"))
    assert lookup.directory.size > 7
    assert lookup.find(ids).tolist() == list(range(ids.size))
    others = np.setdiff1d(np.arange(50_000, dtype=np.uint64), units) * EIGHT + LOWEST
    assert (lookup.find(others) == -1).all()


@pytest.mark.parametrize("count", [1, 2, 7])
def test_no_two_parts_have_ids_of_the_same_page(count: int) -> None:
    ids = LOWEST + np.arange(0, 50_000, 5, dtype=np.uint64) * EIGHT
    parts = index._by_pages(ids, LOWEST, 15, count)
    assert np.array_equal(np.concatenate(parts), ids)
    pages = [set(((part - LOWEST) >> np.uint64(15)).tolist()) for part in parts]
    assert len(pages) == count
    assert sum(map(len, pages)) == len(set.union(*pages))
