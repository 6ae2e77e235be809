"""Where hundreds of literals stand in a block of a log: two bytes a step, and a look at few of the places.

Of every second place three bytes are read. A literal of four bytes or more has three bytes at one of two places that
lie side by side in it, wherever it begins; a table of bits says of nearly all other places that no literal has their
bytes there, and a second one, for the four bytes of both places, says so of most of the rest. What is left is compared.
The caller picks the two places where a literal is rare (`mqdiag.read.logs.filter`).
Compare "A fast algorithm for multi-pattern searching", Wu and Manber, 1994, which skips by a table of shifts instead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.kernel import kernel

HASH_FACTOR = 0x9E3779B1
"""2**32 divided by the golden ratio"""
HASH_BITS = 16
"""bits of the product that pick a bit; the first `BUCKET_BITS` of them pick the literals to compare with"""
BUCKET_BITS = 12
_TO_HASH = 32 - HASH_BITS
_TO_BUCKET = 32 - BUCKET_BITS
_LINE_END = 10
_MOST_WORK = 2
"""bytes compared for each byte of a block, beyond which it is left to a search that takes the same time for any text"""


class Literals(NamedTuple):
    """What is searched for: literals, and behind them words; none of one kind hides one of the other."""

    bits: NDArray[np.uint8]
    """[2**HASH_BITS / 8] whether any literal has three bytes with this hash at one of its places"""
    bits_of_four: NDArray[np.uint8]
    """[2**HASH_BITS / 8] whether any literal has four bytes with this hash, those of both of its places"""
    buckets: NDArray[np.int32]
    """[2**BUCKET_BITS + 1] where the places with this hash begin among those of the next arrays"""
    grams: NDArray[np.uint32]
    """[places] the three bytes, the first in the lowest bits"""
    owners: NDArray[np.int32]
    """[places] whose they are"""
    offsets: NDArray[np.int32]
    """[places] how far from its beginning"""
    texts: NDArray[np.uint8]
    """[bytes] all literals, then all words"""
    text_starts: NDArray[np.int32]
    """[literals + words + 1] where each begins"""
    words_from: int
    """number of the first word"""


class Found(NamedTuple):
    """Room for what is found."""

    starts: NDArray[np.int32]
    """[room] by their ends"""
    owners: NDArray[np.int32]
    """[room] whose they are, -1 once they overlap with one that ends earlier"""
    by_owner: NDArray[np.int32]
    """[room] the result: starts by owner, then by place; of a word counted from the block's own beginning"""
    first_of_owner: NDArray[np.int32]
    """[literals + words + 2] the result: where each owner's starts begin"""


@kernel(inline=True)
def _gram(data, at):
    """Three bytes of a place. O(1)."""
    p = np.uint64(at)
    return (
        np.uint32(data[p])
        | (np.uint32(data[p + np.uint64(1)]) << np.uint32(8))
        | (np.uint32(data[p + np.uint64(2)]) << np.uint32(16))
    )


@kernel(inline=True)
def _has_bit(bits, value):
    """Whether the bit of a hash is set. O(1)."""
    hashed = np.uint32(value * np.uint32(HASH_FACTOR)) >> np.uint32(_TO_HASH)
    return (bits[hashed >> np.uint32(3)] >> np.uint8(hashed & np.uint32(7))) & np.uint8(1)


@kernel(inline=True)
def _may_be_there(data, at, start, four, literals):
    """Whether any literal has its four bytes here, or from the byte before on. O(1)."""
    if _has_bit(literals.bits_of_four, four):
        return True
    return at > start and _has_bit(
        literals.bits_of_four, (four << np.uint32(8)) | np.uint32(data[at - np.uint64(1)])
    )


