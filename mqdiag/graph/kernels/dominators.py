"""Dominators by semi-NCA (Georgiadis, Tarjan, Werneck, "Finding Dominators in Practice", 2006), and what follows.

Arrays go by depth-first number first and by place, the preorder of the dominator tree, in the end; 0 is the virtual
root in both.
"""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel

STEPS_WITHOUT_LEAPS = 8
"""for each object, while its dominator is searched; real heaps need less than one"""


@kernel
def predecessors(starts, edges, rows, class_nodes, numbers, parents, first, last, heads, sources):
    """References that are no tree edges, turned round: only they can lift a dominator above the tree parent.

    Args:
        starts: uint32[n + 1], edges: int32[], rows: uint16[n] or int32[n], class_nodes: int32[c], numbers: int32[n],
            parents: int32[m + 1]: see `depth_first`, which has counted them.
        first, last: numbers whose predecessors are wanted; two threads can share the work by halves of them.
        heads: uint32[m + 2], in: where the predecessors of each number begin; out: where they end.
        sources: int32[], out.

    O(references).
    """
    for node in range(numbers.size):
        number = numbers[node]
        if number == 0:
            continue
        child = class_nodes[rows[node]]
        if child >= 0:
            target = numbers[child]
            if target >= first and target < last and parents[target] >= 0:
                if parents[target] != number and target != number:
                    sources[heads[target]] = number
                    heads[target] += np.uint32(1)
        for at in range(starts[node], starts[node + 1]):
            target = numbers[edges[at]]
            if target >= first and target < last and parents[target] >= 0:
                if parents[target] != number and target != number:
                    sources[heads[target]] = number
                    heads[target] += np.uint32(1)


@kernel
def immediate_dominators(parents, heads, sources, label, steps, stack):
    """Immediate dominators.

    Args:
        parents: int32[m + 1], in: see `depth_first`; of use to nobody afterwards, because the compressed paths of
            linked numbers, and then leaps over dominators, take the place of parents.
        heads: uint32[m + 2], in: where the predecessors of each number end; out: the immediate dominator of each
            number, heads[0] = 0. An entry is read for the last time just before its semi-dominator takes its place.
        sources: int32[], the predecessors without tree edges.
        label: int32[m + 1], scratch.
        steps: uint64[], the depth-first tree, see `depth_first`.
        stack: int32[m + 1], scratch; as much of it is touched as the longest path needs.

    O(references times log), nearly linear in practice: where dominators are searched step by step for too long, as in
    a graph that is made for it, leaps over dominators make the search logarithmic (Myers, "An Applicative
    Random-Access Stack", 1983).
    """
    count = parents.size - 1
    for w in range(count, 0, -1):
        best = max(parents[w], 0)
        for at in range(heads[w - 1], heads[w]):
            if best == 0:
                break  # nothing is above the virtual root
            v = sources[at]
            if v < w:
                if v < best:
                    best = v
                continue
            # v is linked: the least semi-dominator on the path up to the last linked ancestor.
            depth = 0
            x = v
            while parents[x] > w:
                stack[depth] = x
                depth += 1
                x = parents[x]
            while depth > 0:
                depth -= 1
                y = stack[depth]
                if label[x] < label[y]:
                    label[y] = label[x]
                parents[y] = parents[x]
                x = y
            if label[v] < best:
                best = label[v]
        heads[w] = best
        label[w] = best
        parents[w] = max(parents[w], ~parents[w])
    heads[0] = 0
    depth = 0
    stack[0] = 0
    step = np.int64(0)
    leaps, levels = parents, label
    steps_left = STEPS_WITHOUT_LEAPS * np.int64(count)
    leaping = False
    for w in range(1, count + 1):
        while (steps[step >> 6] >> np.uint64(step & 63)) & np.uint64(1) == np.uint64(0):
            depth -= 1
            step += 1
        step += 1
        d = np.int64(stack[depth])
        depth += 1
        stack[depth] = w
        s = np.int64(heads[w])
        if s == 0:
            d = s  # nothing but the virtual root dominates it
        first = w
        if leaping:
            while d > s:
                leap = np.int64(leaps[d])
                d = leap if leap > s else np.int64(heads[d])
        else:
            while d > s:
                d = np.int64(heads[d])
                steps_left -= 1
            if steps_left < 0:
                leaping = True
                first = 1
                leaps[0] = 0
                levels[0] = 0
        heads[w] = d
        if leaping:
            for v in range(first, w + 1):
                above = np.int64(heads[v])
                leap = np.int64(leaps[above])
                further = leaps[leap]
                same = levels[above] - levels[leap] == levels[leap] - levels[further]
                leaps[v] = further if same else above
                levels[v] = levels[above] + 1


