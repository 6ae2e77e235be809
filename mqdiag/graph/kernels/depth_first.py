"""Depth-first numbering from the roots, and plain marking."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel


@kernel
def depth_first(starts, edges, rows, class_nodes, roots, numbers, order, parents, cursors):
    """Number all reachable objects in depth-first preorder; 0 is a virtual root above all GC roots.

    Args:
        starts: uint32[n + 1], edges: int32[]: references by row.
        rows: uint16[n] or int32[n], class rows.
        class_nodes: int32[c], the class object that an instance keeps alive, -1 for none.
        roots: int32[r], distinct.
        numbers: int32[n], out: preorder number, 0 for the unreachable.
        order: int32[n + 1], out: the object of each number; order[0] = -1.
        parents: int32[n + 1], out: number of the tree parent.
        cursors: uint32[n], scratch.

    Returns:
        the highest number: how many objects are reachable. O(objects + references).
    """
    count = 0
    order[0] = -1
    parents[0] = 0
    for r in range(roots.size):
        root = roots[r]
        if numbers[root] != 0:
            continue
        count += 1
        numbers[root] = count
        order[count] = root
        parents[count] = 0
        cursors[root] = starts[root]
        node = root
        number = count
        # A node's class comes before its references.
        child = class_nodes[rows[node]]
        while True:
            if child >= 0 and numbers[child] == 0:
                count += 1
                numbers[child] = count
                order[count] = child
                parents[count] = number
                cursors[child] = starts[child]
                node = child
                number = count
                child = class_nodes[rows[node]]
                continue
            child = -1
            at = cursors[node]
            end = starts[node + 1]
            while at < end:
                target = edges[at]
                at += 1
                if numbers[target] == 0:
                    child = target
                    break
            cursors[node] = at
            if child < 0:
                number = parents[number]
                if number == 0:
                    break
                node = order[number]
    return count


@kernel
def mark(starts, edges, rows, class_nodes, seeds, state, stack, mute, mute_edges):
    """Mark what is reachable from the seeds through unmarked objects.

    Args:
        starts, edges, rows, class_nodes: as in `depth_first`.
        seeds: int32[s].
        state: uint8[n], in and out: 0 unmarked, 1 marked, 2 a wall that is not entered, 3 a wall that was met.
        stack: int32[], scratch, at least n entries.
        mute: int32[m], ascending: objects whose last mute_edges[m] references are not followed.
        mute_edges: int64[m].

    Returns:
        how many were marked. O(objects + references).
    """
    count = 0
    depth = 0
    for s in range(seeds.size):
        if state[seeds[s]] == 0:
            state[seeds[s]] = 1
            count += 1
            stack[depth] = seeds[s]
            depth += 1
        while depth > 0:
            depth -= 1
            node = stack[depth]
            child = class_nodes[rows[node]]
            if child >= 0 and state[child] == 0:
                state[child] = 1
                count += 1
                stack[depth] = child
                depth += 1
            elif child >= 0 and state[child] == 2:
                state[child] = 3
            end = np.int64(starts[node + 1])
            if mute.size > 0:
                place = np.searchsorted(mute, node)
                if place < mute.size and mute[place] == node:
                    end -= mute_edges[place]
            for at in range(np.int64(starts[node]), end):
                target = edges[at]
                if state[target] == 0:
                    state[target] = 1
                    count += 1
                    stack[depth] = target
                    depth += 1
                elif state[target] == 2:
                    state[target] = 3
    return count
