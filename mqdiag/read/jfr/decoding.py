"""Calls of the kernel that decodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.header import ChunkHead
from mqdiag.read.jfr.kernels.columns import decode_events
from mqdiag.read.jfr.kernels.decode import MOST_NESTED, decode_groups
from mqdiag.read.jfr.program import Program

_BLOCK = 512
"""events that are read column by column: their bytes stay in the cache"""


class Place(Protocol):
    """Records that follow each other."""

    @property
    def start(self) -> int:
        """Where the first one begins."""

    @property
    def records(self) -> int:
        """How many there are."""

    @property
    def end(self) -> int:
        """What none of them may cross."""


class Decoded(NamedTuple):
    """What was decoded."""

    rows: NDArray[np.int64]
    end: int
    """byte behind the last record"""
    stopped_at: int | None
    """byte of a damaged record; None where all are whole"""


def decode(
    data: NDArray[np.uint8], head: ChunkHead, program: Program, places: Sequence[Place], *, keep: bool = True
) -> Decoded:
    """Decode groups of records; `keep` False only finds their end."""
    starts = np.array([place.start for place in places], np.int64)
    counts = np.array([place.records for place in places], np.int64)
    ends = np.array([place.end for place in places], np.int64)
    return decode_arrays(data, head, program, starts, counts, ends, keep=keep)


def decode_arrays(
    data: NDArray[np.uint8],
    head: ChunkHead,
    program: Program,
    starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    ends: NDArray[np.int64],
    *,
    keep: bool = True,
) -> Decoded:
    """The same for places as columns."""
    total = int(counts.sum())
    rows = np.zeros((total if keep else 0, program.width), np.int64)
    scratch = np.zeros((3, MOST_NESTED + 1), np.int64)
    stop = np.zeros(1, np.int64)
    whole = decode_groups(data, starts, counts, ends, head.is_compressed, program.steps, scratch, rows, stop)
    end = int(stop[0])
    return Decoded(rows[:whole] if keep else rows, end, None if whole == total else end)


def decode_listed(
    data: NDArray[np.uint8],
    head: ChunkHead,
    program: Program,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> Decoded:
    """Decode events of known places; `end` is the end of the last one."""
    columns = np.empty((program.width, len(starts)), np.int64)
    places, scratch = np.empty(_BLOCK, np.int64), np.zeros((3, MOST_NESTED + 1), np.int64)
    whole = decode_events(data, starts, ends, head.is_compressed, program.steps, places, scratch, columns)
    stopped_at = None if whole == len(starts) else int(starts[whole])
    return Decoded(columns[:, :whole].T, int(ends[-1]) if len(ends) else head.end, stopped_at)
