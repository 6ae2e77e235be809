"""Threads that compute in one place in all samples: a loop, or work that goes on for long.

The methods are compared, not the lines, as a loop goes from line to line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from mqdiag.facts.stacks import BusyThread
from mqdiag.threads import roles
from mqdiag.threads.judgement import Judgement
from mqdiag.threads.series import Series
from mqdiag.threads.stack_meaning import StackMeaning
from mqdiag.threads.tracks import Track, allocated_between
from mqdiag.threads.wait_table import known_frames, known_methods

LEAST_SHARE = 0.5
"""share of a core, from which a thread computes all the time, whatever else wants the processors"""
LONG_S = 60.0
"""seconds over which a thread without CPU times must run in one place"""
SAME_LINES_S = 30.0
LEAST_SAME_LINES = 3
"""seconds and samples over which it may be a loop if not even a line differs"""
LEAST_SAMPLES = 2
LEAST_TOGETHER = 3
"""threads in one place inside of a table, from which little of a core is enough: they take it from each other"""
LEAST_AT_ONE_MOMENT = 2
"""the same where one dump without CPU times shows them in one line of a table"""
LEAST_WITHIN = 3
"""samples of one line of a map that is changed within its own change, which takes less than a millisecond"""
_NOT_JUDGED = frozenset({roles.JVM, roles.CARRIER})
_POLLS = ("EPoll", "poll", "select", "Native", "accept", "wait", "park", "read0", "receive")
"""parts of methods that wait in native code, which look like code that runs"""


def busy_threads(judgements: Sequence[Judgement], series: Series) -> tuple[BusyThread, ...]:
    """Those that run in one place in all samples, with most CPU time first."""
    found = [busy for judgement in judgements if (busy := _busy(judgement.track, series)) is not None]
    together = Counter((one.pool, one.frame) for one in found if one.in_table)
    found = [
        one
        for one in found
        if not _is_too_little(one) or (one.in_table and together[one.pool, one.frame] >= _least_together(one))
    ]
    return tuple(sorted(found, key=lambda one: (-(one.share_of_core or 0.0), one.thread)))


def _least_together(one: BusyThread) -> int:
    return LEAST_TOGETHER if one.samples > 1 else LEAST_AT_ONE_MOMENT


def _is_too_little(one: BusyThread) -> bool:
    """Whether what one thread does may be work like any other."""
    if one.updates_within and one.samples >= LEAST_WITHIN:
        return False
    if one.share_of_core is not None:
        return one.share_of_core < LEAST_SHARE
    least_s = LONG_S if not one.same_lines or one.samples < LEAST_SAME_LINES else SAME_LINES_S
    return one.seconds is None or one.seconds < least_s


def _busy(track: Track, series: Series) -> BusyThread | None:
    if track.role in _NOT_JUDGED or track.ended:
        return None
    if len(track.judged) < LEAST_SAMPLES:
        return _busy_since_its_start(track) if len(series.moments) == 1 else None
    meanings = [meaning for index in track.judged if (meaning := track.meanings[index]) is not None]
    place = _place(meanings[-1])
    if place is None or any(_place(meaning) != place for meaning in meanings):
        return None
    first, last = track.records[track.judged[0]], track.last
    assert first is not None
    begin, end = (series.moments[index].seconds for index in (track.judged[0], track.judged[-1]))
    seconds = None if begin is None or end is None else round(end - begin, 3)
    grew_ms = None if first.cpu_ms is None or last.cpu_ms is None else last.cpu_ms - first.cpu_ms
    if grew_ms is None and first.coarse_cpu_ms is not None and last.coarse_cpu_ms is not None:
        grew_ms = last.coarse_cpu_ms - first.coarse_cpu_ms
    share = None if grew_ms is None or not seconds else round(grew_ms / (1000 * seconds), 3)
    same_lines = len({meaning.stack.frames for meaning in meanings}) == 1
    return msgspec.structs.replace(
        _found(track, seconds, share),
        allocated_bytes=allocated_between(first, last),
        same_lines=same_lines,
        # dumps of a JDK that throws instead have CPU times
        updates_within=same_lines and first.cpu_ms is None and _updates_within(meanings[-1]),
        in_table=all(_is_of_table(meaning.methods[0]) for meaning in meanings),
    )


def _is_of_table(method: str) -> bool:
    """Whether a method is of a table that two threads may damage."""
    return method.startswith(known_frames().unsynchronized)


def _updates_within(meaning: StackMeaning) -> bool:
    """Whether it changes a map, for a function that a change of a map called."""
    top, *callers = meaning.methods
    return top in known_methods("recursive_updates") and top in callers


def _busy_since_its_start(track: Track) -> BusyThread | None:
    """One dump: a thread that runs now, and has run for most of its life, or is in a table that may be damaged."""
    cpu_ms, age_s = track.last.cpu_ms, track.last.elapsed_s
    if _place(track.last_meaning) is None:
        return None
    if cpu_ms is None:
        found = _found(track, None, None)
        in_table = _is_of_table(track.last_meaning.methods[0])
        return msgspec.structs.replace(found, in_table=True, frame=_line(track)) if in_table else None
    if age_s is None or age_s < LONG_S:
        return None
    share = round(cpu_ms / (1000 * age_s), 3)
    return _found(track, age_s, share)


def _line(track: Track) -> str:
    """The line outside of the table."""
    meaning = track.last_meaning
    pairs = zip(meaning.stack.frames, meaning.methods, strict=True)
    outside = (frame for frame, method in pairs if not _is_of_table(method))
    return next(outside, meaning.stack.frames[0])


def _found(track: Track, seconds: float | None, share: float | None) -> BusyThread:
    meaning = track.last_meaning
    return BusyThread(
        thread=track.name,
        role=track.role,
        pool=track.pool,
        group=track.group,
        frame=meaning.own_frame or meaning.stack.frames[0],
        top=meaning.top,
        samples=len(track.judged),
        seconds=seconds,
        share_of_core=share,
    )


def _place(meaning: StackMeaning) -> tuple[str, ...] | None:
    """The methods from the application's own frame down; None for a thread that waits."""
    if meaning.doing != "running" or not meaning.methods or meaning.stack.state not in ("", "RUNNABLE"):
        return None
    top = meaning.methods[0].rpartition(".")[2]
    if "(Native Method)" in meaning.stack.frames[0] and any(part in top for part in _POLLS):
        return None
    return meaning.methods[max(meaning.own_index, 0) :]
