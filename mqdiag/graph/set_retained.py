"""What dies if a whole set of objects goes.

Plain dominators name nothing when each object of a set has a second holder inside the same set: a cached message is
reachable from its ProcessQueue and from the pool's queued request, so neither dominates it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.kernels.depth_first import mark
from mqdiag.graph.object_graph import ObjectGraph
from mqdiag.read.hprof.distinct import distinct, is_in

_MARKED, _WALL, _MET = 1, 2, 3


def retained_of_sets(
    graph: ObjectGraph,
    numbers: NDArray[np.int32],
    sets: list[NDArray[np.int32]],
    ignore_frames_of: NDArray[np.int32] | None = None,
) -> list[tuple[int, int]]:
    """Objects and bytes that only the set holds, for each set by itself.

    Args:
        graph: the objects.
        numbers: int32[n], 0 for unreachable objects.
        sets: int32 nodes of each set; -1 and unreachable ones are left out.
        ignore_frames_of: threads whose frames do not count as holders.

    Marks once from the roots without entering any set; what is left over is small, and each set is decided inside it.
    """
    sets = [distinct(nodes[(nodes >= 0)]) for nodes in sets]
    sets = [nodes[numbers[nodes] > 0] for nodes in sets]
    if not any(nodes.size for nodes in sets):
        return [(0, 0)] * len(sets)
    refs, rows = graph.references, graph.index.rows
    mute, mute_edges = _muted(graph, ignore_frames_of)
    stack = graph.dump.room.empty(graph.count, np.int32, any_order=True)
    nothing, no_edges = np.empty(0, np.int32), np.empty(0, np.int64)

    state = graph.dump.room.zeros(graph.count, np.uint8, any_order=True)
    for nodes in sets:
        state[nodes] = _WALL
    in_sets = state[graph.roots.nodes] == _WALL
    state[graph.roots.nodes[in_sets]] = _MET
    seeds = graph.roots.nodes[~in_sets]
    mark(refs.starts, refs.edges, rows, graph.class_nodes, seeds, state, stack, mute, mute_edges)
    alive = state == _MARKED
    met = np.flatnonzero(state == _MET).astype(np.int32)

    results = []
    for nodes in sets:
        if not nodes.size:
            results.append((0, 0))
            continue
        if sum(other.size > 0 for other in sets) > 1:
            # The other sets live on, as far as they can be reached without this one.
            state[:] = alive
            state[nodes] = _WALL
            others = met[state[met] == 0]
            mark(refs.starts, refs.edges, rows, graph.class_nodes, others, state, stack, mute, mute_edges)
        state[nodes] = 0
        before = state.copy()
        count = mark(refs.starts, refs.edges, rows, graph.class_nodes, nodes, state, stack, nothing, no_edges)
        dead = np.flatnonzero((state == _MARKED) & (before == 0)).astype(np.int32)
        results.append((int(count), int(graph.shallow_sizes(dead).sum())))
    return results


def _muted(
    graph: ObjectGraph, threads: NDArray[np.int32] | None
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Threads whose last references, the locals of their frames, are not followed."""
    if threads is None or threads.size == 0:
        return np.empty(0, np.int32), np.empty(0, np.int64)
    nodes, counts = np.unique(graph.references.extra_from, return_counts=True)
    chosen = is_in(nodes, threads)
    return nodes[chosen].astype(np.int32), counts[chosen].astype(np.int64)
