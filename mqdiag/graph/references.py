"""All references of a dump as compressed rows, filled side by side in slices of the objects."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.index import ObjectIndex
from mqdiag.graph.kernels import references as kernel
from mqdiag.read.hprof.dump import Dump
from mqdiag.read.hprof.walk import worker_count

MAX_REFERENCES = (1 << 32) - 1


@dataclass(slots=True)
class References:
    """Row i has edges[starts[i]:starts[i + 1]]: `starts` uint32[n + 1], `edges` int32[].

    References of an instance in field order (own class first), elements of an array, and super class, loader,
    signers, protection domain and statics of a class object. The edge from an object to its class is implied.
    `extra_from`, `extra_to` int32: the edges from a thread to its locals, last in the thread's row.
    """

    starts: NDArray[np.uint32]
    edges: NDArray[np.int32]
    extra_from: NDArray[np.int32]
    extra_to: NDArray[np.int32]
    dangling: int
    """references to ids that no object has; CDS archives and cut files have them"""

    def of(self, nodes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """(position of the owner in `nodes`, target) of all references of some objects."""
        first = self.starts[nodes].astype(np.int64)
        counts = self.starts[nodes.astype(np.int64) + 1].astype(np.int64) - first
        owners = np.repeat(np.arange(nodes.size), counts)
        within = np.arange(owners.size) - np.repeat(np.cumsum(counts) - counts, counts)
        return owners, self.edges[np.repeat(first, counts) + within]


class TooManyReferences(Exception):
    """More references than the graph can number."""


def build_references(
    dump: Dump, index: ObjectIndex, extra_from: NDArray[np.int32], extra_to: NDArray[np.int32]
) -> References:
    """Read all references.

    Args:
        dump: the file.
        index: its objects.
        extra_from: edges from threads to their locals, by ascending thread, int32; `extra_to` their targets.
        extra_to: see above.
    """
    data, id_size, classes = dump.source.data, dump.header.id_size, dump.classes
    workers = worker_count()
    count = index.count
    bounds = [count * i // workers for i in range(workers + 1)]
    statics = int((classes.static_types == 2).sum())

    with ThreadPoolExecutor(workers) as pool:
        room = list(
            pool.map(
                lambda i: kernel.reference_capacity(
                    data, id_size, index.offsets, index.rows, classes.layout_starts, bounds[i], bounds[i + 1]
                ),
                range(workers),
            )
        )  # fmt: skip
        # The statics of class objects may all fall into one slice.
        room = [cells + statics + extra_from.size for cells in room]
        begins = np.concatenate(([0], np.cumsum(room)))
        starts = np.empty(count + 1, np.int64 if begins[-1] > MAX_REFERENCES else np.uint32)
        edges = np.empty(int(begins[-1]), np.int32)
        lookup = index.lookup
        filled = list(
            pool.map(
                lambda i: kernel.fill_references(
                    data, id_size, index.offsets, index.rows, classes.layout_starts, classes.layout_places,
                    lookup.base, lookup.shift, lookup.directory, lookup.words, extra_from, extra_to,
                    bounds[i], bounds[i + 1], starts, edges, int(begins[i]),
                ),
                range(workers),
            )
        )  # fmt: skip
    used = 0
    for i, (end, _) in enumerate(filled):
        begin = int(begins[i])
        length = end - begin
        if begin != used:
            _move_down(edges, begin, used, length)
            part = starts[bounds[i] : bounds[i + 1]]
            np.subtract(part, begin - used, out=part)
        used += length
    if used > MAX_REFERENCES:
        raise TooManyReferences(f"{used} references; the graph holds at most {MAX_REFERENCES}")
    starts[count] = used
    edges.resize(used, refcheck=False)  # gives the rest of the room back
    return References(
        starts.astype(np.uint32, copy=False), edges, extra_from, extra_to, sum(lost for _, lost in filled)
    )


def _move_down(edges: NDArray[np.int32], source: int, target: int, length: int) -> None:
    """Move a run towards the front, in pieces: numpy copies overlapping runs through a temporary of their size."""
    step = min(max(source - target, 1 << 16), 1 << 24)
    for at in range(0, length, step):
        end = min(at + step, length)
        edges[target + at : target + end] = edges[source + at : source + end]
