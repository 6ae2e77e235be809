"""A thread's time in its events and between them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.kernel import kernel


class Events(NamedTuple):
    """The events of a thread."""

    starts: NDArray[np.integer[Any]]
    """[events] when each began, in nanoseconds"""
    durations: NDArray[np.integer[Any]]
    """[events] in nanoseconds, none below 0"""
    order: NDArray[np.int64]
    """[some] events that count, those first that began first"""
    lots: NDArray[np.int32]
    """[events] the lot of each"""


@kernel
def share_time(events, begin, end, samples, period, longest, took, inside, long_gaps, sums):
    """Share out the time of one thread; of events that overlap the first one counts.

    Args:
        events: `Events`.
        begin, end: the thread's life.
        samples: int64[samples], when it was seen running, in ascending order.
        period: between two samples.
        longest: gaps as long as this one, without the time that samples explain, are listed.
        took: int64[lots], in and out: the time of their events.
        inside: uint8[samples], out: 1 where no event was at work.
        long_gaps: int64[3, room], out: begin, end, and what no sample explains. Gaps do not overlap, so a room of
            (end - begin) / longest + 1 is enough.
        sums: int64[2], out: time in gaps that samples explain, and unexplained time of shorter gaps.

    Returns:
        How many long gaps there are. O(events + samples).
    """
    starts, durations, order, lots = events.starts, events.durations, events.order, events.lots
    reached = np.int64(begin)
    listed = np.int64(0)
    first = np.int64(0)
    last = np.int64(0)
    explained = np.int64(0)
    unexplained = np.int64(0)
    for row in range(order.size + 1):
        gap_end = np.int64(end)
        event = np.uint64(0)
        if row < order.size:
            event = np.uint64(order[row])
            gap_end = min(gap_end, starts[event])
        gap = max(gap_end, reached) - reached
        while first < samples.size and samples[first] < reached:
            first += 1
        last = max(last, first)
        while last < samples.size and samples[last] < reached + gap:
            inside[last] = 1
            last += 1
        running = min((last - first) * np.int64(period), gap)
        explained += running
        rest = gap - running
        if rest < longest:
            unexplained += rest
        else:
            long_gaps[0, listed] = reached
            long_gaps[1, listed] = reached + gap
            long_gaps[2, listed] = rest
            listed += 1
        if row < order.size:
            stop = min(starts[event] + durations[event], np.int64(end))
            took[np.uint64(lots[event])] += max(stop - max(starts[event], reached), np.int64(0))
            reached = max(reached, stop)
    sums[0] = explained
    sums[1] = unexplained
    return listed
