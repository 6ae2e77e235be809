"""Depth-first numbering from the roots, and plain marking."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel


@kernel
def depth_first(starts, edges, rows, class_nodes, roots, numbers, parents, heads, steps, path, cursors):
    """Number all reachable objects in depth-first preorder; 0 is a virtual root above all GC roots.

    Args:
        starts: uint32[n + 1], edges: int32[]: references by row.
        rows: uint16[n] or int32[n], class rows.
        class_nodes: int32[c], the class object that an instance keeps alive, -1 for none.
        roots: int32[r], distinct.
        numbers: int32[n], in: -1 for the roots and 0 for others; out: preorder number, 0 for the unreachable.
        parents: int32[n + 1], out: number of the tree parent; ~parent where the virtual root is the dominator. That
            holds for GC roots, and for objects that `_meet` finds.
        heads: uint32[n + 2], zeros; out: heads[w + 1] is how many predecessors w has, see `predecessors`.
        steps: uint64[n // 32 + 1], zeros; out: the depth-first tree in two bits for each number, from which its
            parents are read again in preorder: a 0 for each step up from the number before, then a 1.
        path: int32[n], scratch: the objects from the root to the current one.
        cursors: uint32[n], scratch: for each of them the next reference to follow. Only as much of both is touched
            as the longest path needs.

    Returns:
        the highest number: how many objects are reachable. O(objects + references).
    """
    count = 0
    step = np.int64(0)
    parents[0] = 0
    for r in range(roots.size):
        node = np.int64(roots[r])
        if numbers[node] > 0:
            continue
        count += 1
        numbers[node] = count
        parents[count] = ~0
        steps[step >> 6] |= np.uint64(1) << np.uint64(step & 63)
        step += 1
        number = count
        first = count
        depth = 0
        path[0] = node
        at = np.int64(starts[node])
        end = np.int64(starts[node + 1])
        # A node's class comes before its references.
        child = np.int64(class_nodes[rows[node]])
        while True:
            if child >= 0 and numbers[child] > 0:
                _meet(np.int64(numbers[child]), number, first, parents, heads)
                child = np.int64(-1)
            if child < 0:
                while at < end:
                    target = np.int64(edges[at])
                    at += 1
                    met = np.int64(numbers[target])
                    if met <= 0:
                        child = target
                        break
                    _meet(met, number, first, parents, heads)
            if child >= 0:
                count += 1
                parents[count] = ~number if numbers[child] < 0 else number
                numbers[child] = count
                steps[step >> 6] |= np.uint64(1) << np.uint64(step & 63)
                step += 1
                cursors[depth] = at
                depth += 1
                path[depth] = child
                node = child
                number = count
                at = np.int64(starts[node])
                end = np.int64(starts[node + 1])
                child = np.int64(class_nodes[rows[node]])
                continue
            step += 1
            if depth == 0:
                break
            depth -= 1
            node = np.int64(path[depth])
            number = np.int64(numbers[node])
            at = np.int64(cursors[depth])
            end = np.int64(starts[node + 1])
    return count


@kernel(inline=True)
def _meet(met, number, first, parents, heads):
    """A reference from `number` to `met`, which has its number already.

    `first` is the GC root whose tree has `number`. An object with a lower number is in the tree of another
    root: two paths lead to it, and only the virtual root is on both.
    """
    if parents[met] >= 0 and parents[met] != number and met != number:
        if met < first:
            parents[met] = ~parents[met]
            heads[met + 1] = np.uint32(0)
        else:
            heads[met + 1] += np.uint32(1)


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
