"""One class: how many, how heavy, which instances weigh most, and what keeps them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.shown import CountedClass, ShownClass, ShownInstance, ShownValue
from mqdiag.graph import Heap
from mqdiag.graph.merged_paths import paths_to_all
from mqdiag.show.values import label_of, static_values


def show_class(heap: Heap, name: str, *, limit: int = 20, subclasses: bool = False) -> ShownClass:
    """All instances of a class name together, whatever their loaders.

    Args:
        heap: the graph.
        name: full name of a class of the dump.
        limit: how many instances are told, those that retain most.
        subclasses: count instances of subclasses too.
    """
    rows = heap.classes.indices_named(name)
    nodes = heap.instances(rows, subclasses=subclasses)
    reachable = nodes[heap.reachable(nodes)]
    retained = heap.dominance.retained_together(reachable)
    mirrors = [node for node, row in heap.class_of_node.items() if row in set(rows)]
    return ShownClass(
        name=name,
        loaders=len(mirrors),
        class_ids=tuple(f"0x{heap.object_id(node):x}" for node in sorted(mirrors)),
        superclasses=tuple(heap.classes.names[row] for row in heap.classes.ancestors(rows[0])[1:]),
        subclasses=_subclasses(heap, rows),
        with_subclasses=subclasses,
        instances=nodes.size,
        shallow_bytes=int(heap.shallow_sizes(nodes).sum()),
        retained_bytes=int(retained.sum()),
        reachable_instances=reachable.size,
        statics=_statics(heap, rows),
        largest=_largest(heap, nodes, limit),
        paths=paths_to_all(heap, reachable, retained),
    )


def _subclasses(heap: Heap, rows: list[int]) -> tuple[CountedClass, ...]:
    below = [row for row in heap.classes.subclasses(rows).tolist() if row not in rows]
    if not below:
        return ()
    counts, _ = heap.class_sizes
    by_name: dict[str, int] = {}
    for row in below:
        if counts[row]:
            name = heap.classes.names[row]
            by_name[name] = by_name.get(name, 0) + int(counts[row])
    found = [CountedClass(name=name, instances=count) for name, count in by_name.items()]
    return tuple(sorted(found, key=lambda one: (-one.instances, one.name)))


def _statics(heap: Heap, rows: list[int]) -> tuple[ShownValue, ...]:
    """Statics of the class; of several loaders those of the one that has most objects."""
    counts, _ = heap.class_sizes
    return static_values(heap, max(rows, key=lambda row: int(counts[row])))


def _largest(heap: Heap, nodes: NDArray[np.int32], limit: int) -> tuple[ShownInstance, ...]:
    retained = heap.retained_sizes(nodes)
    chosen = np.arange(nodes.size)
    if nodes.size > limit > 0:
        least = _nth_largest(retained, limit)
        heavier, equal = np.flatnonzero(retained > least), np.flatnonzero(retained == least)
        largest = _first_of_largest(heap.shallow_sizes(nodes[equal]), limit - heavier.size)
        chosen = np.concatenate((heavier, equal[largest]))
    weights = retained[chosen], heap.shallow_sizes(nodes[chosen])
    chosen = chosen[np.lexsort((nodes[chosen], -weights[1], -weights[0]))[:limit]]
    told = nodes[chosen]
    columns = (retained[chosen], heap.shallow_sizes(told), heap.array_lengths(told), heap.reachable(told))
    return tuple(
        ShownInstance(
            object_id=f"0x{heap.object_id(node):x}",
            label=label_of(heap, node),
            length=length if length >= 0 else None,
            shallow_bytes=shallow,
            retained_bytes=kept,
            reachable=alive,
        )
        for node, kept, shallow, length, alive in zip(
            told.tolist(), *(column.tolist() for column in columns), strict=True
        )
    )


def _first_of_largest(values: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Positions of the largest values, of equal ones the first."""
    least = _nth_largest(values, most)
    larger, equal = np.flatnonzero(values > least), np.flatnonzero(values == least)
    return np.concatenate((larger, equal[: most - larger.size]))


def _nth_largest(values: NDArray[np.int64], n: int) -> np.int64:
    """By a sort: where many values are equal, as sizes are, `np.partition` takes three times as long."""
    found: np.int64 = np.sort(values)[-n]
    return found
