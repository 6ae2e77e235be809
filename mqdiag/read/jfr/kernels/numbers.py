"""Numbers of a recording's bytes: compressed or big-endian integers, and the lengths of texts."""

from __future__ import annotations

import numpy as np

from mqdiag.kernel import kernel

CUT = -1
"""the value needs more bytes than there are before the end, or is none that can be"""
TAGGED, SHORT_UTF8, UTF16 = range(3)
"""forms of a text: its first byte tells the encoding; a length of two bytes and UTF-8; of four bytes and UTF-16"""
_LONGEST = 9
"""bytes of a compressed integer; the last one has eight bits of the value, all others seven"""
WORD = 8
"""bytes of a word"""
_HIGH_BITS = 0x8080808080808080
_SEVENS, _FOURTEENS, _TWENTY_EIGHT = 0x007F007F007F007F, 0x00003FFF00003FFF, 0x000000000FFFFFFF
"""groups of bits that stay where they are while their neighbours are moved beside them"""
_BYTES = 0x0020406080A0C0E1
"""2 ** (8 * n - 1) times this has n in its upper four bits, for n from 1 to 8"""


@kernel(inline=True)
def compressed(data, at, end):
    """An integer of seven bits a byte, the lowest ones first: (value as int64, place behind it or CUT). O(1)."""
    value = np.uint64(0)
    shift = np.uint64(0)
    for index in range(_LONGEST):
        if at >= end:
            return np.int64(0), np.int64(CUT)
        byte = np.uint64(data[np.uint64(at)])
        at += 1
        if index == _LONGEST - 1:
            value |= byte << shift
            break
        value |= (byte & np.uint64(0x7F)) << shift
        if byte < np.uint64(0x80):
            break
        shift += np.uint64(7)
    return np.int64(value), np.int64(at)


@kernel(inline=True)
def fixed(data, at, end, width):
    """A big-endian integer without its sign: (value as int64, place behind it or CUT). O(1)."""
    if at + width > end:
        return np.int64(0), np.int64(CUT)
    value = np.uint64(0)
    for index in range(width):
        value = (value << np.uint64(8)) | np.uint64(data[np.uint64(at + index)])
    return np.int64(value), np.int64(at + width)


@kernel(inline=True)
def word(data, at):
    """The eight bytes from `at` on as uint64, the first one lowest; they are within the file. O(1)."""
    value = np.uint64(data[np.uint64(at)])
    for index in range(1, WORD):
        value |= np.uint64(data[np.uint64(at + index)]) << np.uint64(8 * index)
    return value


@kernel(inline=True)
def short_compressed(data, at):
    """A compressed integer without a branch for each byte: (value as int64, its bytes); 0 bytes where it has 9. O(1).

    Args:
        data: uint8[], the file.
        at: where it begins; WORD bytes from there on are within the file.
    """
    eight = word(data, at)
    stops = ~eight & np.uint64(_HIGH_BITS)
    below = stops - np.uint64(1)
    value = eight & (stops ^ below) & ~np.uint64(_HIGH_BITS)
    value = (value & np.uint64(_SEVENS)) | ((value >> np.uint64(1)) & np.uint64(_SEVENS << 7))
    value = (value & np.uint64(_FOURTEENS)) | ((value >> np.uint64(2)) & np.uint64(_FOURTEENS << 14))
    value = (value & np.uint64(_TWENTY_EIGHT)) | ((value >> np.uint64(4)) & np.uint64(_TWENTY_EIGHT << 28))
    return np.int64(value), np.int64(((stops & ~below) * np.uint64(_BYTES)) >> np.uint64(60))


@kernel(inline=True)
def signed(value, width):
    """An integer as int64 with the sign of its width, as in `integer`. O(1)."""
    if width == 4:
        value = np.int64(np.int32(value & 0xFFFFFFFF))
    elif width == 2:
        value = np.int64(np.int16(value & 0xFFFF))
    elif width == -2:
        value = value & 0xFFFF
    elif width == 1:
        value = np.int64(np.int8(value & 0xFF))
    return value


@kernel(inline=True)
def integer(data, at, end, is_compressed, width):
    """An integer of a recording: (value, place behind it or CUT), with the sign of its width.

    Args:
        data: uint8[], the file.
        at: where it begins.
        end: the end of what it stands in.
        is_compressed: whether the chunk compresses integers of more than one byte.
        width: 1, 2, 4 or 8 bytes of the Java type; below 0 for one without a sign, such as -2 for a char.
    """
    size = -width if width < 0 else width
    if is_compressed and size > 1:
        value, after = compressed(data, at, end)
    else:
        value, after = fixed(data, at, end, size)
    return signed(value, width), after


@kernel(inline=True)
def quick_integer(data, at, end, is_compressed, width):
    """The same as `integer`, quick for one of less than nine bytes that does not stand at the end of the file. O(1)."""
    value = np.int64(0)
    size = np.int64(0)
    if is_compressed and width not in (1, -1) and at <= data.size - WORD:
        value, size = short_compressed(data, at)
    if size > 0:
        after = at + size
        return signed(value, width), after if after <= end else np.int64(CUT)
    value, after = integer(data, at, end, is_compressed, width)
    return value, np.int64(after)


@kernel
def text_end(data, at, end, is_compressed, form):
    """Where the text at `at` ends, which has one of the forms; CUT where it cannot be.

    O(1), of chars O(n). Source of tagged ones: jdk.jfr.internal.consumer.StringParser of the JDK: 0 null, 1 empty,
    2 key of a constant, 3 UTF-8, 4 chars, 5 Latin-1.
    """
    if form != TAGGED:
        units, after = integer(data, at, end, False, 4 if form == UTF16 else -2)
        size = units * 2 if form == UTF16 else units
        return np.int64(CUT) if after < 0 or size < 0 or size > end - after else np.int64(after + size)
    if at >= end:
        return np.int64(CUT)
    encoding = data[np.uint64(at)]
    at += 1
    if encoding <= 1:
        return np.int64(at)
    if encoding == 2:
        _, after = integer(data, at, end, is_compressed, 8)
        return after
    if encoding > 5:
        return np.int64(CUT)
    size, after = integer(data, at, end, is_compressed, 4)
    if after < 0 or size < 0 or size > end - after:
        return np.int64(CUT)
    if encoding != 4:
        return np.int64(after + size)
    for _ in range(size):
        _, after = integer(data, after, end, is_compressed, -2)
        if after < 0:
            return np.int64(CUT)
    return after


@kernel(inline=True)
def are_ascii(data, at, length):
    """Whether so many bytes, which are within the file, are below 0x80. O(length)."""
    index = np.int64(0)
    while index < length:
        if at + index + WORD > data.size:
            if data[np.uint64(at + index)] >= 0x80:
                return False
            index += 1
            continue
        high = word(data, at + index) & np.uint64(_HIGH_BITS)
        left = length - index
        if left < WORD:
            high &= (np.uint64(1) << np.uint64(8 * left)) - np.uint64(1)
        if high != np.uint64(0):
            return False
        index += WORD
    return True


@kernel(inline=True)
def behind_text(data, at, end, is_compressed, form):
    """The same as `text_end`, quick for a text whose length one byte tells and whose chars are ASCII. O(bytes)."""
    if form == TAGGED and is_compressed and at + 1 < end:
        encoding = data[np.uint64(at)]
        size = np.int64(data[np.uint64(at + 1)])
        after = at + 2 + size
        if 3 <= encoding <= 5 and size < 0x80 and after <= end:
            if encoding != 4 or are_ascii(data, at + 2, size):
                return np.int64(after)
    return np.int64(text_end(data, at, end, is_compressed, form))
