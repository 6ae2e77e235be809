"""Where the chunks of a recording are, and what the head of each says.

Source: jdk.jfr.internal.consumer.ChunkHeader of the JDK. Versions 2.0 (JDK 8u262 to 13) and 2.1 (JDK 14 and later)
differ in the last four bytes, whose lowest bit is the same.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import Reasoned
from mqdiag.read.jfr.kernels.ticks import spans_of_ticks
from mqdiag.read.jfr.metadata import JfrType
from mqdiag.read.sniff import RECORDING_MAGIC
from mqdiag.text import say

HEAD_BYTES = 68
OLDER = 0
"""major version of JDK 7 and 8 of Oracle, whose chunks have another layout altogether"""
NEWEST = 2
_HEAD = struct.Struct(">4sHHqqqqqqqI")
_COMPRESSED = 1
MOST_TICKS = 1 << 40
"""a second, no clock has more"""
MOST_NS = 1 << 61
"""nanoseconds of a duration, some 73 years; so that a time and two of them stay numbers of 8 bytes"""


class NoChunkError(Reasoned):
    """No chunk that can be read begins at this place."""


def checked_clock(start_ns: int, duration_ns: int, ticks_per_second: int) -> None:
    """Refuse what no clock says.

    Raises:
        NoChunkError: a time beyond the year 2100, or no clock.
    """
    if not 0 <= start_ns <= 2 * MOST_NS or duration_ns > MOST_NS:
        raise NoChunkError(say("the head of the chunk is damaged"))
    if not 0 < ticks_per_second <= MOST_TICKS:
        raise NoChunkError(say("has a clock of {rate} ticks a second", rate=ticks_per_second))


class ChunkHead(NamedTuple):
    """One chunk: a recording in itself, with its own types and constants."""

    start: int
    """byte of the file"""
    end: int
    """byte behind it, at most the end of the file"""
    version: tuple[int, int]
    is_compressed: bool
    start_ns: int
    """nanoseconds of the epoch"""
    duration_ns: int
    start_ticks: int
    ticks_per_second: int
    is_open: bool
    """the JVM had not finished it"""
    is_cut: bool
    """the file ends before it does"""
    body: int
    """byte of its first event"""
    types: dict[int, JfrType] | None = None
    """its types, where they stand with its head"""

    def nanoseconds(self, ticks: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Times of the epoch, of these rows of ticks of this chunk's clock."""
        times = self.span(ticks, rows, self.start_ticks)
        times += self.start_ns
        return times

    def span(self, ticks: NDArray[np.int64], rows: NDArray[np.int64], first: int = 0) -> NDArray[np.int64]:
        """Durations in nanoseconds, of these rows."""
        out = np.empty(len(rows), np.int64)
        spans_of_ticks(np.ascontiguousarray(ticks), rows, first, self.ticks_per_second / 1e9, MOST_NS, out)
        return out


def is_older(data: NDArray[np.uint8], at: int) -> bool:
    """Whether a chunk of version 0.9 begins at this place."""
    return data[at : at + 6].tobytes() == RECORDING_MAGIC + OLDER.to_bytes(2, "big")


def chunk_head(data: NDArray[np.uint8], at: int) -> ChunkHead:
    """The head of the chunk at this place.

    Raises:
        NoChunkError: it has none, or of a version that nobody knows.
    """
    head = data[at : at + HEAD_BYTES].tobytes()
    if not head.startswith(RECORDING_MAGIC[: len(head)]) or not head:
        raise NoChunkError(say("no chunk of a recording begins here"))
    if len(head) < HEAD_BYTES:
        raise NoChunkError(say("the head of the chunk is cut"))
    _, major, minor, size, _, _, start_ns, duration_ns, start_ticks, rate, flags = _HEAD.unpack(head)
    if major > NEWEST:
        raise NoChunkError(say("has the unknown version {major}.{minor}", major=major, minor=minor))
    checked_clock(start_ns, duration_ns, rate)
    # 0 until the JVM has written the chunk out: then it reaches as far as there are events
    is_open = size <= 0 or duration_ns == 0
    end = at + size if size >= HEAD_BYTES else data.size
    return ChunkHead(
        start=at,
        end=min(end, data.size),
        version=(major, minor),
        is_compressed=bool(flags & _COMPRESSED),
        start_ns=start_ns,
        duration_ns=max(duration_ns, 0),
        start_ticks=start_ticks,
        ticks_per_second=rate,
        is_open=is_open,
        is_cut=end > data.size,
        body=at + HEAD_BYTES,
    )
