"""Calls of the kernel that decodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.distinct import numbered
from mqdiag.read.jfr.header import ChunkHead
from mqdiag.read.jfr.kernels.columns import Runs, decode_events
from mqdiag.read.jfr.kernels.decode import MOST_NESTED, decode_groups
from mqdiag.read.jfr.program import Program

_BLOCK = 512
"""events that are read column by column: their bytes stay in the cache"""


class Decoded(NamedTuple):
    """What was decoded."""

    rows: NDArray[np.int64]
    stopped_at: int | None
    """byte of a damaged record; None where all are whole"""


def decode_arrays(
    data: NDArray[np.uint8],
    head: ChunkHead,
    program: Program,
    starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> Decoded:
    """Decode groups of records: where each begins, how many it has, what none of them may cross."""
    total = int(counts.sum())
    rows = np.zeros((total, program.width), np.int64)
    scratch = np.zeros((3, MOST_NESTED + 1), np.int64)
    stop = np.zeros(1, np.int64)
    whole = decode_groups(data, starts, counts, ends, head.is_compressed, program.steps, scratch, rows, stop)
    return Decoded(rows[:whole], None if whole == total else int(stop[0]))


class Listed(NamedTuple):
    """Events that were decoded."""

    rows: NDArray[np.int64]
    """[events, columns], of which each column is contiguous"""
    runs: tuple[NDArray[np.int64], ...]
    """where the first run of each number begins, for each run of the program"""
    stopped_at: int | None
    """as of `Decoded`"""


def decode_listed(
    data: NDArray[np.uint8],
    head: ChunkHead,
    program: Program,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> Listed:
    """Decode events of known places."""
    columns = np.empty((program.width, len(starts)), np.int64)
    places, scratch = np.empty(_BLOCK, np.int64), np.zeros((3, MOST_NESTED + 2), np.int64)
    count = len(program.runs)
    runs = _runs(np.zeros(0, np.int64), count)

    def decode(table: NDArray[np.int64]) -> int:
        nonlocal runs
        runs = _runs(table, count)
        return int(
            decode_events(data, starts, ends, head.is_compressed, program.steps, places, scratch, runs, columns)
        )

    whole = numbered(decode, len(starts))
    columns = columns[:, :whole]
    # what only events behind a damaged one have is none of theirs
    found = (int(numbers.max(initial=-1)) + 1 for numbers in columns[program.width - count :])
    firsts = tuple(first[:most] for first, most in zip(runs.firsts, found, strict=True))
    return Listed(columns.T, firsts, None if whole == len(starts) else int(starts[whole]))


def _runs(table: NDArray[np.int64], count: int) -> Runs:
    """So many, each with a copy of the empty table."""
    half = len(table) >> 1
    return Runs(
        tables=np.repeat(table[None], count, axis=0),
        firsts=np.empty((count, half), np.int64),
        lengths=np.empty((count, half), np.int64),
        counts=np.zeros(count, np.int64),
    )
