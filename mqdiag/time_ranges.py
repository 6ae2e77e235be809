"""When findings were: whether two of them can be one story.

A time range has no pause of more than ten minutes. A cause and its effect must have a range in common, or two that are
not further apart than the tolerance: ten minutes between lines of logs, an hour where one of them is from a dump or an
answer to mqadmin, which are one moment of something that began before.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from mqdiag.facts import HeapFacts, StacksFacts
from mqdiag.facts.logs import LogEvent
from mqdiag.findings import Finding, TimeRange

PAUSE = timedelta(minutes=10)
NEAR = timedelta(minutes=10)
NEAR_A_DUMP = timedelta(hours=1)
ANY_ZONE = timedelta(hours=14)
"""no two zones are further apart than twice this; one of them is a known one"""
MOST_RANGES = 20
_EARLIEST, _LATEST = datetime(1, 1, 3), datetime(9999, 12, 29)
_LONGEST_MS = 366 * 86_400_000
_DUMPS = frozenset({"heap", "stacks", "recordings", "admin"})


class Timed(Protocol):
    """A row of logs, with the times of its first line and its last."""

    @property
    def first(self) -> str | None:
        """Time of its first line."""

    @property
    def last(self) -> str | None:
        """Time of its last line."""


def ranges_of(events: Iterable[LogEvent]) -> tuple[TimeRange, ...]:
    """When the lines of these events were written; times that are none, as a saved report may have, are left out."""
    ranges: list[TimeRange] = []
    for event in events:
        try:
            ranges += _of_event(event)
        except (ValueError, TypeError, OverflowError):
            continue
    return joined(ranges)


def _of_event(event: LogEvent) -> list[TimeRange]:
    if event.first is None or event.last is None:
        return []
    first, last = _read(event.first), _read(event.last)
    if not event.series:
        return list(between(event.first, event.last))
    ranges = []
    width = timedelta(minutes=event.step_minutes)
    for point in event.series:
        begin = _read(point.at)
        if begin + width <= first or begin > last:
            continue  # of another group
        # the first and the last minute are known to the second
        at, end = max(begin, first), min(begin + width, last)
        ranges.append(TimeRange(first=at.isoformat(), last=max(at, end).isoformat()))
    return ranges


def between(
    first: str | None, last: str | None, *, longer_by: timedelta = timedelta()
) -> tuple[TimeRange, ...]:
    """One period; none where nothing tells.

    Args:
        first: its begin.
        last: its end, where that is another time.
        longer_by: how much longer it is than to that end.
    """
    if first is None:
        return ()
    try:
        begin, end = _read(first), _read(last or first) + longer_by
    except (ValueError, OverflowError):
        return ()
    if (begin.tzinfo is None) is not (end.tzinfo is None):
        return ()
    return (TimeRange(first=first, last=end.isoformat()),)


def periods(rows: Sequence[Timed]) -> tuple[TimeRange, ...]:
    """When the lines of some rows were written, each from its first line to its last."""
    each = [period for row in rows for period in between(row.first, row.last)]
    return tuple(each) if len(rows) == 1 else joined(each)


def joined(ranges: Iterable[TimeRange]) -> tuple[TimeRange, ...]:
    """Spells in order, those with a short pause between them as one; those of unknown zones stay by themselves."""
    whole = list(ranges)
    return tuple(
        period for known in (True, False) for period in _joined(one for one in whole if _known(one) is known)
    )


def _joined(ranges: Iterable[TimeRange]) -> list[TimeRange]:
    merged: list[tuple[datetime, datetime]] = []
    for first, last in sorted((_read(period.first), _read(period.last)) for period in ranges):
        if merged and first - merged[-1][1] <= PAUSE:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    while len(merged) > MOST_RANGES:
        pauses = [after[0] - before[1] for before, after in itertools.pairwise(merged)]
        place = pauses.index(min(pauses))
        merged[place : place + 2] = [(merged[place][0], merged[place + 1][1])]
    return [TimeRange(first=first.isoformat(), last=last.isoformat()) for first, last in merged]


def moments(
    heap: HeapFacts | None,
    stacks: StacksFacts | None,
    seen_in: tuple[str, ...],
    age_ms: float | None,
    asked_at: str | None = None,
) -> tuple[TimeRange, ...]:
    """When a finding of dumps or of answers to mqadmin was.

    Args:
        heap: of the finding.
        stacks: of the finding.
        seen_in: the kinds of evidence that show it.
        age_ms: for how long it had lasted when the heap dump was taken; None where nothing tells.
        asked_at: when mqadmin was asked.
    """
    found: list[TimeRange] = []
    if "heap" in seen_in and heap is not None and heap.captured_at is not None:
        back = timedelta(milliseconds=max(0, min(age_ms or 0, _LONGEST_MS)))
        found += _backwards(heap.captured_at, back)
    if "stacks" in seen_in and stacks is not None:
        # of some dumps the zone may be known, of others not: those of one clock
        times = [at for one in stacks.series if (at := one.captured_at) is not None] or [
            at for one in stacks.series if (at := one.captured_local) is not None
        ]
        found += between(min(times), max(times)) if times else ()
    if "admin" in seen_in:
        found += between(asked_at, None)
    return tuple(found)


def _backwards(end: str, by: timedelta) -> tuple[TimeRange, ...]:
    try:
        return (TimeRange(first=(_read(end) - by).isoformat(), last=end),)
    except (ValueError, OverflowError):
        return ()


def apart(one: Finding, other: Finding) -> bool | None:
    """Whether two findings are of different times; None where that cannot be told."""
    near = NEAR_A_DUMP if _DUMPS & {*one.seen_in, *other.seen_in} else NEAR
    return ranges_apart(one.when, other.when, near)


def ranges_apart(
    one: tuple[TimeRange, ...], other: tuple[TimeRange, ...], near: timedelta = NEAR
) -> bool | None:
    """Whether no period of one is near a period of the other; None where that cannot be told."""
    if not one or not other:
        return None
    told = [_apart(mine, theirs, near) for mine in one for theirs in other]
    if False in told:
        return False
    return None if None in told else True


def _apart(one: TimeRange, other: TimeRange, near: timedelta) -> bool | None:
    """Whether two ranges are apart; for a known and an unknown zone only the span of all zones decides."""
    mixed = _known(one) is not _known(other)
    slack = near + (ANY_ZONE if mixed else timedelta())
    mine, theirs = (tuple(_plain(period, keep=not mixed)) for period in (one, other))
    if mine[0] - theirs[1] > slack or theirs[0] - mine[1] > slack:
        return True
    return None if mixed else False


def _plain(period: TimeRange, *, keep: bool) -> Iterator[datetime]:
    """Both ends; without their zone where only one side has one, and then as UTC."""
    for text in (period.first, period.last):
        time = _read(text)
        if not keep and time.tzinfo is not None:
            offset = time.utcoffset() or timedelta()
            time = min(max(time.replace(tzinfo=None), _EARLIEST), _LATEST) - offset
        yield time


def _known(period: TimeRange) -> bool:
    return _read(period.first).tzinfo is not None


def _read(text: str) -> datetime:
    return datetime.fromisoformat(text)
