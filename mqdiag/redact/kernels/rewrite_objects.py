"""Sub-records of heap segments rewritten where they stand: what is not proven harmless goes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.kernel import kernel
from mqdiag.read.hprof.kernels.number_table import place_of
from mqdiag.read.hprof.kernels.step import next_place
from mqdiag.read.hprof.kernels.values import identifier, little_u8, u4, value_size
from mqdiag.redact.kernels.text_hash import MOST_BYTES, hash_text, last_word, put_u4, write_letters

KEPT, REPLACED, BODIES, BLANKED = 0, 1, 2, 3
"""places in the counts: arrays of each action"""
MOST_JOINED = 512
"""characters of a text in which an @ is looked for"""
MOST_DIGITS = 20
"""digits of the greatest unsigned 64-bit number"""


class Layouts(NamedTuple):
    """The fields of c classes that go, f of them."""

    class_keys: NDArray[np.uint64]
    """[2^k + 2] class ids, a table of `number_table`"""
    class_rows: NDArray[np.int32]
    """[2^k] row of each class"""
    lengths: NDArray[np.int64]
    """[c] bytes of an instance's fields"""
    field_starts: NDArray[np.int64]
    """[c + 1] of each class's part of `fields`"""
    fields: NDArray[np.int32]
    """[f, 3] place, bytes, 1 if only what is no hash code of a kept text goes"""


class KeepTables(NamedTuple):
    """What stays, as tables of `number_table`."""

    texts: NDArray[np.uint64]
    """[2^k + 2] hashes of the texts that stay"""
    hash_codes: NDArray[np.uint64]
    """[2^k + 2] what Java's maps keep beside those texts, plus 1 << 32"""
    bodies: NDArray[np.uint64]
    """[2^k + 2] ids of message bodies, which are blanked and counted apart"""
    most_digits: int
    """characters of a text of digits that may stay; 0 for none"""


@kernel(inline=True)
def _blank(data, begin, end):
    # Unsigned, as places that might be negative keep the loop from becoming a memset.
    at = np.uint64(begin)
    while at < np.uint64(end):
        data[at] = np.uint8(0)
        at += np.uint64(1)


@kernel
def _is_number(data, begin, end, kind, most_digits):
    """Whether all characters are digits: one byte each, or two in either order, as char[] and byte[] have them."""
    if end - begin > 2 * most_digits or begin == end:
        return False
    first = data[begin + 1] if kind == 5 else data[begin]
    if first < 48 or first > 57:
        # Most texts are none, and seen to be none by their first character.
        return False
    wide = kind == 5 or ((end - begin) % 2 == 0 and data[begin + 1] == 0)
    if not wide and end - begin > most_digits:
        return False
    for at in range(begin, end):
        is_digit_place = True
        if wide:
            is_digit_place = ((at - begin) % 2 == 1) == (kind == 5)
        if is_digit_place:
            if data[at] < 48 or data[at] > 57:
                return False
        elif data[at] != 0:
            return False
    return True


@kernel(inline=True)
def _at_sign(data, begin, end, width):
    """Where the first @ begins; `end` where there is none."""
    at = begin
    if width == 1:
        while at < end:
            left = min(end - at, 8)
            word = little_u8(data, at) if left == 8 else last_word(data, at, left)
            word ^= np.uint64(0x4040404040404040)
            # A byte of 0 is where borrowing reaches a high bit that was not set.
            if (word - np.uint64(0x0101010101010101)) & ~word & np.uint64(0x8080808080808080):
                while at < end and data[at] != 64:
                    at += 1
                return at
            at += left
        return end
    while at < end:
        if data[at] == 0 and data[at + 1] == 64:
            return at
        at += 2
    return end


@kernel
def _may_stay(data, begin, end, kind, key0, key1, texts, most_digits):
    hashed = hash_text(data, begin, end, key0, key1)
    return texts[place_of(texts, hashed)] == hashed or _is_number(data, begin, end, kind, most_digits)


