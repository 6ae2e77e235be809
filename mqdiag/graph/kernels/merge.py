"""Shortest paths from the roots, merged by class and field."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import identifier

NONE, SHUT = -1, -2
ELEMENT, LOCAL, CLASS, HEAD = -1, -2, -3, -4
MAX_REPEATS = 3
UNKNOWN_ROOT = 0xFF
"""as hprof has it"""


class Objects(NamedTuple):
    """The objects of a dump and where they are, n of them."""

    data: NDArray[np.uint8]
    """the file"""
    id_size: int
    """4 or 8"""
    offsets: NDArray[np.uint32] | NDArray[np.int64]
    """[n] place of the object's record in the file; only those on the paths are used"""
    rows: NDArray[np.uint16] | NDArray[np.int32]
    """[n] row of the object's class"""


class Classes(NamedTuple):
    """The classes of a dump, c of them, and the objects that represent m of them."""

    layout_starts: NDArray[np.int64]
    """[c + 1], see `reference_layout`"""
    layout_places: NDArray[np.int32]
    """see `reference_layout`"""
    static_starts: NDArray[np.int64]
    """[c + 1], see `class_tables`"""
    static_types: NDArray[np.uint8]
    """see `class_tables`"""
    static_values: NDArray[np.int64]
    """see `class_tables`"""
    kept_alive: NDArray[np.int32]
    """[c] the class object that an instance of the class keeps alive"""
    class_row: int
    """row of java.lang.Class"""
    class_objects: NDArray[np.int32]
    """[m] nodes of class objects, ascending"""
    represented: NDArray[np.int32]
    """[m] row of the class that each class object represents"""


class ShortestPaths(NamedTuple):
    """The nearest root of each object, by steps; r roots."""

    roots: NDArray[np.int32]
    """[r] ascending"""
    root_types: NDArray[np.uint8]
    """[r]"""
    came_from: NDArray[np.int32]
    """[n], see `breadth_first`"""
    edges: NDArray[np.int32]
    """[n] how the holder of each object refers to it, by `edge_codes`; only those on the paths are used"""


class Targets(NamedTuple):
    """The k objects to which the paths lead, each as often as it has holders."""

    holders: NDArray[np.int32]
    """[k] the object before the target on its path; -2 where the target is a root"""
    nodes: NDArray[np.int32]
    """[k] the targets"""
    edges: NDArray[np.int32]
    """[k] how the holder refers to the target, by `edge_codes`"""
    shallow: NDArray[np.int64]
    """[k] bytes"""
    retained: NDArray[np.int64]
    """[k] bytes"""


class Groups(NamedTuple):
    """The result, and the memory that the work needs; e entries."""

    most: int
    """Entries that may be used. When it is e, a full table ends the work. When it is less, an object without an
    entry stays in the group of its holder, and only roots take the other entries."""
    group_of: NDArray[np.int32]
    """[n] in and out: NONE, or SHUT for an object through which no path may lead"""
    stack: NDArray[np.int32]
    """[n] scratch"""
    table: NDArray[np.int32]
    """a power of two above 1.5 e, all -1"""
    entry_keys: NDArray[np.int32]
    """[e, 3] scratch"""
    entry_groups: NDArray[np.int32]
    """[e] scratch"""
    groups: NDArray[np.int32]
    """[e, 3] out: group above (-1 for a root), code of the edge (for a root its type), kind"""
    examples: NDArray[np.int32]
    """[e] out: first object of each group"""
    objects: NDArray[np.int64]
    """[e] zeros, out: objects on paths through the group"""
    sums: NDArray[np.int64]
    """[e, 4] zeros, out: targets in the group; targets, shallow bytes and retained bytes in it and below"""
    used: NDArray[np.int64]
    """[3] zeros, out: entries, groups, targets left out because of SHUT"""


@kernel
def _kind(node, rows, classes):
    """Class row of an object; for a class object, the row of the class it represents plus the number of classes."""
    row = np.int64(rows[node])
    if row == classes.class_row and classes.class_objects.size > 0:
        place = np.searchsorted(classes.class_objects, node)
        if place < classes.class_objects.size and classes.class_objects[place] == node:
            return classes.kept_alive.size + np.int64(classes.represented[place])
    return row


@kernel
def _edge(holder, held, objects, classes):
    """How a holder refers to an object: number of the reference field or of the static, or one of the codes."""
    data, id_size = objects.data, objects.id_size
    at = np.int64(objects.offsets[holder])
    tag = data[at]
    if tag == 0x22:
        # An array keeps its class object alive as well as its elements.
        return np.int64(CLASS) if classes.kept_alive[objects.rows[holder]] == held else np.int64(ELEMENT)
    wanted = identifier(data, np.int64(objects.offsets[held]) + 1, id_size)
    if tag == 0x21:
        row = objects.rows[holder]
        body = at + 9 + 2 * id_size
        length = np.int64(0)
        for byte in range(4):
            length = (length << 8) | np.int64(data[body - 4 + byte])
        for p in range(classes.layout_starts[row], classes.layout_starts[row + 1]):
            place = classes.layout_places[p]
            if place + id_size > length:
                break
            if identifier(data, body + place, id_size) == wanted:
                return np.int64(p - classes.layout_starts[row])
        if classes.kept_alive[row] != held:
            return np.int64(LOCAL)
        return np.int64(CLASS)
    if tag == 0x20:
        row = _kind(holder, objects.rows, classes) - classes.kept_alive.size
        if row >= 0:
            for s in range(classes.static_starts[row], classes.static_starts[row + 1]):
                is_reference = classes.static_types[s] == 2
                if is_reference and identifier(data, classes.static_values[s], id_size) == wanted:
                    return np.int64(s - classes.static_starts[row])
        for part in range(4):
            if identifier(data, at + 5 + id_size + part * id_size, id_size) == wanted:
                return np.int64(HEAD - part)
    return np.int64(CLASS)


