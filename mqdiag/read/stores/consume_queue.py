"""A consume queue: entries of twenty bytes, each the place of a message in the commit log."""

from __future__ import annotations

import struct
from collections.abc import Callable

from mqdiag.read.stores.segments import SegmentFolder

ENTRY_BYTES = 20
_ENTRY = struct.Struct(">qiq")
# ConsumeQueue.fillPreBlank: entries before the first message of a queue that does not begin at 0.
_BLANK_SIZE = 0x7FFFFFFF


class ConsumeQueue:
    """The files of one queue; the last one is made at its full size and filled with zeros from its end on."""

    def __init__(self, path: str) -> None:
        self._files = SegmentFolder(path)
        self.first = -(-self._files.start // ENTRY_BYTES)
        """offset of the first entry that is kept"""
        self.end = self._end()
        """one behind the last entry"""

    def entry(self, offset: int) -> tuple[int, int, int] | None:
        """Position in the commit log, size and tags code; None where there is no entry, or one for no message."""
        raw = self._files.read(offset * ENTRY_BYTES, ENTRY_BYTES)
        if len(raw) < ENTRY_BYTES:
            return None
        position, size, tags = _ENTRY.unpack(raw)
        return (position, size, tags) if position >= 0 and 0 < size < _BLANK_SIZE else None

    def first_where(self, holds: Callable[[int], bool], low: int, high: int) -> int:
        """The first offset from low on for which something holds that holds for all later ones; high if for none."""
        while low < high:
            middle = (low + high) // 2
            if holds(middle):
                high = middle
            else:
                low = middle + 1
        return low

    def close(self) -> None:
        """Close its files."""
        self._files.close()

    def _end(self) -> int:
        for segment in reversed(self._files.segments):
            low = segment.start // ENTRY_BYTES
            high = segment.end // ENTRY_BYTES
            end = self.first_where(lambda offset: not self._filled(offset), low, high)
            if end > low:
                return end
        return self.first

    def _filled(self, offset: int) -> bool:
        raw = self._files.read(offset * ENTRY_BYTES, ENTRY_BYTES)
        return len(raw) == ENTRY_BYTES and _ENTRY.unpack(raw)[1] > 0