@kernel(inline=True)
def _is_joined(data, begin, end, kind, key0, key1, texts, most_digits):
    """Whether it is "topic@group" or the like: two parts around one @, each of which may stay."""
    width = value_size(kind, 8)
    if end - begin > MOST_JOINED * width:
        return False
    at = _at_sign(data, begin, end, width)
    return (
        begin < at
        and at + width < end
        and _may_stay(data, begin, at, kind, key0, key1, texts, most_digits)
        and _may_stay(data, at + width, end, kind, key0, key1, texts, most_digits)
    )


@kernel(inline=True)
def _rewrite_array(data, at, after, id_size, key0, key1, texts, bodies, most_digits, counts):
    kind = data[at + 9 + id_size]
    begin = at + 10 + id_size
    if kind != 5 and kind != 8:
        counts[BLANKED] += 1
        _blank(data, begin, after)
        return
    if kind == 8 and bodies.size > 1:
        number = identifier(data, at + 1, id_size)
        if bodies[place_of(bodies, number)] == number and number != np.uint64(0):
            counts[BODIES] += 1
            _blank(data, begin, after)
            return
    if after == begin:
        return
    width = value_size(kind, id_size)
    if after - begin > MOST_BYTES:
        counts[REPLACED] += 1
        _blank(data, begin, after)
        for place in range(begin + width - 1, after, width):
            data[np.uint64(place)] = np.uint8(120)
        return
    if _is_number(data, begin, after, kind, most_digits):
        counts[KEPT] += 1
        return
    hashed = hash_text(data, begin, after, key0, key1)
    if texts[place_of(texts, hashed)] == hashed or _is_joined(
        data, begin, after, kind, key0, key1, texts, most_digits
    ):
        counts[KEPT] += 1
        return
    counts[REPLACED] += 1
    write_letters(data, begin, after, width, hashed)


@kernel
def rewrite_sub_records(data, starts, ends, id_size, key0, key1, layouts, kept, counts):
    """Rewrite stretches of whole sub-records.

    Args:
        data: uint8[], in and out; starts, ends: int64[n], the stretches in it.
        id_size: 4 or 8; key0, key1: uint64, of the hash.
        layouts: a `Layouts`; kept: a `KeepTables`.
        counts: int64[4], in and out.

    Of a stretch in which something else stands, the rest becomes zeros. O(bytes).
    """
    for stretch in range(starts.size):
        at = starts[stretch]
        end = ends[stretch]
        while at < end:
            after = next_place(data, at, end, id_size)
            if after < 0:
                # Only a file that changes under the reading has other sub-records now.
                _blank(data, at, end)
                break
            tag = data[np.uint64(at)]
            if tag == 0x23:
                _rewrite_array(
                    data, at, after, id_size, key0, key1, kept.texts, kept.bodies, kept.most_digits, counts
                )
            elif tag == 0x21:
                class_id = identifier(data, at + 5 + id_size, id_size)
                place = place_of(layouts.class_keys, class_id)
                row = np.int32(-1)
                if class_id != np.uint64(0) and layouts.class_keys[place] == class_id:
                    row = layouts.class_rows[place]
                begin = at + 9 + 2 * id_size
                if row < 0 or layouts.lengths[row] != after - begin:
                    # Of an object without a known layout nobody can say what its bytes are.
                    _blank(data, begin, after)
                else:
                    for field in range(layouts.field_starts[row], layouts.field_starts[row + 1]):
                        first = begin + layouts.fields[field, 0]
                        stays = False
                        if layouts.fields[field, 2] == 1:
                            code = np.uint64(u4(data, first)) + (np.uint64(1) << np.uint64(32))
                            stays = kept.hash_codes[place_of(kept.hash_codes, code)] == code
                        if not stays and layouts.fields[field, 1] == 4:
                            # By far the commonest, and done before memset is called.
                            put_u4(data, first, np.uint64(0))
                        elif not stays:
                            _blank(data, first, first + layouts.fields[field, 1])
            at = after
