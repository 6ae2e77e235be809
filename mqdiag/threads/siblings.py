"""Threads of one pool at one call: how long it takes those that move tells what the others' silence is worth."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from mqdiag.text import say
from mqdiag.threads.align import Track
from mqdiag.threads.decide import PROGRESSING, STUCK, UNKNOWN, Judgement
from mqdiag.threads.series import Series
from mqdiag.threads.standing_still import CLOCK_MS

CALLS = 2.1
"""calls, as long as the longest that a sibling came back from, that a silence must outlast to be a standstill;
a little more than two, as the last sample of a call is not its end"""


def doubt_by_siblings(judgements: list[Judgement], series: Series) -> None:
    """Takes back a standstill that is no longer than what others of the pool came back from."""
    sites: dict[tuple[object, ...], list[Judgement]] = defaultdict(list)
    for judgement in judgements:
        track = judgement.track
        if track.last_view.in_listener and judgement.cpu_growth is not None:
            sites[(track.jvm, track.pool, track.last_view.work)].append(judgement)
    for here in sites.values():
        silent = [judgement for judgement in here if judgement.state == STUCK]
        if not silent:
            continue
        pause = max(
            (_longest_pause(other.track, series) for other in here if other.state == PROGRESSING), default=0.0
        )
        for judgement in silent:
            if judgement.seconds is not None and judgement.seconds < CALLS * pause:
                judgement.state, judgement.confidence = UNKNOWN, None
                judgement.reason = say(
                    (
                        "stood still for {seconds:decimal} s, but others at the same call came back after"
                        " {pause:decimal} s and more: samples over a longer time would decide"
                    ),
                    seconds=judgement.seconds,
                    pause=pause,
                )


def _longest_pause(track: Track, series: Series) -> float:
    """Seconds over which a thread that moves showed the same call and no growth of CPU time."""
    longest = 0.0
    begin: float | None = None
    for one, other in pairwise(track.present):
        first, last = track.records[one], track.records[other]
        start, end = series.moments[one].seconds, series.moments[other].seconds
        quiet = (
            first is not None
            and last is not None
            and first.cpu_ms is not None
            and last.cpu_ms is not None
            and last.cpu_ms - first.cpu_ms < CLOCK_MS
            and (view := track.views[one]) is not None
            and view.work == track.last_view.work
        )
        if not quiet or start is None or end is None:
            begin = None
            continue
        begin = start if begin is None else begin
        longest = max(longest, end - begin)
    return longest
