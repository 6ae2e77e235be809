"""Single values of a recording, read in plain Python: for what is read once, such as metadata."""

from __future__ import annotations

import struct

from mqdiag.errors import Reasoned
from mqdiag.text import say

NULL, EMPTY, CONSTANT, UTF8, CHARS, LATIN1 = range(6)
"""encodings of a text; source: jdk.jfr.internal.consumer.StringParser"""
_WIDTHS = {2: ">h", 4: ">i", 8: ">q"}


class DamagedError(Reasoned):
    """A value cannot be what stands there.

    Args:
        offset: byte of the file.
    """

    def __init__(self, offset: int) -> None:
        self.offset = offset
        super().__init__(say("a value cannot be read"))


class Cursor:
    """Reads one value after another.

    Args:
        data: the bytes around them.
        at: where to begin.
        end: what no value may cross.
        is_compressed: whether integers are compressed.
        base: byte of the file where `data` begins, for errors.
    """

    def __init__(self, data: bytes, at: int, end: int, *, is_compressed: bool, base: int = 0) -> None:
        self._data = data
        self.at = at
        self._end = end
        self._is_compressed = is_compressed
        self._base = base

    def damaged(self) -> DamagedError:
        """The error of a value here."""
        return DamagedError(self._base + self.at)

    def rest(self) -> bytes:
        """What follows, up to the end; it is not read by that."""
        return self._data[self.at : self._end]

    def integer(self, width: int) -> int:
        """An integer of 2, 4 or 8 bytes.

        Raises:
            DamagedError: it crosses the end.
        """
        if not self._is_compressed:
            code = _WIDTHS[width]
            return int(struct.unpack(code, self._take(width))[0])
        data, at, end = self._data, self.at, self._end
        if at < end and data[at] < 0x40:  # nearly all, and none with a sign
            self.at = at + 1
            return data[at]
        value = shift = 0
        while True:
            if at >= end:
                raise self.damaged()
            byte = data[at]
            at += 1
            if shift == 56:
                value |= byte << shift
                break
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
        self.at = at
        sign = 1 << (8 * width - 1)
        return ((value & (2 * sign - 1)) ^ sign) - sign

    def count(self, least_bytes: int = 1) -> int:
        """A number of things that follow, of so many bytes each at least.

        Raises:
            DamagedError: there are not so many bytes.
        """
        number = self.integer(4)
        if not 0 <= number * least_bytes <= self._end - self.at:
            raise self.damaged()
        return number

    def text(self) -> str | int | None:
        """A text; the key of a constant that is one; None for null.

        Raises:
            DamagedError: it has no encoding that exists, or crosses the end.
        """
        encoding = self._take(1)[0]
        if encoding == NULL:
            return None
        if encoding == EMPTY:
            return ""
        if encoding == CONSTANT:
            return self.integer(8)
        if encoding == CHARS:
            size = self.count()
            short = self._data[self.at : self.at + size]
            if self._is_compressed and short.isascii() and self.at + size <= self._end:
                self.at += size  # one byte each
                return short.decode("ascii")
            chars = (self.integer(2) & 0xFFFF for _ in range(size))
            return "".join(map(chr, chars)).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if encoding not in (UTF8, LATIN1):
            raise self.damaged()
        raw = self._take(self.count())
        return raw.decode("utf-8", "replace") if encoding == UTF8 else raw.decode("latin-1")

    def _take(self, size: int) -> bytes:
        at = self.at
        if at + size > self._end:
            raise self.damaged()
        self.at += size
        return self._data[at : at + size]