@kernel
def edge_codes(objects, classes, holders, held, codes):
    """How objects refer to others.

    Args:
        objects: `Objects`.
        classes: `Classes`.
        holders: int32[k], below 0 where a root holds the object.
        held: int32[k].
        codes: int32[k], out: number of the reference field or of the static, or one of the codes; 0 for roots.

    O(k times their fields).
    """
    for pair in range(held.size):
        codes[pair] = 0
        if holders[pair] >= 0:
            codes[pair] = _edge(np.int64(holders[pair]), np.int64(held[pair]), objects, classes)


@kernel
def _look_up(group, code, kind, found):
    """(slot of the table, group); -1 for the group where there is none yet."""
    table, entry_keys = found.table, found.entry_keys
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
            return slot, np.int64(found.entry_groups[entry])
        slot = (slot + 1) & (table.size - 1)
    return slot, np.int64(-1)


@kernel
def _step(group, code, kind, node, found):
    """Group of an object that is held by one of `group`; -3 when there are `most` entries already.

    Links of the same class stay in one group. A step that came MAX_REPEATS times leads back to its earlier group, so
    that lists and trees of any depth give few groups.
    """
    groups, used = found.groups, found.used
    if group >= 0 and groups[group, 2] == kind:
        return group
    slot, known = _look_up(group, code, kind, found)
    if known >= 0:
        return known
    if used[0] >= found.most:
        if found.most == found.entry_groups.size:
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
        known = nearest
    else:
        known = np.int64(used[1])
        used[1] += 1
        groups[known, 0] = group
        groups[known, 1] = code
        groups[known, 2] = kind
        found.examples[known] = node
    entry = used[0]
    used[0] += 1
    found.table[slot] = entry
    found.entry_keys[entry, 0] = group
    found.entry_keys[entry, 1] = code
    found.entry_keys[entry, 2] = kind
    found.entry_groups[entry] = known
    return known


@kernel
def holders_on_paths(came_from, holders, seen, found):
    """Holders of some targets and all objects on the shortest paths to these holders, each once.

    Args:
        came_from: int32[n], see `breadth_first`.
        holders: int32[k], see `Targets`.
        seen: uint8[n], zeros; scratch.
        found: int32[n], out.

    Returns:
        how many there are. O(objects on the paths).
    """
    count = 0
    for pair in range(holders.size):
        at = np.int64(holders[pair])
        while at >= 0 and seen[at] == 0:
            seen[at] = 1
            found[count] = at
            count += 1
            at = np.int64(came_from[at])
    return count


@kernel
def _root_code(paths, node):
    """Type of a root; UNKNOWN_ROOT for an object that is none, to which a kept tree may lead that was changed."""
    place = np.searchsorted(paths.roots, node)
    if place < paths.roots.size and paths.roots[place] == node:
        return np.int64(paths.root_types[place])
    return np.int64(UNKNOWN_ROOT)


@kernel
def merge_paths(rows, classes, paths, targets, found):
    """Sort objects by the classes and fields on their shortest path from a root.

    Args:
        rows: uint16[n] or int32[n], see `Objects`.
        classes: `Classes`.
        paths: `ShortestPaths`.
        targets: `Targets`.
        found: `Groups`, out.

    Returns:
        False when there were too few entries for all groups. O(objects on the paths).
    """
    for pair in range(targets.nodes.size):
        holder = np.int64(targets.holders[pair])
        target = np.int64(targets.nodes[pair])
        group = np.int64(-1)
        at = np.int64(-1)
        if holder >= 0:
            depth = 0
            at = holder
            while found.group_of[at] == NONE and paths.came_from[at] >= 0:
                found.stack[depth] = at
                depth += 1
                at = np.int64(paths.came_from[at])
            if found.group_of[at] == NONE:
                code = _root_code(paths, at)
                group = _step(np.int64(-1), code, _kind(at, rows, classes), at, found)
                if group == -3:
                    return False
                found.group_of[at] = group
                found.objects[group] += 1
            group = np.int64(found.group_of[at])
            while depth > 0:
                depth -= 1
                held = np.int64(found.stack[depth])
                if group >= 0:
                    code = np.int64(paths.edges[held])
                    group = _step(group, code, _kind(held, rows, classes), held, found)
                    if group == -3:
                        return False
                    found.objects[group] += 1
                found.group_of[held] = group
            if group == SHUT:
                found.used[2] += 1
                continue
            code = np.int64(targets.edges[pair])
        else:
            code = _root_code(paths, target)
        group = _step(group, code, _kind(target, rows, classes), target, found)
        if group == -3:
            return False
        found.sums[group, 0] += 1
        found.sums[group, 1] += 1
        found.sums[group, 2] += targets.shallow[pair]
        found.sums[group, 3] += targets.retained[pair]
    for group in range(found.used[1] - 1, -1, -1):
        above = found.groups[group, 0]
        if above >= 0:
            for column in range(1, 4):
                found.sums[above, column] += found.sums[group, column]
    return True
