"""Events of which many have the same thread, stack and peer: what they have in common is decoded once."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.decoding import Listed, decode_listed
from mqdiag.read.jfr.distinct import distinct
from mqdiag.read.jfr.header import ChunkHead
from mqdiag.read.jfr.program import Column, Program


class LotColumns(NamedTuple):
    """Columns to decode."""

    own: Collection[str]
    """values that each event has for itself"""
    common: Collection[str]
    """values that many events have in common"""


class InCommon(NamedTuple):
    """What events have in common, by their lots."""

    numbers: NDArray[np.int64]
    """int64[events]: the lot of each; lots may be equal, and none is empty"""
    program: Program
    """columns in common"""
    rows: NDArray[np.int64]
    """int64[lots, columns]"""


def in_common(data: NDArray[np.uint8], head: ChunkHead, program: Program, listed: Listed) -> InCommon:
    """What events have in common.

    Args:
        data: the file.
        head: of the chunk.
        program: by which they were decoded; with runs.
        listed: the events.
    """
    by_run = list(listed.rows.T[program.width - len(program.runs) :])
    if len(by_run) == 1:
        numbers, of_lots = by_run[0], [np.arange(len(listed.runs[0]))]
    else:
        # without a run all events are one lot
        first, numbers = distinct(*by_run, np.zeros(len(listed.rows), np.int64))
        of_lots = [run[first] for run in by_run]
    columns: dict[str, Column] = {}
    parts = [np.zeros((int(numbers.max(initial=-1)) + 1, 0), np.int64)]
    width = 0
    for run, places, lots in zip(program.runs, listed.runs, of_lots, strict=True):
        starts = places[lots]
        parts.append(decode_listed(data, head, run, starts, np.full_like(starts, head.end)).rows)
        columns |= {name: column._replace(place=column.place + width) for name, column in run.columns.items()}
        width += run.width
    return InCommon(numbers, Program(np.zeros((0, 3), np.int64), columns, width), np.concatenate(parts, axis=1))
