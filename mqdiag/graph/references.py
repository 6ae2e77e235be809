"""All references of a dump as compressed rows, filled side by side in slices of the objects."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.index import ObjectIndex
from mqdiag.graph.kernels import references as kernel
from mqdiag.graph.kernels.breadth_first import find_referrers
from mqdiag.read.cores import LEAST_OBJECTS, pool, worker_count
from mqdiag.read.hprof.dump import Dump
from mqdiag.text import say

MAX_REFERENCES = (1 << 32) - 1
_MOST_DANGLING = 1_000
_MOST_DANGLING_SHARE = 0.01
"""A whole dump may have dangling references too, into the archive of classes that the JVM shares: about 280 whatever
its size, 0.26 % of all at most in the dumps of fixtures/."""
_HEAD_REFERENCES = 4
"""references of a class object: super class, loader, signers, protection domain"""
_FEW_REFERRERS = 1 << 16
"""references to some objects that one pass finds"""
_CHUNKS = 2
"""objects for each reference that a chunk has room for; what is not written to costs no memory"""


class References(msgspec.Struct):
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

    @property
    def found_share(self) -> float:
        """Share of all references whose target is in the file, 0 to 1."""
        return self.edges.size / max(self.edges.size + self.dangling, 1)

    @property
    def lack_objects(self) -> bool:
        """Whether so many references dangle that the file must lack objects which the JVM had."""
        return self.dangling > _MOST_DANGLING and 1 - self.found_share > _MOST_DANGLING_SHARE

    def of(self, nodes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """(position of the owner in `nodes`, target) of all references of some objects."""
        first = self.starts[nodes].astype(np.int64)
        counts = self.starts[nodes.astype(np.int64) + 1].astype(np.int64) - first
        owners = np.repeat(np.arange(nodes.size), counts)
        within = np.arange(owners.size) - np.repeat(np.cumsum(counts) - counts, counts)
        return owners, self.edges[np.repeat(first, counts) + within]

    def to(
        self, wanted: NDArray[np.uint8], numbers: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """(owner, target) of all references to some objects, by owner; a pass over all references, or two.

        Args:
            wanted: uint8[n], 1 for these objects.
            numbers: int32[n], 0 for objects whose references do not count.
        """
        room = _FEW_REFERRERS
        while True:
            owners, targets = np.empty(room, np.int32), np.empty(room, np.int32)
            found = find_referrers(self.starts, self.edges, numbers, wanted, owners, targets)
            if found <= room:
                return owners[:found], targets[:found]
            room = found


class TooManyReferences(Exception):
    """More references than the graph can number."""

    def __init__(self, references: int) -> None:
        super().__init__(references)
        self.reason = say(
            "{references:count} references; the graph holds at most {limit:count}",
            references=references,
            limit=MAX_REFERENCES,
        )


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
    workers = worker_count()
    bounds = [index.count * i // workers for i in range(workers + 1)]
    starts = dump.room.empty(index.count + 1, np.uint32)
    with pool(workers, is_large=index.count >= LEAST_OBJECTS) as threads:
        slices = list(
            threads.map(
                lambda i: _fill(dump, index, extra_from, extra_to, bounds[i], bounds[i + 1], starts),
                range(workers),
            )
        )
        ends = np.cumsum([part.count for part in slices]).tolist()
        if ends[-1] > MAX_REFERENCES:
            raise TooManyReferences(ends[-1])
        edges = dump.room.empty(ends[-1], np.int32)
        starts[-1] = ends[-1]

        def join(i: int) -> None:
            begin = ends[i] - slices[i].count
            part = starts[bounds[i] : bounds[i + 1]]
            np.add(part, begin, out=part)
            for chunk in slices[i].take():
                edges[begin : begin + chunk.size] = chunk
                begin += chunk.size

        list(threads.map(join, range(workers)))
    return References(starts, edges, extra_from, extra_to, sum(part.dangling for part in slices))


class _Slice(msgspec.Struct):
    """References of consecutive objects, in chunks."""

    chunks: list[NDArray[np.int32]]
    count: int = 0
    dangling: int = 0

    def take(self) -> Iterator[NDArray[np.int32]]:
        """The chunks in order, each let go of when the next is asked for."""
        self.chunks.reverse()
        while self.chunks:
            yield self.chunks.pop()


def _fill(
    dump: Dump,
    index: ObjectIndex,
    extra_from: NDArray[np.int32],
    extra_to: NDArray[np.int32],
    first: int,
    last: int,
    starts: NDArray[np.uint32],
) -> _Slice:
    """The references of objects first to last; `starts` get their places among these."""
    classes, pages = dump.classes, index.lookup.pages
    # All statics, and all locals of threads, may be those of one object.
    spare = _HEAD_REFERENCES + int((classes.static_types == 2).sum()) + extra_from.size
    records = kernel.Records(
        dump.source.data, dump.header.id_size, index.offsets, index.rows,
        classes.layout_starts, classes.layout_places,
    )  # fmt: skip
    thread_locals = kernel.ThreadLocals(extra_from, extra_to)
    part = _Slice([])
    room = 0
    while first < last and part.count <= MAX_REFERENCES:
        edges = dump.room.empty(max(room, spare) + (last - first) // _CHUNKS, np.int32, any_order=True)
        first, used, dangling, room = kernel.fill_references(
            records, pages, thread_locals, first, last, spare, part.count, starts, edges
        )
        part.chunks.append(edges[:used])
        part.count += used
        part.dangling += dangling
    return part