@kernel
def tree_places(dominator, dominated):
    """Preorder of the dominator tree: a subtree is a run, and its children are found by hopping over runs.

    Args:
        dominator: int32[m + 1], in: immediate dominators by depth-first number; out: the place of each number.
        dominated: int32[m + 1], out: the place behind the subtree of each number.

    O(m).
    """
    count = dominator.size - 1
    for v in range(count + 1):
        dominated[v] = 1
    for v in range(count, 0, -1):
        dominated[dominator[v]] += dominated[v]
    # Once a number has its place, its entries have the place and where the next of its children goes.
    dominator[0] = 0
    dominated[0] = 1
    for v in range(1, count + 1):
        d = dominator[v]
        place = dominated[d]
        dominated[d] = place + dominated[v]
        dominator[v] = place
        dominated[v] = place + 1


@kernel
def subtree_sizes(places, ends, dominated):
    """dominated[places[v]] = ends[v] - places[v]: objects in each subtree, by place; int32[m + 1] all. O(m)."""
    for v in range(places.size):
        dominated[places[v]] = ends[v] - places[v]


@kernel
def dominators_by_place(dominated, dominator, stack):
    """The place of each place's immediate dominator, from the sizes of subtrees.

    Args:
        dominated: int32[m + 1], by place.
        dominator: int32[m + 1], out.
        stack: int32[m + 1], scratch; as much of it is touched as the tree is deep.

    O(m).
    """
    depth = 0
    stack[0] = 0
    dominator[0] = 0
    for place in range(1, dominated.size):
        above = stack[depth]
        while place >= above + dominated[above]:
            depth -= 1
            above = stack[depth]
        dominator[place] = above
        if dominated[place] > 1:
            depth += 1
            stack[depth] = place


@kernel
def order_by_place(numbers, places, order):
    """Bring objects to their places.

    Args:
        numbers: int32[n], in: depth-first numbers; out: places; 0 stays 0.
        places: int32[m + 1], place of each number.
        order: int32[m + 1], out: the object at each place.

    O(n).
    """
    order[0] = -1
    for node in range(numbers.size):
        if numbers[node] > 0:
            place = places[numbers[node]]
            numbers[node] = place
            order[place] = node


@kernel
def sum_units(order, units, prefix):
    """Sum up shallow sizes, so that a retained size is one subtraction.

    Args:
        order: int32[m + 1], the object at each place.
        units: uint32[n].
        prefix: uint32[m + 2] or uint64[m + 2], out: units of all objects before a place.

    O(m).
    """
    prefix[0] = 0
    prefix[1] = 0
    for place in range(1, order.size):
        prefix[place + 1] = prefix[place] + units[order[place]]


@kernel
def retained_by_group(order, dominated, prefix, rows, group_of_row, sums, until):
    """Per group, the retained units of its objects that no other object of the group dominates.

    Args:
        order: int32[m + 1], dominated: int32[m + 1], prefix: uint32[m + 2] or uint64[m + 2], by place.
        rows: uint16[n] or int32[n]; group_of_row: int32[c].
        sums: int64[g], zeros; out.
        until: int64[g], zeros; room.

    O(m).
    """
    for place in range(1, order.size):
        group = group_of_row[rows[order[place]]]
        if place >= until[group]:
            end = place + dominated[place]
            sums[group] += np.int64(prefix[end]) - np.int64(prefix[place])
            until[group] = end
