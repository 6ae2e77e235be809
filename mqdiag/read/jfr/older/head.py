"""The head of a chunk of version 0.9: it tells where the description is, which ends the chunk."""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.header import ChunkHead, NoChunkError, checked_clock
from mqdiag.read.jfr.older.metadata import OlderCursor, described
from mqdiag.read.jfr.values import DamagedError
from mqdiag.text import say

HEAD_BYTES = 16
MOST_BYTES = 4 << 20
"""size of a description; those of JDK 7 and 8 have 27 kB"""
_HEAD = struct.Struct(">8xq")
_EVENT = struct.Struct(">ii")


def older_head(data: NDArray[np.uint8], at: int) -> ChunkHead:
    """The head of the chunk at this place, with its types.

    Raises:
        NoChunkError: it has no description that can be read, as one that the JVM had not finished.
    """
    head = data[at : at + HEAD_BYTES].tobytes()
    (distance,) = _HEAD.unpack(head) if len(head) == HEAD_BYTES else (0,)
    if not HEAD_BYTES <= distance <= data.size - at - _EVENT.size:
        raise NoChunkError(say("the file ends before what describes its events"))
    begin = at + distance
    size, kind = _EVENT.unpack(data[begin : begin + _EVENT.size].tobytes())
    if kind != 0 or not _EVENT.size <= size <= min(MOST_BYTES, data.size - begin):
        raise NoChunkError(say("a chunk has no metadata, which describes its events"))
    raw = data[begin : begin + size].tobytes()
    cursor = OlderCursor(raw, _EVENT.size, size, is_compressed=False, base=begin)
    try:
        found = described(cursor)
    except DamagedError:
        raise NoChunkError(say("its metadata is damaged")) from None
    start_ns, end_ns = found.start_ms * 1_000_000, found.end_ms * 1_000_000
    checked_clock(start_ns, end_ns - start_ns, found.ticks_per_second)
    return ChunkHead(
        start=at,
        end=begin + size,
        version=(0, 9),
        is_compressed=False,
        start_ns=start_ns,
        duration_ns=max(end_ns - start_ns, 0),
        start_ticks=found.start_ticks,
        ticks_per_second=found.ticks_per_second,
        is_open=False,
        is_cut=False,
        body=at + HEAD_BYTES,
        types=found.types,
    )
