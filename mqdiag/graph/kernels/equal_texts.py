"""Hashes of strings where they stand in the file, and groups of equal hashes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.kernels.keyed_hash import mixed
from mqdiag.graph.kernels.sampling import drawn
from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.values import little_u8, u4


@kernel(inline=True)
def _over(data, begin, end, value, factor):
    at = begin
    while at + 8 <= end:
        value = mixed(value, little_u8(data, at), factor)
        at += 8
    if at < end:
        rest = np.uint64(0)
        for place in range(at, end):
            rest = (rest << np.uint64(8)) | np.uint64(data[np.uint64(place)])
        value = mixed(value, rest, factor)
    return value


class StringFields(NamedTuple):
    """Byte places of the fields of java.lang.String, -1 for a field that its version has not."""

    coder: int
    offset: int
    count: int


class HashedTexts(NamedTuple):
    """The result for k strings of one class."""

    chosen: NDArray[np.int32]
    """[k] the strings that were hashed"""
    hashes: NDArray[np.uint64]
    """[k]"""
    weights: NDArray[np.uint32]
    """[k] units of string and array; of the string alone where another string has the same array"""
    draws: NDArray[np.uint32]
    """[k] a number by which texts are drawn: of equal texts the same, and the same in every process"""


class TextFilter(NamedTuple):
    """Which texts are hashed."""

    mask: int
    """those whose draw has none of these bits; 0 for all"""
    long: int
    """those that take more units than this, with their arrays"""
    slots: NDArray[np.int16]
    """[65536] those for whose draw's upper half it is not negative"""


@kernel(inline=True)
def _draw(data, begin, end, tag):
    """A number of a text's two ends and length. Nobody gains by texts that are drawn together, so it is a quick one."""
    odd = np.uint64(0xD6E8FEB86659FD93)
    value = np.uint64(end - begin) * np.uint64(4) + np.uint64(tag)
    if end - begin >= 8:
        value = (value * odd) ^ little_u8(data, begin)
        value *= odd
        value ^= value >> np.uint64(32)
        value ^= little_u8(data, end - 8)
    else:
        for place in range(begin, end):
            value = (value << np.uint64(8)) ^ np.uint64(data[np.uint64(place)])
    value *= odd
    value ^= value >> np.uint64(32)
    return (value * odd) >> np.uint64(32)


