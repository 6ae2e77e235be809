"""What is in the container that a holder's field refers to: how many entries, of which classes, how evenly."""

from __future__ import annotations

import msgspec
import numpy as np

from mqdiag.facts.heap_classes import BrokenKeys
from mqdiag.graph.collections import compares_by_identity, items, map_entries
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.graph.holders.broken_keys import broken_keys
from mqdiag.graph.holders.own_classes import is_jdk

MOST_BEANS, FEWEST_BEANS = 100, 8
"""more entries are data, fewer are not spread"""
_LARGEST_SHARE = 0.25
"""share of a container, for its largest entry: above it that one is the holder"""
_CLASSES = 3
_MOST_OBJECTS = 2_000_000
"""in a container that is looked at entry by entry: larger ones are data, and would cost seconds"""


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """Entries of a map, items of a list, or large fields of an object.

    `classes` are "class: count" of the entries, those that retain most first. `even` says that the entries are beans,
    such as the services of an application, and none of them stands out.
    """

    entries: int
    classes: tuple[str, ...]
    largest_share: float
    even: bool
    broken_keys: BrokenKeys | None


def contents_of(heap: Heap, held: int, point: int) -> Contents | None:
    """Contents of what a field refers to; of the accumulation point where that is no collection.

    None where there is neither a collection nor an object with several large parts, or too much is in it.
    """
    one = np.array([held], np.int32)
    if heap.dominance.dominated[heap.dominance.numbers[[held, point]]].max() > _MOST_OBJECTS:
        return None
    whole = int(heap.retained_sizes(one)[0]) or int(heap.retained_sizes(np.array([point], np.int32))[0])
    keys, values = entries_of(heap, held)
    broken = broken_keys(heap, keys) if keys.size and not compares_by_identity(heap, held) else None
    if not values.size:
        values = _large_parts(heap, point, whole)
    values = values[values >= 0]
    if not values.size:
        return None
    weights = heap.dominance.retained_together(values)
    return Contents(
        entries=values.size,
        classes=_classes(heap, values, weights),
        largest_share=float(weights.max() / max(whole, 1)),
        even=_is_even(heap, values, weights, whole),
        broken_keys=broken,
    )


def entries_of(heap: Heap, held: int) -> tuple[Nodes, Nodes]:
    """(keys, values) of a map, items of a collection or elements of an array; empty for anything else.

    Args:
        heap: the graph.
        held: the container; only a map has keys.
    """
    one = np.array([held], np.int32)
    _, keys, values = map_entries(heap, one)
    if not keys.size:
        values = items(heap, one)[1]
    if not values.size and heap.class_name(held).endswith("[]"):
        values = heap.elements(one)[1]
    return keys, values


def _large_parts(heap: Heap, point: int, whole: int) -> Nodes:
    """Objects that an application object dominates and that are not small."""
    tree = heap.dominance
    if is_jdk(heap.class_name(point)):
        return np.empty(0, np.int32)
    _, large = tree.heavy_children(int(tree.numbers[point]), max(whole // 200, 1))
    return tree.order[large].astype(np.int32)


def _classes(heap: Heap, values: Nodes, weights: np.ndarray[tuple[int], np.dtype[np.int64]]) -> tuple[str, ...]:
    rows, which = np.unique(heap.index.rows[values], return_inverse=True)
    names, by_name = np.unique([heap.classes.names[row] for row in rows.tolist()], return_inverse=True)
    which = by_name[which]
    counts, sums = np.bincount(which), np.bincount(which, weights)
    largest = np.argsort(-sums, kind="stable")[:_CLASSES].tolist()
    return tuple(f"{names[at]}: {int(counts[at]):,}" for at in largest)


def _is_even(
    heap: Heap, values: Nodes, weights: np.ndarray[tuple[int], np.dtype[np.int64]], whole: int
) -> bool:
    """Beans: a limited number of objects of classes that somebody wrote, of which none has a large part.

    What many class loaders each have of one class are copies of a plugin, and no beans.
    """
    if values.size > MOST_BEANS:
        return False
    rows = np.unique(heap.index.rows[values]).tolist()
    if len(rows) >= FEWEST_BEANS and len({heap.classes.names[row] for row in rows}) <= len(rows) / 2:
        return False
    own = np.array([not is_jdk(heap.class_name(node)) for node in values.tolist()], bool)
    large = weights >= 0.002 * whole
    return bool(
        FEWEST_BEANS <= large.sum() <= MOST_BEANS
        and own.mean() >= 0.9
        and weights.max() < _LARGEST_SHARE * whole
        and weights.sum() >= 0.5 * whole
    )