@kernel
def _compare(data, start, at, gram, literals, found, count, work):
    """Keep the literals that have these bytes here, by their ends, then by their starts. (count, work) after it.

    O(places in the bucket * longest literal).
    """
    bucket = np.uint32(gram * np.uint32(HASH_FACTOR)) >> np.uint32(_TO_BUCKET)
    for place in range(literals.buckets[bucket], literals.buckets[bucket + 1]):
        work += 1
        if literals.grams[place] != gram:
            continue
        owner = literals.owners[place]
        text = np.int64(literals.text_starts[owner])
        size = literals.text_starts[owner + 1] - text
        begin = at - literals.offsets[place]
        if begin < start or begin + size > len(data):
            continue
        same = 0
        while same < size and data[begin + same] == literals.texts[text + same]:
            same += 1
        work += same
        if same < size:
            continue
        if count == len(found.starts):
            return count, np.int64(len(data)) * _MOST_WORK + 1
        to = count
        while to > 0:
            other = found.owners[to - 1]
            other_begin = found.starts[to - 1]
            other_end = other_begin + literals.text_starts[other + 1] - literals.text_starts[other]
            if other_end < begin + size or (other_end == begin + size and other_begin <= begin):
                break
            found.owners[to] = other
            found.starts[to] = other_begin
            to -= 1
            work += 1
        found.owners[to] = owner
        found.starts[to] = begin
        count += 1
    return count, work


@kernel
def find_literals(data, start, begin, literals, found):
    """Find the literals and the words as an Aho-Corasick automaton does: of those that overlap the first to end.

    Of those that end at the same byte it is the longest. O(len(data)), or it gives up.

    Args:
        data: [bytes] uint8.
        start: where to begin; nothing that matters may overlap what stands before.
        begin: what begins before is no result.
        literals: `Literals`.
        found: `Found`, which is filled.

    Returns:
        Line ends from `begin` on; -1 where there is too much to compare, or to keep.
    """
    count = 0
    work = np.int64(0)
    most = np.int64(len(data)) * _MOST_WORK
    last = len(data) - 3
    # four bytes are one load, three are two: the last place has no fourth
    for at in range(np.uint64(start), np.uint64(max(last, start)), np.uint64(2)):
        four = _gram(data, at) | (np.uint32(data[at + np.uint64(3)]) << np.uint32(24))
        gram = four & np.uint32(0xFFFFFF)
        if _has_bit(literals.bits, gram) and _may_be_there(data, at, np.uint64(start), four, literals):
            count, work = _compare(data, start, np.int64(at), gram, literals, found, count, work)
            if work > most:
                return -1
    if last >= start and (last - start) % 2 == 0:
        count, work = _compare(data, start, last, _gram(data, last), literals, found, count, work)
        if work > most:
            return -1
    _group(begin, start, literals, found, count)
    line_ends = 0
    for at in range(np.uint64(begin), np.uint64(len(data))):
        line_ends += data[at] == _LINE_END
    return line_ends


@kernel
def _group(begin, start, literals, found, count):
    """Leave out what overlaps with one that ends earlier, and order the others by owner. O(count + owners)."""
    literal_end = start
    word_end = begin
    found.first_of_owner[:] = 0
    for row in range(count):
        owner = found.owners[row]
        at = found.starts[row]
        end = at + literals.text_starts[owner + 1] - literals.text_starts[owner]
        if owner >= literals.words_from:
            kept = at >= word_end
            if kept:
                word_end = end
        else:
            kept = at >= literal_end
            if kept:
                literal_end = end
        if kept and at >= begin:
            found.first_of_owner[owner + 2] += 1
        else:
            found.owners[row] = -1
    for owner in range(2, len(found.first_of_owner)):
        found.first_of_owner[owner] += found.first_of_owner[owner - 1]
    for row in range(count):
        owner = found.owners[row]
        if owner >= 0:
            place = found.first_of_owner[owner + 1]
            found.by_owner[place] = found.starts[row] - (begin if owner >= literals.words_from else 0)
            found.first_of_owner[owner + 1] = place + 1
