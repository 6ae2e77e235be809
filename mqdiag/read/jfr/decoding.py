"""Calls of the kernel that decodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.header import ChunkHead
from mqdiag.read.jfr.kernels.columns import decode_events
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


def decode_listed(
    data: NDArray[np.uint8],
    head: ChunkHead,
    program: Program,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> Decoded:
    """Decode events of known places."""
    columns = np.empty((program.width, len(starts)), np.int64)
    places, scratch = np.empty(_BLOCK, np.int64), np.zeros((3, MOST_NESTED + 1), np.int64)
    whole = decode_events(data, starts, ends, head.is_compressed, program.steps, places, scratch, columns)
    stopped_at = None if whole == len(starts) else int(starts[whole])
    return Decoded(columns[:, :whole].T, stopped_at)
