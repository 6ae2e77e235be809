"""Class objects that a writer other than HotSpot dumped twice: as a class and as an instance of java.lang.Class.

The graph keeps the instance with its fields; what the class dump refers to is added to it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.index import ObjectIndex
from mqdiag.read.hprof.dump import Dump
from mqdiag.read.hprof.records import big_endian
from mqdiag.read.hprof.types import REFERENCE

_SUPER, _PROTECTION_DOMAIN = 1, 4
"""first and last of the references among the heads of a class"""


def mirrors(dump: Dump, index: ObjectIndex) -> NDArray[np.int64]:
    """Rows of the classes that are in the index as instances."""
    nodes = index.lookup.find(dump.classes.ids[: dump.classes.dumped])
    there = np.flatnonzero(nodes >= 0)
    rows: NDArray[np.int64] = there[dump.source.data[index.places(nodes[there])] != 0x20]
    return rows


def with_mirrors(
    dump: Dump, index: ObjectIndex, extra_from: NDArray[np.int32], extra_to: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Further edges together with those of such class objects: (owners int32 ascending, targets int32)."""
    classes = dump.classes
    rows = mirrors(dump, index)
    if not rows.size:
        return extra_from, extra_to
    nodes = index.lookup.find(classes.ids[: classes.dumped])
    heads = classes.heads[rows, _SUPER : _PROTECTION_DOMAIN + 1]
    owners = [np.repeat(nodes[rows], heads.shape[1]), extra_from]
    targets = [index.lookup.find(heads.ravel()), extra_to]
    for row in rows.tolist():
        statics = slice(int(classes.static_starts[row]), int(classes.static_starts[row + 1]))
        places = classes.static_values[statics][classes.static_types[statics] == REFERENCE]
        targets.append(index.lookup.find(big_endian(dump.source.data, places, dump.header.id_size)))
        owners.append(np.full(places.size, nodes[row], np.int32))
    all_owners, all_targets = np.concatenate(owners), np.concatenate(targets)
    found = all_targets >= 0
    all_owners, all_targets = all_owners[found], all_targets[found]
    order = np.argsort(all_owners, kind="stable")
    return all_owners[order], all_targets[order]
