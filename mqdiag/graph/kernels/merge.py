"""Shortest ways from the roots, merged by class and field."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import identifier

NONE, SHUT = -1, -2
ELEMENT, LOCAL, CLASS, HEAD = -1, -2, -3, -4
MAX_REPEATS = 3


@kernel
def _kind(node, rows, class_row, class_count, mirrors, mirror_rows):
    """Class row of an object; for a class object the row of its class, behind all the others."""
    row = np.int64(rows[node])
    if row == class_row and mirrors.size > 0:
        place = np.searchsorted(mirrors, node)
        if place < mirrors.size and mirrors[place] == node:
            return class_count + np.int64(mirror_rows[place])
    return row


@kernel
def _edge(
    holder, held, kind, data, id_size, ids, offsets, rows, layout_starts, layout_places,
    static_starts, static_types, static_values, class_nodes, class_count,
):  # fmt: skip
    """How a holder refers to an object: number of the reference field or of the static, or one of the codes."""
    wanted = ids[held]
    at = offsets[holder]
    tag = data[at]
    if tag == 0x21:
        row = rows[holder]
        body = at + 9 + 2 * id_size
        length = np.int64(0)
        for byte in range(4):
            length = (length << 8) | np.int64(data[body - 4 + byte])
        for p in range(layout_starts[row], layout_starts[row + 1]):
            place = layout_places[p]
            if place + id_size > length:
                break
            if identifier(data, body + place, id_size) == wanted:
                return np.int64(p - layout_starts[row])
        if class_nodes[row] != held:
            return np.int64(LOCAL)
        return np.int64(CLASS)
    if tag == 0x22:
        # Its class is what it is held by when it is a class object and no element.
        return np.int64(CLASS) if class_nodes[rows[holder]] == held else np.int64(ELEMENT)
    if tag == 0x20:
        row = kind - class_count
        if row >= 0:
            for s in range(static_starts[row], static_starts[row + 1]):
                if static_types[s] == 2 and identifier(data, static_values[s], id_size) == wanted:
                    return np.int64(s - static_starts[row])
        for part in range(4):
            if identifier(data, at + 5 + id_size + part * id_size, id_size) == wanted:
                return np.int64(HEAD - part)
    return np.int64(CLASS)


@kernel
def _look_up(group, code, kind, table, entry_keys, entry_groups):
    """(slot of the table, group); -1 for the group where there is none yet."""
    mixed = (
        np.uint64(group + 2) * np.uint64(0x9E3779B97F4A7C15)
        + np.uint64(code + 16) * np.uint64(0xC2B2AE3D27D4EB4F)
        + np.uint64(kind) * np.uint64(0x165667B19E3779F9)
    )
    mixed ^= mixed >> np.uint64(29)
    slot = np.int64(mixed & np.uint64(table.size - 1))
    while table[slot] >= 0:
        entry = table[slot]
        if entry_keys[entry, 0] == group and entry_keys[entry, 1] == code and entry_keys[entry, 2] == kind:
            return slot, np.int64(entry_groups[entry])
        slot = (slot + 1) & (table.size - 1)
    return slot, np.int64(-1)


@kernel
def _step(group, code, kind, node, most, table, entry_keys, entry_groups, groups, examples, used):
    """Group of an object that is held by one of `group`; -3 when there are `most` entries already.

    Links of the same class stay in one group, and a step that has come MAX_REPEATS times leads back to where it was,
    so that lists and trees of any depth give few groups.
    """
    if group >= 0 and groups[group, 2] == kind:
        return group
    slot, found = _look_up(group, code, kind, table, entry_keys, entry_groups)
    if found >= 0:
        return found
    if used[0] >= most:
        if most == entry_groups.size:
            return np.int64(-3)
        if group >= 0:
            return group
    nearest = np.int64(-1)
    repeats = 0
    above = np.int64(group)
    while above >= 0:
        beyond = groups[above, 0]
        if (
            beyond >= 0
            and groups[above, 1] == code
            and groups[above, 2] == kind
            and groups[beyond, 2] == groups[group, 2]
        ):
            repeats += 1
            if nearest < 0:
                nearest = above
        above = np.int64(beyond)
    if repeats >= MAX_REPEATS:
        found = nearest
    else:
        found = np.int64(used[1])
        used[1] += 1
        groups[found, 0] = group
        groups[found, 1] = code
        groups[found, 2] = kind
        examples[found] = node
    entry = used[0]
    used[0] += 1
    table[slot] = entry
    entry_keys[entry, 0] = group
    entry_keys[entry, 1] = code
    entry_keys[entry, 2] = kind
    entry_groups[entry] = found
    return found


@kernel
def merge_paths(
    data, id_size, ids, offsets, rows, layout_starts, layout_places,
    class_row, class_nodes, mirrors, mirror_rows, static_starts, static_types, static_values,
    roots, root_types, came_from, sources, targets, shallow, retained,
    most, group_of, stack, table, entry_keys, entry_groups, groups, examples, objects, sums, used,
):  # fmt: skip
    """Sort objects by the classes and fields on their shortest way from a root.

    Args:
        data: uint8, the file. id_size: 4 or 8.
        ids: uint64[n], offsets: int64[n], rows: uint16[n] or int32[n]: the object index.
        layout_starts: int64[c + 1], layout_places: int32[]: see `reference_layout`.
        class_row: row of java.lang.Class. class_nodes: int32[c], the class object that an instance keeps alive.
        mirrors: int32[m], ascending: class objects; mirror_rows: int32[m], the classes they stand for.
        static_starts: int64[c + 1], static_types: uint8[], static_values: int64[]: see `class_tables`.
        roots: int32[r], ascending; root_types: uint8[r].
        came_from: int32[n], see `breadth_first`.
        sources: int32[k], holders of `targets` int32[k]; -2 where the target is a root.
        shallow, retained: int64[k], what the targets weigh.
        most: entries allowed: e, then a full table ends the work; less, then what is not in it stays where its
            holder is, and the rest is room for roots.
        group_of: int32[n], in and out: NONE; SHUT for objects that no way may lead through.
        stack: int32[n], scratch.
        table: int32[t], all -1, a power of two above 1.5 e; entry_keys: int32[e, 3], entry_groups: int32[e], scratch.
        groups: int32[e, 3], out: group above (-1 for a root), code of the edge (a root's type), kind.
        examples: int32[e], out: first object of each group.
        objects: int64[e], zeros, out: objects on ways through the group.
        sums: int64[e, 4], zeros, out: targets in the group; targets, shallow and retained in it and below.
        used: int64[3], zeros, out: entries, groups, targets left out because of SHUT.

    Returns:
        False when there was no room for all groups. O(objects on the ways times their fields).
    """
    class_count = class_nodes.size
    for pair in range(targets.size):
        source = np.int64(sources[pair])
        target = np.int64(targets[pair])
        group = np.int64(-1)
        at = np.int64(-1)
        if source >= 0:
            depth = 0
            at = source
            while group_of[at] == NONE and came_from[at] >= 0:
                stack[depth] = at
                depth += 1
                at = np.int64(came_from[at])
            if group_of[at] == NONE:
                kind = _kind(at, rows, class_row, class_count, mirrors, mirror_rows)
                code = np.int64(root_types[np.searchsorted(roots, at)])
                group = _step(-1, code, kind, at, most, table, entry_keys, entry_groups, groups, examples, used)
                if group == -3:
                    return False
                group_of[at] = group
                objects[group] += 1
            group = np.int64(group_of[at])
            while depth > 0:
                depth -= 1
                held = np.int64(stack[depth])
                if group >= 0:
                    code = _edge(
                        at, held, np.int64(groups[group, 2]), data, id_size, ids, offsets, rows, layout_starts,
                        layout_places, static_starts, static_types, static_values, class_nodes, class_count,
                    )  # fmt: skip
                    kind = _kind(held, rows, class_row, class_count, mirrors, mirror_rows)
                    group = _step(
                        group, code, kind, held, most, table, entry_keys, entry_groups, groups, examples, used
                    )
                    if group == -3:
                        return False
                    objects[group] += 1
                group_of[held] = group
                at = held
            if group == SHUT:
                used[2] += 1
                continue
            code = _edge(
                source, target, np.int64(groups[group, 2]), data, id_size, ids, offsets, rows, layout_starts,
                layout_places, static_starts, static_types, static_values, class_nodes, class_count,
            )  # fmt: skip
        else:
            code = np.int64(root_types[np.searchsorted(roots, target)])
        kind = _kind(target, rows, class_row, class_count, mirrors, mirror_rows)
        group = _step(group, code, kind, target, most, table, entry_keys, entry_groups, groups, examples, used)
        if group == -3:
            return False
        sums[group, 0] += 1
        sums[group, 1] += 1
        sums[group, 2] += shallow[pair]
        sums[group, 3] += retained[pair]
    for group in range(used[1] - 1, -1, -1):
        above = groups[group, 0]
        if above >= 0:
            for column in range(1, 4):
                sums[above, column] += sums[group, column]
    return True
