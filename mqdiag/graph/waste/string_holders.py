"""Which fields hold some strings."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.waste import StringHolder
from mqdiag.graph.field_columns import column
from mqdiag.graph.heap import Heap

MOST_STRINGS = 1 << 15
"""looked at; of more an even choice"""
MOST_OF_ONE_TEXT = 1 << 10
MOST_HOLDERS = 5
_LEAST_SHARE = 0.01
_MOST_CLASSES = 32


def string_holders(heap: Heap, strings: NDArray[np.int32]) -> tuple[StringHolder, ...]:
    """Fields by the share of references to these strings."""
    chosen = _some(strings, MOST_STRINGS)
    shares = _shares(heap, chosen, *heap.referrers(chosen))
    return tuple(
        StringHolder(held_by=field, share=round(share, 4))
        for field, share in shares[:MOST_HOLDERS]
        if share >= _LEAST_SHARE
    )


def fields_of_most(heap: Heap, texts: list[NDArray[np.int32]]) -> list[str | None]:
    """For each text the field that holds most of its strings; None when nothing but class objects does."""
    if not texts:
        return []
    chosen = [_some(strings, MOST_OF_ONE_TEXT) for strings in texts]
    together = np.concatenate(chosen)
    held, holders = heap.referrers(together)  # all at once: it is a pass over all references
    found: list[str | None] = []
    for begin, end in pairwise(np.cumsum([0, *map(len, chosen)]).tolist()):
        mine = (held >= begin) & (held < end)
        shares = _shares(heap, together, held[mine], holders[mine])
        found.append(shares[0][0] if shares else None)
    return found


def _some(strings: NDArray[np.int32], most: int) -> NDArray[np.int32]:
    return strings[:: max(-(-strings.size // most), 1)]


def _shares(
    heap: Heap, strings: NDArray[np.int32], held: NDArray[np.int64], holders: NDArray[np.int32]
) -> list[tuple[str, float]]:
    """(field, share of the references), largest first; `held` are positions in `strings`."""
    if not held.size:
        return []
    rows = heap.index.rows[holders]
    found: dict[str, int] = {}
    classes, counts = np.unique(rows, return_counts=True)
    for row in classes[np.argsort(-counts, kind="stable")][:_MOST_CLASSES].tolist():
        mine = np.flatnonzero(rows == row)
        name = heap.classes.names[row]
        if name.endswith("[]"):
            found[name] = found.get(name, 0) + mine.size
            continue
        targets = strings[held[mine]]
        for field in heap.classes.field_names(row):
            count = int((column(heap, holders[mine], field).nodes == targets).sum())
            if count:
                found[f"{name}.{field}"] = found.get(f"{name}.{field}", 0) + count
    return sorted(
        ((field, count / held.size) for field, count in found.items()), key=lambda each: (-each[1], each[0])
    )
