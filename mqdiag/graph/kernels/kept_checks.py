"""Checks of arrays that were read from a disk: none of their numbers may lead a kernel out of an array or the file."""

from __future__ import annotations

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.step import class_dump_end, next_place


@kernel
def places_fit(data, id_size, offsets):
    """Whether an object or a class dump begins at each place and ends within the file.

    Args:
        data: uint8[], the file.
        id_size: 4 or 8.
        offsets: uint32[n] or int64[n].

    O(n).
    """
    size = data.size
    for i in range(offsets.size):
        at = offsets[i]
        if at < 0 or at >= size:
            return False
        tag = data[at]
        if tag < 0x20 or tag > 0x23:
            return False
        if next_place(data, at, size, id_size) < 0:
            return False
    return True


@kernel
def class_ends(data, id_size, offsets, ends):
    """Where class dumps end.

    Args:
        data: uint8[], the file.
        id_size: 4 or 8.
        offsets: int64[c], where they begin.
        ends: int64[c], out.

    Returns:
        False where there is no class dump that ends within the file. O(c).
    """
    for i in range(offsets.size):
        at = offsets[i]
        if at < 0 or at >= data.size or data[at] != 0x20:
            return False
        end = class_dump_end(data, at + 1, data.size, id_size)
        if end < 0:
            return False
        ends[i] = end
    return True


@kernel
def rows_fit(rows, left):
    """Whether each class has at most so many objects.

    Args:
        rows: uint16[n] or int32[n], classes of objects.
        left: int64[c], in: how many each class may have; out: how many more.

    O(n).
    """
    for i in range(rows.size):
        row = rows[i]
        if row < 0 or row >= left.size:
            return False
        left[row] -= 1
        if left[row] < 0:
            return False
    return True


@kernel
def tree_fits(order, dominator, dominated, objects):
    """Whether places, dominators and sizes of subtrees are those of a tree in preorder.

    Args:
        order, dominator, dominated: int32[m + 1], see `Dominance`.
        objects: int64, positions below it are objects.

    O(m).
    """
    count = order.size
    if count == 0 or order[0] != -1 or dominator[0] != 0 or dominated[0] != count:
        return False
    for place in range(1, count):
        if order[place] < 0 or order[place] >= objects:
            return False
        if dominator[place] < 0 or dominator[place] >= place:
            return False
        if dominated[place] < 1 or dominated[place] > count - place:
            return False
    return True


@kernel
def ways_fit(queue, came_from, seen):
    """Whether each way leads back to a root.

    Args:
        queue: int32[k], objects in the order in which they were found.
        came_from: int32[n], the holder of each; -2 for a root, -1 for what was not found.
        seen: uint8[n], zeros; room.

    O(n).
    """
    for at in range(queue.size):
        node = queue[at]
        if node < 0 or node >= came_from.size or seen[node] == 1:
            return False
        holder = came_from[node]
        if holder >= 0:
            if holder >= came_from.size or seen[holder] == 0:
                return False
        elif holder != -2:
            return False
        seen[node] = 1
    for node in range(came_from.size):
        if came_from[node] != -1 and seen[node] == 0:
            return False
    return True
