"""Tallies to facts: events, the broker's write latency, and the gap between master and slave."""

from __future__ import annotations

from collections.abc import Mapping

from mqdiag.facts.logs import MOST_POINTS, MOST_SUBJECTS, LogEvent, LogGroup, LogPoint, LogSubject
from mqdiag.facts.store_logs import PutLatency, PutMinute, ReplicaGap
from mqdiag.logs.brokers import with_names
from mqdiag.logs.latency import LatencyTally, Puts
from mqdiag.logs.reader import ReadLog
from mqdiag.logs.tally import EventTally
from mqdiag.logs.zones import Zone, shown_time


def event_facts(event: EventTally, zone: int | None, names: Mapping[str, str]) -> LogEvent:
    """One kind of event.

    Args:
        event: all its lines.
        zone: to show its times in; None where it is not known.
        names: brokers' names by address.
    """
    step, points = event.minutes.points(MOST_POINTS)
    rows = sorted(with_names(event.subjects, names).items(), key=lambda item: (-item[1].count, str(item[0])))
    shown, rest = rows[:MOST_SUBJECTS], rows[MOST_SUBJECTS:]
    return LogEvent(
        kind=event.kind,
        side=event.side,
        count=event.count,
        occurrences=event.weight,
        first=shown_time(event.span.first, zone),
        last=shown_time(event.span.last, zone),
        peak_per_minute=event.minutes.peak or None,
        peak_at=shown_time(event.minutes.peak_at, zone),
        step_minutes=step,
        series=tuple(LogPoint(at=shown_time(at, zone) or "", count=count) for at, count in points),
        subjects=tuple(
            LogSubject(
                group=subject.group,
                topic=subject.topic,
                broker=subject.broker,
                queue_id=subject.queue_id,
                thread=subject.thread,
                member=subject.member,
                service=subject.service,
                account=subject.account,
                count=row.count,
                first=shown_time(row.span.first, zone),
                last=shown_time(row.span.last, zone),
            )
            for subject, row in shown
        ),
        subjects_left_out=event.dropped_subjects + len(rest),
        lines_left_out=event.dropped_lines + sum(row.count for _, row in rest),
        groups=_groups(event, zone),
        sampled=event.sampled,
        unsigned=event.unsigned,
        values=event.values,
        example=event.example,
        example_line=event.line,
        files=tuple(event.files),
    )


def _groups(event: EventTally, zone: int | None) -> tuple[LogGroup, ...]:
    ordered = sorted(event.groups.items(), key=lambda item: (-item[1].lines, item[0]))
    return tuple(
        LogGroup(
            group=name,
            count=row.lines,
            occurrences=row.weight,
            first=shown_time(row.span.first, zone),
            last=shown_time(row.span.last, zone),
            peak_per_minute=row.minutes.peak or None,
            peak_at=shown_time(row.minutes.peak_at, zone),
        )
        for name, row in ordered[:MOST_SUBJECTS]
    )


def latency_facts(by_clock: Mapping[bool, LatencyTally], shown_in: int) -> PutLatency | None:
    """All lines of one broker; of two clocks the times of the one with more lines."""
    if not by_clock:
        return None
    known = max(by_clock, key=lambda clock: by_clock[clock].lines)
    zone = shown_in if known else None
    tally = by_clock[known]
    step, points = tally.points(MOST_POINTS)

    def minute(at: int | None, puts: Puts) -> PutMinute:
        return PutMinute(
            at=shown_time(at, zone) or "",
            puts=puts.total,
            from_100_ms=puts.from_100_ms,
        )

    return PutLatency(
        lines=tally.lines,
        puts=tally.puts.total,
        buckets=tally.buckets,
        from_10_ms=tally.puts.from_10_ms,
        from_100_ms=tally.puts.from_100_ms,
        from_1_s=tally.puts.from_1_s,
        slow_minutes=tally.slow_minutes,
        worst=None if tally.worst is None else minute(tally.worst_at, tally.worst),
        first=shown_time(tally.span.first, zone),
        last=shown_time(tally.span.last, zone),
        step_minutes=step,
        series=tuple(minute(at, puts) for at, puts in points),
    )


def gap_facts(log: ReadLog, zone: Zone, *, replica_seen: bool) -> ReplicaGap:
    """How far the slave of one log was behind."""
    gaps = log.tally.gaps
    return ReplicaGap(
        lines=gaps.lines,
        largest_bytes=gaps.largest,
        smallest_bytes=gaps.smallest,
        last_bytes=gaps.last,
        negative_lines=gaps.negative,
        growing=None if gaps.lines < 2 else gaps.last > gaps.first,
        replica_seen=replica_seen,
        first=zone.shown(gaps.span.first),
        last=zone.shown(gaps.span.last),
        path=log.path,
    )
