"""Shortest ways from the roots, and who refers to some objects."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel


@kernel
def breadth_first(
    starts, edges, rows, class_nodes, weak_nodes, weak_targets, came_from, queue, first, last, most
):
    """Extend the tree of shortest paths by what some queued objects refer to.

    Args:
        starts: uint32[n + 1], edges: int32[], rows: uint16[n] or int32[n], class_nodes: int32[c]: see
            `reach.depth_first`.
        weak_nodes: int32[w], ascending: references whose referent is no way; weak_targets: int32[w].
        came_from: int32[n], in and out: holder on the shortest way; -2 for a root, -1 where nothing came yet.
        queue: int32[], in and out, at least n entries, the first `last` of them used.
        first, last: int64, the objects of the queue that are not expanded yet.
        most: int64, objects to expand now, those among them that are found meanwhile.

    Returns:
        (first, last) afterwards. O(objects expanded + their references).
    """
    until = first + most
    while first < last and first < until:
        node = queue[first]
        first += 1
        weak = np.int32(-1)
        if weak_nodes.size > 0:
            place = np.searchsorted(weak_nodes, node)
            if place < weak_nodes.size and weak_nodes[place] == node:
                weak = weak_targets[place]
        for at in range(starts[node], starts[node + 1]):
            target = edges[at]
            if came_from[target] == -1 and target != weak:
                came_from[target] = node
                queue[last] = target
                last += 1
        child = class_nodes[rows[node]]
        if child >= 0 and came_from[child] == -1:
            came_from[child] = node
            queue[last] = child
            last += 1
    return first, last


@kernel
def find_referrers(starts, edges, numbers, wanted, sources, targets):
    """All reachable objects that refer to one of the wanted.

    Args:
        starts: uint32[n + 1], edges: int32[], numbers: int32[n], 0 for the unreachable.
        wanted: uint8[n], 1 for what is looked for.
        sources, targets: int32[k], out: the first k references found.

    Returns:
        the number of references found, which may be more than k. O(references).
    """
    count = 0
    for node in range(numbers.size):
        if numbers[node] == 0:
            continue
        for at in range(starts[node], starts[node + 1]):
            target = edges[at]
            if wanted[target] == 1:
                if count < sources.size:
                    sources[count] = node
                    targets[count] = target
                count += 1
    return count


@kernel
def path_lengths(queue, came_from, lengths):
    """Steps from a root to each object that the search has found.

    Args:
        queue: int32[k], the objects in the order in which they were found.
        came_from: int32[n], the holder of each object on its shortest way; below 0 for a root.
        lengths: int32[n], out for the objects of the queue.

    O(k).
    """
    for at in range(queue.size):
        node = queue[at]
        holder = came_from[node]
        lengths[node] = 0 if holder < 0 else lengths[holder] + 1
