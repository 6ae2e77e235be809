"""Sums by class, and the heavy children of a dominator."""

from __future__ import annotations

from mqdiag.kernel import kernel


@kernel
def sum_by_row(rows, units, counts, sums):
    """Objects and shallow units of each class, over all objects.

    Args:
        rows: uint16[n] or int32[n]; units: uint32[n].
        counts, sums: int64[c], zeros; out.

    O(n).
    """
    for node in range(rows.size):
        row = rows[node]
        counts[row] += 1
        sums[row] += units[node]


@kernel
def sum_inside(nodes, rows, units, counts, sums):
    """The same over some objects: nodes int32[k]. O(k)."""
    for k in range(nodes.size):
        row = rows[nodes[k]]
        counts[row] += 1
        sums[row] += units[nodes[k]]


@kernel
def find_ascending(rows, chosen, found):
    """Objects whose class is chosen.

    Args:
        rows: uint16[n] or int32[n]; chosen: uint8[c].
        found: int32[], out.

    Returns:
        how many. O(n).
    """
    count = 0
    for node in range(rows.size):
        if chosen[rows[node]] == 1:
            found[count] = node
            count += 1
    return count


@kernel
def heavy_children(dominated, prefix, place, least, found):
    """Children of a place in the dominator tree.

    Args:
        dominated: int32[m + 1], prefix: uint32[m + 2] or uint64[m + 2], by place.
        place: int64.
        least: int64, units from which a child is heavy.
        found: int32[k], out: the first k heavy children.

    Returns:
        (heaviest child or -1, heavy children). O(children).
    """
    heaviest = -1
    most = -1
    count = 0
    at = place + 1
    end = place + dominated[place]
    while at < end:
        after = at + dominated[at]
        weight = int(prefix[after]) - int(prefix[at])
        if weight > most:
            most = weight
            heaviest = at
        if weight >= least:
            if count < found.size:
                found[count] = at
            count += 1
        at = after
    return heaviest, count


@kernel
def sum_children(dominated, prefix, order, rows, place, counts, sums):
    """Children of a place in the dominator tree and what they retain, by their class.

    Args:
        dominated: int32[m + 1], prefix: uint32[m + 2] or uint64[m + 2], order: int32[m + 1], by place.
        rows: uint16[n] or int32[n].
        place: int64.
        counts, sums: int64[c], zeros; out: children and units retained.

    O(children).
    """
    at = place + 1
    end = place + dominated[place]
    while at < end:
        after = at + dominated[at]
        row = rows[order[at]]
        counts[row] += 1
        sums[row] += int(prefix[after]) - int(prefix[at])
        at = after
