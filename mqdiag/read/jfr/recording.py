"""A recording: chunk after chunk, as far as they go.

While one is looked at, two threads read the next two: nearly all of that is done by kernels, outside of the GIL.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.cores import in_order
from mqdiag.read.jfr.chunk import Chunk, Problem
from mqdiag.read.jfr.described import Descriptions
from mqdiag.read.jfr.header import ChunkHead, NoChunkError, chunk_head, is_older
from mqdiag.read.jfr.lots import LotColumns
from mqdiag.read.jfr.older.chunk import OlderChunk
from mqdiag.read.jfr.older.head import older_head
from mqdiag.read.sniff import RECORDING_MAGIC

_AHEAD = 2
"""chunks that are read while one is looked at"""
_SEARCHED = 1 << 20
"""bytes looked at in one step for the next chunk behind damage"""


def chunks(
    data: NDArray[np.uint8],
    problems: list[Problem],
    wanted: Collection[str] | None = None,
    ahead: Mapping[str, LotColumns] | None = None,
) -> Iterator[Chunk]:
    """Each chunk of a recording; at most three of them are there at a time.

    Args:
        data: uint8[], the file.
        problems: told why the recording was not read whole; complete behind the last chunk.
        wanted: names of the events to list; all where None.
        ahead: what is decoded before anybody asks for it, by the name of the type.

    Raises:
        NoChunkError: not even the first chunk can be read.
    """
    listed = _chunks(data, wanted)

    def read(turn: tuple[threading.Event, threading.Event]) -> tuple[Chunk | None, Problem | None]:
        own, following = turn
        own.wait()  # a thread may begin before the one that took the chunk before
        try:
            chunk, before = next(listed, (None, None))
        finally:
            following.set()
        if chunk is not None and ahead is not None:
            chunk.prepare(ahead)
        return chunk, before

    with ThreadPoolExecutor(_AHEAD, "mqdiag-chunk") as readers:
        for chunk, before in in_order(readers, read, _turns(), _AHEAD):
            if before is not None:
                problems.append(before)
            if chunk is None:
                return
            yield chunk
            problems += chunk.problems


def _turns() -> Iterator[tuple[threading.Event, threading.Event]]:
    """(what one waits for before it takes a chunk, what the next one waits for), without end."""
    own = threading.Event()
    own.set()
    while True:
        following = threading.Event()
        yield own, following
        own = following


def _chunks(
    data: NDArray[np.uint8], wanted: Collection[str] | None
) -> Iterator[tuple[Chunk | None, Problem | None]]:
    """(a chunk, why what stands before it is none); the last one may be no chunk."""
    data = data.view()
    data.flags.writeable = False  # another type to the kernels
    at, descriptions, before = 0, Descriptions(), None
    while at < data.size:
        try:
            head = _head(data, at)
        except NoChunkError as error:
            if not at:
                raise
            before = Problem(at, error.reason)
            at = _next_chunk(data, at + 1)
            continue
        yield (Chunk if head.types is None else OlderChunk)(data, head, wanted, descriptions), before
        at, before = head.end, None
    yield None, before


def _head(data: NDArray[np.uint8], at: int) -> ChunkHead:
    """The head of a chunk of any version.

    Raises:
        NoChunkError: none can be read here.
    """
    return (older_head if is_older(data, at) else chunk_head)(data, at)


def _next_chunk(data: NDArray[np.uint8], at: int) -> int:
    """Where the next chunk that can be read begins; the end of the file where there is none."""
    while at < data.size:
        piece = data[at : at + _SEARCHED + len(RECORDING_MAGIC)].tobytes()
        found = piece.find(RECORDING_MAGIC)
        if found < 0:
            at += _SEARCHED
            continue
        at += found
        try:
            _head(data, at)
        except NoChunkError:
            at += 1
            continue
        return at
    return data.size