@kernel
def hash_texts(graph, nodes, fields, sample, most, start, factor, kept, met, sums, out):
    """Hash the characters of reachable strings that refer to their array and to nothing else.

    Args:
        graph: `GraphArrays`.
        nodes: int32[k], strings of one class.
        fields: `StringFields`.
        sample: one string in 2 ** sample is taken, chosen by a hash of its place.
        most: bytes that are read of one text at most: half from its start, half from its end.
        start, factor: uint64, secrets of the process, the factor odd.
        kept: `TextFilter`.
        met: uint8[n // 8 + 1], in and out: a bit for each array that a string had before.
        sums: int64[2], in and out: strings that were read, their units.
        out: `HashedTexts`, out.

    Returns:
        how many were hashed. O(k + bytes read).
    """
    data, id_size, offsets = graph.data, graph.id_size, graph.offsets
    starts, edges, numbers, units = graph.starts, graph.edges, graph.numbers, graph.units
    coder, first, count = fields.coder, fields.offset, fields.count
    size = data.size
    mask = np.uint64(kept.mask)
    skip = (np.uint64(1) << np.uint64(sample)) - np.uint64(1)
    found = 0
    for k in range(nodes.size):
        node = nodes[k]
        if drawn(node) & skip != np.uint64(0):
            continue
        if numbers[node] == 0 or starts[node] == starts[node + 1]:
            continue
        array = edges[starts[node]]
        begin = offsets[array] + 10 + id_size
        if begin > size or data[np.uint64(offsets[array])] != 0x23:
            continue
        kind = data[np.uint64(begin - 1)]
        length = u4(data, begin - 5)
        own = offsets[node] + 9 + 2 * id_size
        whole = True
        if kind == 5:
            width = 2
            tag = 0
        elif kind == 8:
            width = 1
            tag = 1
            if coder >= 0 and own + coder < size and data[np.uint64(own + coder)] == 1:
                tag = 2
        else:
            continue
        if first >= 0 and count >= 0 and own + max(first, count) + 4 <= size:
            at = u4(data, own + first)
            characters = u4(data, own + count)
            if at + characters > length:
                continue
            whole = characters == length
            begin += width * at
            length = characters
        end = begin + width * length
        if end > size:
            continue
        weight = units[node]
        # Of an array that several strings have, only one copy is there; a part of one frees nothing.
        bit = np.uint8(1 << (array & 7))
        if met[array >> 3] & bit == 0 and whole:
            met[array >> 3] |= bit
            weight += units[array]
        sums[0] += 1
        sums[1] += np.int64(weight)
        draw = _draw(data, begin, end, tag)
        if draw & mask != np.uint64(0) and weight <= kept.long and kept.slots[draw >> np.uint64(16)] < 0:
            continue
        value = mixed(start, np.uint64(end - begin) * np.uint64(4) + np.uint64(tag), factor)
        if end - begin <= most:
            value = _over(data, begin, end, value, factor)
        else:
            value = _over(data, begin, begin + most // 2, value, factor)
            value = _over(data, end - most // 2, end, value, factor)
        out.chosen[found] = node
        out.hashes[found] = value
        out.weights[found] = weight
        out.draws[found] = draw
        found += 1
    return found


@kernel
def group_hashes(hashes, bits, heads, keys, order, table, groups, examples):
    """Number the hashes that occur more than once.

    The entries are dealt by their highest bits into parts that the processor's cache holds; each part has a table of
    its own.

    Args:
        hashes: uint64[k].
        bits: the entries are dealt into 2 ** bits parts; heads: int64[2 ** bits + 1], zeros, scratch.
        keys: uint64[k], order: int32[k], scratch; table: int32[], scratch, a power of two above 2 * k.
        groups: int32[k], out: the group of each entry, -1 where no other entry has its hash.
        examples: int32[k // 2], out: the first entry of each group.

    Returns:
        how many groups. O(k).
    """
    shift = np.uint64(64 - bits)
    for k in range(hashes.size):
        heads[np.int64(hashes[k] >> shift) + 1] += 1
    for part in range(heads.size - 1):
        heads[part + 1] += heads[part]
    for k in range(hashes.size):
        part = np.int64(hashes[k] >> shift)
        at = heads[part]
        heads[part] = at + 1
        keys[at] = hashes[k]
        order[at] = k
    count = 0
    begin = 0
    for part in range(heads.size - 1):
        # Dealing has moved each head to the end of its part.
        end = heads[part]
        room = 4
        while room < 2 * (end - begin):
            room *= 2
        for place in range(room):
            table[place] = -1
        mask = np.uint64(room - 1)
        for at in range(begin, end):
            slot = keys[at] & mask
            while table[slot] >= 0 and keys[table[slot]] != keys[at]:
                slot = (slot + np.uint64(1)) & mask
            if table[slot] < 0:
                table[slot] = at
                groups[order[at]] = -1
                continue
            before = order[table[slot]]
            if groups[before] < 0:
                groups[before] = count
                examples[count] = before
                count += 1
            groups[order[at]] = groups[before]
        begin = end
    return count


@kernel
def sum_repeats(groups, weights, counts, wasted, largest):
    """Entries of each group, and their weights without its largest one.

    Args:
        groups: int32[k], -1 for none; weights: uint32[k].
        counts, wasted: int64[g], zeros, out; largest: int64[g], zeros, scratch.

    O(k).
    """
    for k in range(groups.size):
        group = groups[k]
        if group >= 0:
            weight = np.int64(weights[k])
            counts[group] += 1
            wasted[group] += weight
            largest[group] = max(largest[group], weight)
    for group in range(wasted.size):
        wasted[group] -= largest[group]
