"""The commit log: whether a whole message stands at a position, and what follows it."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator

import msgspec

from mqdiag.read.stores.segments import SegmentFolder

# MessageDecoder.MESSAGE_MAGIC_CODE, and _V2 since 5.0 for long topic names; CommitLog.BLANK_MAGIC_CODE ends a file.
_MESSAGE, _MESSAGE_V2, _BLANK = 0xDAA320A7, 0xDAA320AB, 0xCBD43194
_HEAD = struct.Struct(">II4xi4xqqiq")
_HEAD_BYTES = _HEAD.size
_LONG_BORN_HOST, _LONG_STORE_HOST = 1 << 4, 1 << 5
_NOT_IN_QUEUES = (0x4, 0xC)
"""MessageSysFlag of prepared and rolled back transactions"""
LARGEST_MESSAGE = 512 << 20
MOST_FOLLOWED = 200_000
MOST_SECONDS = 10.0


class StoredMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Where a message belongs."""

    position: int
    size: int
    topic: str
    queue_id: int
    queue_offset: int
    stored_ms: int
    in_queues: bool
    """false for messages of transactions that get no entry"""


class CommitLog:
    """The files of a commit log."""

    def __init__(self, path: str) -> None:
        self._files = SegmentFolder(path)

    @property
    def start(self) -> int:
        """Position of the first byte that is kept."""
        return self._files.start

    @property
    def end(self) -> int:
        """Position behind the last file, which is filled with zeros from the last message on."""
        return self._files.end

    @property
    def empty(self) -> bool:
        """Whether there are no files."""
        return not self._files.segments

    def message(self, position: int) -> StoredMessage | None:
        """The message at a position; None where none stands, a cut one included."""
        head = self._files.read(position, _HEAD_BYTES)
        if len(head) < _HEAD_BYTES:
            return None
        size, magic, queue_id, queue_offset, written_at, flags, _ = _HEAD.unpack(head)
        segment = self._files.segment_at(position)
        if (
            magic not in (_MESSAGE, _MESSAGE_V2)
            or written_at != position
            or segment is None
            or not _HEAD_BYTES < size <= min(LARGEST_MESSAGE, segment.end - position)
        ):
            return None
        at = position + _HEAD_BYTES + (20 if flags & _LONG_BORN_HOST else 8)
        stored = self._number(at, 8)
        at += 8 + (20 if flags & _LONG_STORE_HOST else 8) + 4 + 8
        at += 4 + self._number(at, 4)
        width = 2 if magic == _MESSAGE_V2 else 1
        name = self._number(at, width)
        if at + width + name + 2 > position + size:
            return None
        topic = self._files.read(at + width, name)
        if len(topic) < name or not topic.strip(b"\0"):
            return None
        return StoredMessage(
            position=position,
            size=size,
            topic=topic.decode("utf-8", "replace"),
            queue_id=queue_id,
            queue_offset=queue_offset,
            stored_ms=stored,
            in_queues=flags & 0xC not in _NOT_IN_QUEUES,
        )

    def messages_from(self, position: int) -> Iterator[StoredMessage]:
        """Whole messages from a position on, up to the first place without one, or to a bound of work."""
        until = time.monotonic() + MOST_SECONDS
        for _ in range(MOST_FOLLOWED):
            found = self.message(position)
            if found is None:
                following = self._next_file(position)
                if following is None or (found := self.message(following)) is None:
                    return
            yield found
            position = found.position + found.size
            if time.monotonic() > until:
                return

    def close(self) -> None:
        """Close its files."""
        self._files.close()

    def _next_file(self, position: int) -> int | None:
        """The start of the next file where this one is full: at its end or at the mark for the rest of it."""
        segment = self._files.segment_at(position)
        if segment is None:
            return None
        head = self._files.read(position, 8)
        full = len(head) < 8 or struct.unpack(">I", head[4:8])[0] == _BLANK
        return segment.end if full and segment.end < self._files.end else None

    def _number(self, position: int, width: int) -> int:
        return int.from_bytes(self._files.read(position, width))
