"""Reachability, dominator tree and retained sizes of all objects."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.index import ObjectIndex
from mqdiag.graph.kernels import dominators as kernel
from mqdiag.graph.kernels import reach
from mqdiag.graph.references import References
from mqdiag.graph.roots import RootSet
from mqdiag.graph.shallow import SizeModel
from mqdiag.progress import Progress
from mqdiag.read.hprof.walk import worker_count


@dataclass(slots=True)
class Dominance:
    """Everything by depth-first preorder number; 0 is the virtual root above the GC roots, m objects are reachable.

    `numbers` int32[n]: number of each object, 0 when unreachable. `order` int32[m + 1]: object of each number.
    `parents` int32[m + 1]: depth-first tree. `dominator` int32[m + 1]. `retained_bytes` int64[m + 1].
    `dominated` int32[m + 1]: objects in the subtree. `positions` int32[m + 1] and `at` int32[m + 1]: preorder of the
    dominator tree and back. `heads` uint32[m + 2], `sources` int32: predecessors that are no tree edge.
    """

    numbers: NDArray[np.int32]
    order: NDArray[np.int32]
    parents: NDArray[np.int32]
    dominator: NDArray[np.int32]
    retained_bytes: NDArray[np.int64]
    dominated: NDArray[np.int32]
    positions: NDArray[np.int32]
    at: NDArray[np.int32]
    heads: NDArray[np.uint32]
    sources: NDArray[np.int32]

    @property
    def count(self) -> int:
        """Reachable objects."""
        return self.order.size - 1

    def children(self, number: int) -> NDArray[np.int32]:
        """Numbers that this one dominates immediately, int32."""
        found = []
        place = int(self.positions[number]) + 1
        end = int(self.positions[number]) + int(self.dominated[number])
        while place < end:
            child = int(self.at[place])
            found.append(child)
            place += int(self.dominated[child])
        return np.array(found, np.int32)

    def top_level(self) -> NDArray[np.int32]:
        """Numbers that only the virtual root dominates, int32."""
        return np.flatnonzero(self.dominator[1:] == 0).astype(np.int32) + np.int32(1)


def build_dominance(
    index: ObjectIndex,
    references: References,
    class_nodes: NDArray[np.int32],
    roots: RootSet,
    sizes: SizeModel,
    progress: Progress,
) -> Dominance:
    """Number, find dominators, sum up.

    Args:
        index: objects.
        references: their references.
        class_nodes: int32[class rows], the class object that an instance keeps alive; -1 where it is a root anyway.
        roots: GC roots.
        sizes: shallow sizes.
        progress: told of the phases.
    """
    progress.phase("finding reachable objects")
    count = index.count
    numbers = np.zeros(count, np.int32)
    order = np.empty(count + 1, np.int32)
    parents = np.empty(count + 1, np.int32)
    cursors = np.empty(count, np.uint32)
    reached = reach.depth_first(
        references.starts,
        references.edges,
        index.rows,
        class_nodes,
        roots.nodes,
        numbers,
        order,
        parents,
        cursors,
    )
    del cursors
    order, parents = order[: reached + 1], parents[: reached + 1]
    is_root = np.zeros(reached + 1, np.uint8)
    is_root[numbers[roots.nodes]] = 1

    progress.phase("finding dominators")
    heads, sources = _predecessors(index, references, class_nodes, numbers, parents, is_root)
    semi, label, ancestor = (np.empty(reached + 1, np.int32) for _ in range(3))
    dominator = np.empty(reached + 1, np.int32)
    kernel.immediate_dominators(parents, is_root, heads, sources, semi, label, ancestor, dominator)
    del semi, label, ancestor
    progress.phase("summing retained sizes")
    retained_bytes = np.zeros(reached + 1, np.int64)
    retained_bytes[1:] = sizes.units[order[1:]]
    retained_bytes *= sizes.alignment
    dominated = np.empty(reached + 1, np.int32)
    kernel.retained(dominator, retained_bytes, dominated)
    positions, following, at = (np.empty(reached + 1, np.int32) for _ in range(3))
    kernel.tree_positions(dominator, dominated, positions, following, at)
    return Dominance(
        numbers, order, parents, dominator, retained_bytes, dominated, positions, at, heads, sources
    )


def _predecessors(
    index: ObjectIndex,
    references: References,
    class_nodes: NDArray[np.int32],
    numbers: NDArray[np.int32],
    parents: NDArray[np.int32],
    is_root: NDArray[np.uint8],
) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """(heads, sources): two threads scan the same references, each for its half of the targets."""
    reached = parents.size - 1
    workers = min(worker_count(), 2)
    bounds = [1 + reached * i // workers for i in range(workers)] + [reached + 1]
    heads = np.zeros(reached + 2, np.uint32)
    common = (references.starts, references.edges, index.rows, class_nodes, numbers, parents, is_root)
    empty = np.empty(0, np.int32)
    with ThreadPoolExecutor(workers) as pool:
        list(
            pool.map(
                lambda i: kernel.predecessors(*common, bounds[i], bounds[i + 1], heads, empty, False),
                range(workers),
            )
        )
        np.cumsum(heads, out=heads)
        sources = np.empty(int(heads[-1]), np.int32)
        # Filling moves each head to the next one's start; shifted by one, the starts are back.
        moving = heads.copy()
        list(
            pool.map(
                lambda i: kernel.predecessors(*common, bounds[i], bounds[i + 1], moving, sources, True),
                range(workers),
            )
        )
    return heads, sources
