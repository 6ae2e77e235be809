"""Retained sizes of all objects against another reader's, with that reader's own shallow sizes.

Shallow sizes are compared with the JVM's (`histograms.py`); no other reader has those. So that only the graph is
compared here, each reader's sizes are put into our graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph import Heap
from mqdiag.graph.dominance import build_dominance
from mqdiag.progress import Silent
from tests.accuracy.edges import retained_of

LARGEST = 100


@dataclass(frozen=True, slots=True)
class Reading:
    """What another reader says of a dump, by node of our graph.

    `sizes` and `retained` int64[n], -1 for what it cannot reach; `known` bool[n]: objects that it speaks of.
    """

    sizes: NDArray[np.int64]
    retained: NDArray[np.int64]
    known: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two agree on one dump.

    `compared`: objects that both reach; `reached_by_one`: only one does. `largest`: how many of the other's 100
    largest objects are equal. `differing`: nodes that are not, the largest first.
    """

    compared: int
    reached_by_one: int
    largest: int
    differing: NDArray[np.int64]

    @property
    def whole(self) -> bool:
        """No difference at all."""
        return not self.reached_by_one and not self.differing.size


def reading(
    heap: Heap, ids: NDArray[np.uint64], sizes: NDArray[np.int64], retained: NDArray[np.int64]
) -> Reading:
    """Rows of a reader's table brought to our nodes; ids that the file does not have are the reader's inventions."""
    nodes = heap.index.lookup.find(ids)
    there = nodes >= 0
    nodes = nodes[there]
    found = Reading(np.zeros(heap.count, np.int64), np.full(heap.count, -1), np.zeros(heap.count, bool))
    found.sizes[nodes], found.retained[nodes], found.known[nodes] = sizes[there], retained[there], True
    return found


def with_sizes(heap: Heap, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Our retained sizes by node, had objects these shallow sizes."""
    units = SimpleNamespace(units=sizes.astype(np.uint32), alignment=1)
    return retained_of(
        build_dominance(
            heap.index, heap.references, heap.class_nodes, heap.roots, units, heap.dump.room, Silent()
        )  # type: ignore[arg-type]
    )


def largest(theirs: Reading) -> NDArray[np.int64]:
    """Nodes of the other reader's largest objects."""
    candidates = np.flatnonzero(theirs.known)
    return candidates[np.argsort(-theirs.retained[candidates], kind="stable")[:LARGEST]]


def agreement(ours: NDArray[np.int64], theirs: Reading) -> Agreement:
    """Compare by node."""
    reached = theirs.known & (theirs.retained >= 0)
    both = reached & (ours >= 0)
    top = largest(theirs)
    differing = np.flatnonzero(both & (ours != theirs.retained))
    return Agreement(
        int(both.sum()),
        int((theirs.known & (reached != (ours >= 0))).sum()),
        int((ours[top] == theirs.retained[top]).sum()),
        differing[np.argsort(-theirs.retained[differing], kind="stable")],
    )
