"""Runs of offsets in a queue's map: what a picture of the queue is drawn from."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from mqdiag.rocketmq.queue_contents import MOST_RUNS, QueueContents
from tests.folded import folded


def runs(offsets: list[int]) -> tuple[tuple[int, int], ...]:
    contents = object.__new__(QueueContents)
    contents._heap = SimpleNamespace(MISSING=-(1 << 63))
    contents._cached = SimpleNamespace(offsets=np.array([7, *offsets], np.int64))
    contents._bounds = np.array([1, 1 + len(offsets)])
    contents._waiting = np.array([len(offsets)])
    return contents.runs(0)


@folded(
    "offsets, expected",
    [
        ([], ()),
        ([5], ((5, 5),)),
        ([5, 6, 7], ((5, 7),)),
        ([5, 7, 8, 2000], ((5, 5), (7, 8), (2000, 2000))),
        ([-(1 << 63), 3, 4], ((3, 4),)),
    ],
)
def test_runs_end_at_gaps(offsets: list[int], expected: tuple[tuple[int, int], ...]) -> None:
    assert runs(offsets) == expected


def test_with_too_many_the_widest_gaps_stay() -> None:
    narrow = list(range(0, 2 * MOST_RUNS, 2))
    told = runs([*narrow, 10_000, 10_001])
    assert len(told) == MOST_RUNS
    assert told[-1] == (10_000, 10_001)
    assert told[0][0] == 0
    assert told[-2][1] == narrow[-1]
