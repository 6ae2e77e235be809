"""What is the same: samples of a thread in which it does the same work, and tracks that one decision holds for."""

from __future__ import annotations

from operator import sub

from mqdiag.threads import roles
from mqdiag.threads.judgement import Run
from mqdiag.threads.measured_limits import (
    CLOCK_MS,
    LATE_RUN_S,
    LATE_RUN_SAMPLES,
)
from mqdiag.threads.resting import ADMISSIONS
from mqdiag.threads.series import Series
from mqdiag.threads.tracks import Track, allocated_between

FEWEST_AROUND = 4
"""frames that stay of a stack of which one was lost"""


def last_samples_of_same_work(track: Track) -> list[int]:
    """The samples, up to the last one, that all show the same work; a sample without the thread ends them."""
    samples: list[int] = []
    for index in reversed(track.possible):
        if not _same_work(track, index, track.judged[-1]):
            break
        samples.insert(0, index)
    return samples


def is_stuck_since(run: Run) -> bool:
    """Whether a thread that moved first is stuck since: a slow message fills a few samples, but not nearly all."""
    return (
        run.count >= LATE_RUN_SAMPLES
        and run.seconds is not None
        and run.seconds >= LATE_RUN_S
        and (run.cpu_growth_ms or 0.0) < CLOCK_MS
    )


def _same_work(track: Track, one: int, other: int) -> bool:
    a, b = track.meanings[one], track.meanings[other]
    if a is None or b is None:
        return False
    if a is b:
        return True
    if a.idle != b.idle or a.in_listener != b.in_listener:
        return False
    with_states = bool(a.stack.state and b.stack.state)
    if with_states and track.role != roles.BROKER_SEND and (a.doing in ADMISSIONS) != (b.doing in ADMISSIONS):
        # it got the lock or the connection in between; the locks of a broker are followed by their owners
        return False
    return a.work == b.work or lost_a_frame(a.work, b.work)


def lost_a_frame(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two stacks are one of which a line inside was lost: a thread that moves changes its top, or a line.

    A frame that stands in the shorter stack too is one of a recursion, which moves.
    """
    shorter, longer = sorted((one, other), key=len)
    if len(longer) - len(shorter) != 1 or len(shorter) < FEWEST_AROUND:
        return False
    at = next((at for at, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    return 0 < at < len(shorter) and shorter[at:] == longer[at + 1 :] and longer[at] not in shorter


def measure(track: Track, series: Series, samples: list[int]) -> Run:
    """What grew over these samples."""
    first, last = track.records[samples[0]], track.records[samples[-1]]
    assert first is not None
    assert last is not None
    cpu_ms = None
    if first.cpu_ms is not None and last.cpu_ms is not None:
        cpu_ms = round(max(last.cpu_ms - first.cpu_ms, 0.0), 3)
    same_frames = same_addresses = True
    for index in samples[:-1]:
        record = track.records[index]
        if record is not None:
            same_frames = same_frames and _same_frames(track, index, samples[-1])
            same_addresses = same_addresses and record.addresses == last.addresses
    return Run(
        first=samples[0],
        count=len(samples),
        seconds=_seconds(series, first.elapsed_s, last.elapsed_s, samples),
        cpu_growth_ms=cpu_ms,
        allocated_growth_bytes=allocated_between(first, last),
        same_frames=same_frames,
        same_addresses=same_addresses,
    )


def _same_frames(track: Track, one: int, other: int) -> bool:
    a, b = track.meanings[one], track.meanings[other]
    if a is b:
        return True
    if a is None or b is None:
        return False
    return a.visible_frames == b.visible_frames or lost_a_frame(a.visible_frames, b.visible_frames)


def _seconds(series: Series, first: float | None, last: float | None, samples: list[int]) -> float | None:
    if first is not None and last is not None:
        return round(max(last - first, 0.0), 3)
    begin, end = series.moments[samples[0]].seconds, series.moments[samples[-1]].seconds
    return None if begin is None or end is None else round(end - begin, 3)


def growth_ms(track: Track, one: int, other: int) -> float:
    """Milliseconds of CPU time between two samples."""
    first, last = track.records[one], track.records[other]
    if first is None or last is None or first.cpu_ms is None or last.cpu_ms is None:
        return 0.0
    # rounded, so that what a thread started from decides nothing: 72.02 - 72.0 is less than 14.13 - 14.11
    return round(last.cpu_ms - first.cpu_ms, 3)


class Rounded(dict[float, float]):
    """Differences of printed times, rounded once as they are compared: to a thousandth."""

    def __missing__(self, difference: float) -> float:
        rounded = self[difference] = round(difference, 3)
        return rounded


def what_decides(track: Track, rounded: Rounded) -> tuple[object, ...]:
    """All of a thread that `_decide` looks at; equal for threads that differ only in what they started from."""
    # a sample that is judged has the thread
    records = [record for index in track.judged if (record := track.records[index]) is not None]
    allocated = [record.allocated_bytes for record in records]
    return (
        track.role,
        # threads with the same stacks share the tuple of what these mean
        id(track.meanings),
        track.lacks_frames,
        track.last.cpu_from_system,
        None if track.last.coarse_cpu_ms is None else tuple([record.coarse_cpu_ms for record in records]),
        track.judged,
        _growths([record.cpu_ms for record in records], rounded),
        _growths([record.elapsed_s for record in records], rounded),
        None if allocated.count(None) == len(allocated) else tuple(allocated),
        _which_are_one([record.addresses for record in records]),
    )


def _growths(totals: list[float | None], rounded: Rounded) -> tuple[float | None, ...]:
    """From one sample to the next; the totals themselves where one is missing."""
    if None in totals:
        return tuple(totals)
    return tuple(map(rounded.__getitem__, map(sub, totals[1:], totals)))


def _which_are_one(addresses: list[tuple[str, ...]]) -> object:
    """Which objects of a thread's samples are the same, whatever addresses they have."""
    last = addresses[-1]
    if addresses.count(last) == len(addresses):
        return len(last)
    counts = list(map(len, addresses))
    if len(set().union(*addresses)) == sum(counts):
        return None, *counts  # no two are one
    numbers: dict[str, int] = {}
    return tuple([tuple([numbers.setdefault(one, len(numbers)) for one in of]) for of in addresses])
