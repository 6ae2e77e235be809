"""Rows about listeners: what they threw, and the messages on which orderly queues stand."""

from __future__ import annotations

from collections.abc import Iterable

from mqdiag.facts.logs import ListenerException
from mqdiag.facts.offset_logs import SuspendedQueue
from mqdiag.facts.vocabulary import ListenerKind
from mqdiag.logs.log_tally import ThrownKey
from mqdiag.logs.reader import ReadLog
from mqdiag.logs.tally import Span
from mqdiag.logs.zones import Zone, shown_time

MOST_ROWS = 20


def exception_rows(logs: Iterable[tuple[ReadLog, Zone]], of: ListenerKind) -> tuple[ListenerException, ...]:
    """One row for each group, exception and place; logs on a clock without a zone have rows of their own.

    Args:
        logs: with their zones.
        of: what the listeners were asked about.
    """
    merged: dict[tuple[ThrownKey, bool], tuple[int, Span, int | None]] = {}
    for log, zone in logs:
        for key, (count, span) in log.tally.thrown.items():
            if key.of != of:
                continue
            place = key, zone.minutes is not None
            before, total, shown_in = merged.get(place, (0, Span(), zone.minutes))
            total.take(span.shifted(zone.shift_ms))
            merged[place] = (before + count, total, shown_in)
    rows = [
        ListenerException(
            group=key.group,
            exception=key.exception,
            cause=key.cause,
            frame=key.frame,
            of=of,
            count=count,
            first=shown_time(span.first, zone),
            last=shown_time(span.last, zone),
        )
        for (key, _), (count, span, zone) in merged.items()
    ]
    rows.sort(key=lambda row: (-row.count, row.group or "", row.exception, row.frame or ""))
    return tuple(rows[:MOST_ROWS])


def suspended_rows(logs: Iterable[tuple[ReadLog, Zone]]) -> tuple[SuspendedQueue, ...]:
    """One row for each log and queue."""
    rows = []
    for log, zone in logs:
        for queue, row in log.tally.suspended.items():
            rows.append(
                SuspendedQueue(
                    group=queue.group,
                    topic=queue.topic,
                    broker=queue.broker,
                    queue_id=queue.queue_id,
                    offset=row.offset,
                    failures=row.failures,
                    reconsume_times=row.reconsume_times,
                    first=zone.shown(row.span.first),
                    last=zone.shown(row.span.last),
                )
            )
    rows.sort(key=lambda row: (-row.failures, row.group or "", row.topic or "", row.queue_id or 0))
    return tuple(rows[:MOST_ROWS])
