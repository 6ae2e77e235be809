"""A thread's time in and between its events, against the same by whole arrays."""

from __future__ import annotations

import numpy as np

from mqdiag.read.jfr.kernels.between import Events, share_time
from tests.folded import folded

BEGIN, END, PERIOD, LONGEST = 1_000, 9_000, 20, 300


@folded("seed", range(40))
def test_time_is_shared_out(seed: int) -> None:
    random = np.random.default_rng(seed)
    events, seen = random.integers(0, 60), random.integers(0, 80)
    starts = np.sort(random.integers(BEGIN - 500, END + 500, events))
    durations = random.integers(0, 400, events)
    # in the file they are in any order, and some do not count
    order = random.permutation(events + 5)[:events]
    in_file = [np.zeros(events + 5, np.int64) for _ in range(2)]
    for column, values in zip(in_file, (starts, durations), strict=True):
        column[order] = values
    lots = random.integers(0, 4, events + 5).astype(np.int32)
    samples = np.sort(random.integers(BEGIN - 500, END + 500, seen))
    by_lot, inside = np.zeros(4, np.int64), np.zeros(seen, np.uint8)
    long_gaps, sums = np.zeros((3, (END - BEGIN) // LONGEST + 1), np.int64), np.zeros(2, np.int64)
    found = share_time(
        Events(*in_file, order, lots), BEGIN, END, samples, PERIOD, LONGEST, by_lot, inside, long_gaps, sums
    )

    ends = np.minimum(starts + durations, END)
    reached = np.maximum.accumulate(np.concatenate(([BEGIN], ends)))
    took = np.maximum(ends - np.maximum(starts, reached[:-1]), 0)
    assert by_lot.tolist() == np.bincount(lots[order], weights=took, minlength=4).tolist()
    gap_ends = np.maximum(np.concatenate((np.minimum(starts, END), [END])), reached)
    first, last = np.searchsorted(samples, reached), np.searchsorted(samples, gap_ends)
    running = np.minimum((last - first) * PERIOD, gap_ends - reached)
    rest = gap_ends - reached - running
    assert sums.tolist() == [running.sum(), rest[rest < LONGEST].sum()]
    is_long = rest >= LONGEST
    assert long_gaps[:, :found].tolist() == [
        reached[is_long].tolist(),
        gap_ends[is_long].tolist(),
        rest[is_long].tolist(),
    ]
    within = [any(begin <= at < end for begin, end in zip(reached, gap_ends, strict=True)) for at in samples]
    assert inside.astype(bool).tolist() == within
    # nothing is counted twice, and nothing is lost
    assert took.sum() + sums.sum() + long_gaps[2, :found].sum() == END - BEGIN
