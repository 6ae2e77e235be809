"""Reachability, dominator tree and retained sizes of all objects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.index import ObjectIndex
from mqdiag.graph.kernels import depth_first
from mqdiag.graph.kernels import dominators as kernel
from mqdiag.graph.kernels.row_counts import heavy_children
from mqdiag.graph.references import References
from mqdiag.graph.roots import RootSet
from mqdiag.graph.shallow import SizeModel
from mqdiag.progress import Progress
from mqdiag.read.array_memory import ArrayMemory
from mqdiag.read.cores import LEAST_OBJECTS, Pool, pool, worker_count
from mqdiag.text import say

_UINT32 = (1 << 32) - 1
_MOST_HEAVY = 1024
_Search = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint32], NDArray[np.uint64]]
"""`numbers`, `parents`, `heads` and `steps` of `depth_first`"""
_Prefix = NDArray[np.uint32] | NDArray[np.uint64]
_Prepared = tuple[NDArray[np.int32], _Prefix]
"""`dominator` and `prefix` of a `Dominance`"""


class Dominance(msgspec.Struct):
    """The dominator tree in preorder: a subtree is a run of places; 0 is the virtual root above the GC roots.

    `numbers` int32[n]: place of each object, 0 when unreachable. For m reachable objects: `order` int32[m + 1], the
    object at each place (-1 for the root); `dominator` int32[m + 1], the place of its immediate dominator; `dominated`
    int32[m + 1], objects in the subtree, itself included; `prefix` uint32 or uint64[m + 2], shallow units of all
    objects at lower places.
    """

    numbers: NDArray[np.int32]
    order: NDArray[np.int32]
    dominator: NDArray[np.int32]
    dominated: NDArray[np.int32]
    prefix: _Prefix
    alignment: int

    @property
    def count(self) -> int:
        """Reachable objects."""
        return self.order.size - 1

    @property
    def total_bytes(self) -> int:
        """Shallow bytes of all reachable objects."""
        return int(self.prefix[-1]) * self.alignment

    def retained(self, places: NDArray[np.int32]) -> NDArray[np.int64]:
        """Retained bytes by place, int64."""
        ends = places.astype(np.int64) + self.dominated[places]
        units: NDArray[np.int64] = self.prefix[ends].astype(np.int64) - self.prefix[places].astype(np.int64)
        return units * self.alignment

    def retained_together(self, nodes: NDArray[np.int32]) -> NDArray[np.int64]:
        """Retained bytes of each node, 0 where another one of them dominates it: their sum counts no byte twice."""
        retained = np.zeros(nodes.size, np.int64)
        places = self.numbers[nodes]
        order = np.argsort(places, kind="stable")
        places = places[order]
        ends = np.maximum.accumulate(places.astype(np.int64) + self.dominated[places])
        outermost = np.ones(places.size, bool)
        outermost[1:] = places[1:] >= ends[:-1]
        retained[order[outermost]] = self.retained(places[outermost])
        return retained

    def heavy_children(self, place: int, least_bytes: int) -> tuple[int, NDArray[np.int32]]:
        """(the heaviest child or -1, children of at least so many bytes); O(children)."""
        found = np.empty(_MOST_HEAVY, np.int32)
        least = -(-least_bytes // self.alignment)
        heaviest, count = heavy_children(self.dominated, self.prefix, place, least, found)
        return int(heaviest), found[: min(count, _MOST_HEAVY)]

    def children(self, place: int) -> NDArray[np.int32]:
        """Places that this one dominates immediately, int32."""
        found = []
        at, end = place + 1, place + int(self.dominated[place])
        while at < end:
            found.append(at)
            at += int(self.dominated[at])
        return np.array(found, np.int32)

    def inside(self, place: int) -> NDArray[np.int32]:
        """Objects of a subtree, itself included: nodes int32."""
        return self.order[place : place + int(self.dominated[place])]


def build_dominance(
    index: ObjectIndex,
    references: References,
    class_nodes: NDArray[np.int32],
    roots: RootSet,
    sizes: SizeModel,
    room: ArrayMemory,
    progress: Progress,
) -> Dominance:
    """Number, find dominators, sum up.

    Args:
        index: objects.
        references: their references.
        class_nodes: int32[class rows], the class object that an instance keeps alive; -1 where it is a root anyway.
        roots: GC roots.
        sizes: shallow sizes.
        room: where large arrays are.
        progress: told of the phases.
    """
    with _one_beside(index.count) as beside:
        # Most of the search is the work of one core.
        measured = beside.submit(lambda: sizes.units)
        # Before what the search needs: most of that is never touched, and so better off in new memory.
        label = room.empty(index.count + 1, np.int32, any_order=True)
        is_ready = beside.submit(room.make_ready, label)
        progress.phase(say("finding reachable objects"))
        numbers, parents, heads, steps = _search(index, references, class_nodes, roots, room)
        places = parents.size

        def prepare() -> _Prepared:
            return _prepared(places, measured.result(), room)

        # In files they are made meanwhile; in memory they would stand beside the arrays of the search, at the peak.
        prepared = beside.submit(prepare) if room.in_files else None
        progress.phase(say("finding dominators"))
        is_ready.result()
        label = label[:places]
        _immediate(index, references, class_nodes, (numbers, parents, heads, steps), label, room)
        del parents, steps
        progress.phase(say("summing retained sizes"))
        # Ample memory has it where the search was, so that hardly a page must be cleared.
        dominated = room.empty(places, np.int32, any_order=room.is_ample)
        dominator, prefix = prepare() if prepared is None else prepared.result()
        tree = Dominance(numbers, label, dominator, dominated, prefix, sizes.alignment)
        _fill(tree, heads, measured.result(), room, beside)
    return tree


@contextmanager
def _one_beside(objects: int) -> Iterator[Pool]:
    """A thread for work beside this one, where there are so many objects; after an error it begins nothing more."""
    beside = pool(1, is_large=objects >= LEAST_OBJECTS)
    try:
        yield beside
    finally:
        beside.shutdown(cancel_futures=True)


def _search(
    index: ObjectIndex,
    references: References,
    class_nodes: NDArray[np.int32],
    roots: RootSet,
    room: ArrayMemory,
) -> _Search:
    count = index.count
    numbers = room.zeros(count, np.int32, any_order=True)
    parents = room.empty(count + 1, np.int32, any_order=True)
    heads = room.zeros(count + 2, np.uint32, any_order=True)
    steps = room.zeros(count // 32 + 1, np.uint64)
    path, cursors = (
        room.empty(count, np.int32, any_order=True, sparse=True),
        room.empty(count, np.uint32, any_order=True, sparse=True),
    )
    numbers[roots.nodes] = -1
    reached = depth_first.depth_first(
        references.starts,
        references.edges,
        index.rows,
        class_nodes,
        roots.nodes,
        numbers,
        parents,
        heads,
        steps,
        path,
        cursors,
    )
    return numbers, parents[: reached + 1], heads[: reached + 2], steps


def _immediate(
    index: ObjectIndex,
    references: References,
    class_nodes: NDArray[np.int32],
    search: _Search,
    label: NDArray[np.int32],
    room: ArrayMemory,
) -> None:
    """Write the immediate dominators into `heads`; `label`, int32[m + 1], is scratch."""
    numbers, parents, heads, steps = search
    sources = _predecessors(index, references, class_nodes, numbers, parents, heads, room)
    stack = room.empty(parents.size, np.int32, any_order=True, sparse=True)
    kernel.immediate_dominators(parents, heads, sources, label, steps, stack)


def _prepared(places: int, units: NDArray[np.uint32], room: ArrayMemory) -> _Prepared:
    """Arrays to be filled, for so many places and for shallow units by object."""
    fits = int(units.sum(dtype=np.int64)) <= _UINT32
    prefix: _Prefix = room.ready(places + 1, np.uint32 if fits else np.uint64)
    return room.ready(places, np.int32), prefix


def _fill(
    tree: Dominance,
    heads: NDArray[np.uint32],
    units: NDArray[np.uint32],
    room: ArrayMemory,
    beside: Pool,
) -> None:
    """Number the tree anew by places.

    Args:
        tree: in: the numbers of the search; the other arrays are undefined. Out: all of it.
        heads: the immediate dominators.
        units: shallow units by object.
        room: where scratch is.
        beside: the other thread.
    """
    places = heads[:-1].view(np.int32)
    # The order takes the place of what it is made after: a new array would have to be cleared by the system first.
    ends = tree.order
    kernel.tree_places(places, ends)
    kernel.subtree_sizes(places, ends, tree.dominated)

    def order_and_sum() -> None:
        kernel.order_by_place(tree.numbers, places, tree.order)
        kernel.sum_units(tree.order, units, tree.prefix)

    stack = room.empty(places.size, np.int32, any_order=True, sparse=True)
    summed = beside.submit(order_and_sum)
    kernel.dominators_by_place(tree.dominated, tree.dominator, stack)
    summed.result()


def _predecessors(
    index: ObjectIndex,
    references: References,
    class_nodes: NDArray[np.int32],
    numbers: NDArray[np.int32],
    parents: NDArray[np.int32],
    heads: NDArray[np.uint32],
    room: ArrayMemory,
) -> NDArray[np.int32]:
    """The predecessors of all numbers: two threads scan the same references, each for its half of the targets.

    `heads` has the count of each number before the one that follows, and in the end where its predecessors end, as
    `immediate_dominators` reads them.
    """
    reached = parents.size - 1
    workers = min(worker_count(), 2)
    bounds = [1 + reached * i // workers for i in range(workers)] + [reached + 1]
    np.cumsum(heads, out=heads)
    sources: NDArray[np.int32] = room.empty(int(heads[-1]), np.int32, any_order=True)
    common = (references.starts, references.edges, index.rows, class_nodes, numbers, parents)
    with pool(workers, is_large=index.count >= LEAST_OBJECTS) as threads:
        list(
            threads.map(
                lambda i: kernel.predecessors(*common, bounds[i], bounds[i + 1], heads, sources),
                range(workers),
            )
        )
    return sources
