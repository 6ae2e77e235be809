"""Objects and bytes by class name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.heap_classes import ClassRow
from mqdiag.graph.class_sums import retained_of_groups
from mqdiag.graph.heap import Heap
from mqdiag.read.hprof.dump import Dump
from mqdiag.read.hprof.types import PRIMITIVE_ARRAYS, WIDTHS

_ELEMENT_BYTES = dict(zip(PRIMITIVE_ARRAYS, WIDTHS.values(), strict=True))


def class_rows(heap: Heap) -> tuple[ClassRow, ...]:
    """The histogram with retained sizes; by shallow bytes, then name."""
    names, group = _name_groups(heap.classes.names)
    row_counts, row_bytes = heap.class_sizes
    counts, shallow = np.zeros(len(names), np.int64), np.zeros(len(names), np.int64)
    np.add.at(counts, group, row_counts)
    np.add.at(shallow, group, row_bytes)
    retained = retained_of_groups(heap.index, heap.dominance, group, len(names))
    return _rows(heap.dump, names, group, counts, shallow, retained)


def quick_class_rows(dump: Dump) -> tuple[ClassRow, ...]:
    """The histogram of a dump that was read for counts only; sizes by formula, nothing retained."""
    classes = dump.classes
    width = dump.header.id_size // 2 if dump.header.id_size == 8 else 4
    header = 12 if dump.header.id_size == 8 else 8
    each = np.zeros(classes.count, np.int64)
    per_element = np.zeros(classes.count, np.int64)
    references = np.diff(classes.layout_starts)
    counts = dump.counts.copy()
    for row, name in enumerate(classes.names):
        if name.endswith("[]"):
            per_element[row] = _ELEMENT_BYTES.get(name, width)
            each[row] = header + 4 + 3
        else:
            # `elements` are bytes with references of id size: take off what compressed ones save, add the rounding.
            each[row] = header + 4 - int(references[row]) * (dump.header.id_size - width)
            per_element[row] = 1
        if name == "java.lang.Class":
            counts[row] += classes.dumped
    shallow = np.maximum((each * dump.counts + per_element * dump.elements) // 8 * 8, 0)
    names, group = _name_groups(classes.names)
    return _rows(
        dump,
        names,
        group,
        np.bincount(group, counts, len(names)).astype(np.int64),
        np.bincount(group, shallow, len(names)).astype(np.int64),
        None,
    )


def _name_groups(names: list[str]) -> tuple[list[str], NDArray[np.int32]]:
    """(distinct names, place of each class's name among them)."""
    place: dict[str, int] = {}
    group = np.array([place.setdefault(name, len(place)) for name in names], np.int32)
    return list(place), group


def _rows(
    dump: Dump,
    names: list[str],
    group: NDArray[np.int32],
    counts: NDArray[np.int64],
    shallow: NDArray[np.int64],
    retained: NDArray[np.int64] | None,
) -> tuple[ClassRow, ...]:
    loaders = np.bincount(group[: dump.classes.dumped], minlength=len(names))
    order = sorted(range(len(names)), key=lambda i: (-int(shallow[i]), names[i]))
    return tuple(
        ClassRow(
            name=names[i],
            loaders=int(loaders[i]),
            instances=int(counts[i]),
            shallow_bytes=int(shallow[i]),
            retained_bytes=None if retained is None else int(retained[i]),
        )
        for i in order
        if loaders[i] or counts[i]
    )
