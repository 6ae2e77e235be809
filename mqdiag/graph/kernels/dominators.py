"""Dominators by semi-NCA (Georgiadis, Tarjan, Werneck, "Finding Dominators in Practice", 2006), and what follows.

All arrays are in preorder numbers; 0 is the virtual root. Self-contained: a cached kernel does not notice a change
in another file.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def predecessors(
    starts, edges, rows, class_nodes, numbers, parents, is_root, first, last, heads, sources, fill
):
    """References that are no tree edges, turned round: only they can lift a dominator above the tree parent.

    Args:
        starts: uint32[n + 1], edges: int32[], rows: int32[n], class_nodes: int32[c], numbers: int32[n],
            parents: int32[m + 1]: see `depth_first`.
        is_root: uint8[m + 1]: GC roots, whose dominator is the virtual root whoever refers to them.
        first, last: numbers whose predecessors are wanted; two threads can share the work by halves of them.
        heads: uint32[m + 2], in and out. Counting: heads[w + 1] += predecessors of w. Filling: heads[w] is where
            the next predecessor of w goes.
        sources: int32[], out when `fill`.
        fill: count, or write.

    O(references).
    """
    for node in range(numbers.size):
        number = numbers[node]
        if number == 0:
            continue
        child = class_nodes[rows[node]]
        if child >= 0:
            target = numbers[child]
            if target >= first and target < last and is_root[target] == 0 and parents[target] != number:
                if fill:
                    sources[heads[target]] = number
                    heads[target] += np.uint32(1)
                else:
                    heads[target + 1] += np.uint32(1)
        for at in range(starts[node], starts[node + 1]):
            target = numbers[edges[at]]
            if target >= first and target < last and is_root[target] == 0:
                if parents[target] != number and target != number:
                    if fill:
                        sources[heads[target]] = number
                        heads[target] += np.uint32(1)
                    else:
                        heads[target + 1] += np.uint32(1)


@njit(cache=True, nogil=True)
def immediate_dominators(parents, is_root, heads, sources, semi, label, ancestor, dominator):
    """Immediate dominators.

    Args:
        parents: int32[m + 1]; is_root: uint8[m + 1], what the virtual root refers to.
        heads: uint32[m + 2], sources: int32[]: predecessors without tree edges.
        semi, label, ancestor: int32[m + 1], scratch.
        dominator: int32[m + 1], out; dominator[0] = 0. Also the stack of the path compression.

    O(references times log), nearly linear in practice.
    """
    count = parents.size - 1
    for v in range(count + 1):
        label[v] = v
        ancestor[v] = parents[v]
    for w in range(count, 0, -1):
        best = parents[w]
        if is_root[w] == 1:
            best = 0
        for at in range(heads[w], heads[w + 1]):
            v = sources[at]
            if v < w:
                if v < best:
                    best = v
                continue
            # v is linked: the least semi-dominator on the path up to the last linked ancestor.
            depth = 0
            x = v
            while ancestor[x] > w:
                dominator[depth] = x
                depth += 1
                x = ancestor[x]
            while depth > 0:
                depth -= 1
                y = dominator[depth]
                if label[x] < label[y]:
                    label[y] = label[x]
                ancestor[y] = ancestor[x]
                x = y
            if label[v] < best:
                best = label[v]
        semi[w] = best
        label[w] = best
    dominator[0] = 0
    for w in range(1, count + 1):
        d = parents[w]
        s = semi[w]
        while d > s:
            d = dominator[d]
        dominator[w] = d


@njit(cache=True, nogil=True)
def retained(dominator, retained_bytes, dominated):
    """Sums up the dominator tree.

    Args:
        dominator: int32[m + 1].
        retained_bytes: int64[m + 1], in: shallow sizes; out: retained sizes.
        dominated: int32[m + 1], out: objects in each subtree, itself included.

    O(m).
    """
    count = dominator.size - 1
    for v in range(count + 1):
        dominated[v] = 1
    for v in range(count, 0, -1):
        retained_bytes[dominator[v]] += retained_bytes[v]
        dominated[dominator[v]] += dominated[v]


@njit(cache=True, nogil=True)
def tree_positions(dominator, dominated, positions, following, at):
    """Preorder of the dominator tree: a subtree is a run, its children are found by hopping over runs.

    Args:
        dominator: int32[m + 1], dominated: int32[m + 1].
        positions: int32[m + 1], out: position of each number.
        following: int32[m + 1], scratch.
        at: int32[m + 1], out: number at each position.

    O(m).
    """
    positions[0] = 0
    following[0] = 1
    at[0] = 0
    for v in range(1, dominator.size):
        d = dominator[v]
        place = following[d]
        following[d] = place + dominated[v]
        positions[v] = place
        following[v] = place + 1
        at[place] = v


@njit(cache=True, nogil=True)
def retained_by_group(at, dominated, retained_bytes, groups, sums):
    """Per group, the retained bytes of its objects that no other object of the group dominates.

    Args:
        at: int32[m + 1], dominated: int32[m + 1], retained_bytes: int64[m + 1].
        groups: int32[m + 1], group of each number (class name).
        sums: int64[g], zeros; out.

    O(m).
    """
    until = np.zeros(sums.size, np.int64)
    for place in range(1, at.size):
        v = at[place]
        group = groups[v]
        if place >= until[group]:
            sums[group] += retained_bytes[v]
            until[group] = place + dominated[v]
