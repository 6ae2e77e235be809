"""Tallies of all logs to facts: clocks aligned, tables cut to what a report can hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from mqdiag.facts.logs import (
    MOST_POINTS,
    MOST_SUBJECTS,
    LogEvent,
    LogFile,
    LogGroup,
    LogPoint,
    LogsFacts,
    LogSubject,
    PutLatency,
    PutMinute,
    ReplicaGap,
)
from mqdiag.logs.brokers import broker_names, with_names
from mqdiag.logs.latency import LatencyTally, Puts
from mqdiag.logs.reader import ReadLog
from mqdiag.logs.rows import flow_rows, gc_row, not_matched_rows, reset_rows
from mqdiag.logs.tally import EventTally
from mqdiag.logs.zones import Zone, shown_offset, shown_time, zone_of


def logs_facts(logs: Iterable[ReadLog], utc_offset_minutes: int | None = None) -> LogsFacts:
    """Facts of all logs.

    Args:
        logs: what was read.
        utc_offset_minutes: zone of logs that do not tell theirs.
    """
    read = list(logs)
    zones = [zone_of(log.shape, log.tally.zone_minutes, utc_offset_minutes) for log in read]
    merged: dict[tuple[str, str | None, bool], EventTally] = {}
    latency: dict[bool, LatencyTally] = {}
    shown_in = _common(zones)
    repeated = _repeated(read)
    names = broker_names(log.tally for log in read)
    for log, zone in zip(read, zones, strict=True):
        known, shift = zone.minutes is not None, -(zone.minutes or 0) * 60_000
        for (kind, side), event in log.tally.events.items():
            if (log.path, kind) in repeated:
                continue
            merged.setdefault((kind, side, known), EventTally(kind, side)).take(event, shift)
        if log.tally.latency.lines:
            latency.setdefault(known, LatencyTally()).take(log.tally.latency, shift)
    settings: dict[str, dict[str, None]] = {}
    for log in read:
        for name, value in log.tally.settings.items():
            settings.setdefault(name, {})[value] = None
    with_replica = {_folder(log.path) for log in read if log.tally.replica_seen}
    resets, left_out = reset_rows(read, zones)
    return LogsFacts(
        files=tuple(_file(log, zone) for log, zone in zip(read, zones, strict=True)),
        events=tuple(
            sorted(
                (_event(event, shown_in if known else None, names) for (_, _, known), event in merged.items()),
                key=lambda event: (-event.count, event.kind),
            )
        ),
        flow_control=flow_rows(read, zones),
        offset_resets=resets,
        resets_left_out=left_out,
        not_matched=not_matched_rows(read, zones),
        pagecachert=_latency(latency, shown_in),
        replica_gaps=tuple(
            _gap(log, zone, _folder(log.path) in with_replica)
            for log, zone in zip(read, zones, strict=True)
            if log.tally.gaps.lines
        ),
        gc=tuple(
            gc_row(log, zone)
            for log, zone in zip(read, zones, strict=True)
            if log.tally.gc.collections or log.tally.gc.pause_ms
        ),
        settings={name: ", ".join(values) for name, values in settings.items()},
        bytes=sum(log.counts.bytes for log in read),
        lines=sum(log.counts.lines for log in read),
    )


def _repeated(logs: list[ReadLog]) -> set[tuple[str, str]]:
    """Client events, as (path, kind), that another log of the same folder has as well.

    An application logs the exception that its client's own log has too. Rotated logs of one kind belong together;
    of different kinds in a folder the one with the most lines counts.
    """
    counts: dict[tuple[str, str], Counter[str]] = {}
    for log in logs:
        for (kind, side), event in log.tally.events.items():
            if side == "client":
                counts.setdefault((_folder(log.path), kind), Counter())[_stem(log.path)] += event.count
    return {
        (log.path, kind)
        for log in logs
        for (kind, side) in log.tally.events
        if side == "client" and _stem(log.path) != counts[_folder(log.path), kind].most_common(1)[0][0]
    }


def _stem(path: str) -> str:
    """The name that a log and its rotated ones share: app.log, app.log.1 and app-2026-11-21.log.gz."""
    name = path.rpartition("/")[2]
    return re.split(r"[.\-_]?\d|\.", name, maxsplit=1)[0]


def _common(zones: list[Zone]) -> int:
    """The zone that most logs have: times of several logs are shown in it."""
    known = Counter(zone.minutes for zone in zones if zone.minutes is not None)
    return known.most_common(1)[0][0] if known else 0


def _file(log: ReadLog, zone: Zone) -> LogFile:
    tally, shift = log.tally, -(zone.minutes or 0) * 60_000
    span = tally.span.shifted(shift)
    return LogFile(
        path=log.path,
        kind=log.shape.kind,
        format=log.shape.form,
        bytes=log.counts.bytes,
        lines=log.counts.lines,
        event_lines=log.counts.hit_lines + log.counts.hit_lines_unseen,
        unseen_lines=log.counts.hit_lines_unseen,
        first=shown_time(span.first, zone.minutes),
        last=shown_time(span.last, zone.minutes),
        utc_offset=None if zone.minutes is None else shown_offset(zone.minutes),
        offset_reason=zone.reason,
        whole_seconds=bool(tally.whole_seconds) or log.shape.form == "client-4",
        undated_events=sum(event.undated for event in tally.events.values()),
    )


def _event(event: EventTally, zone: int | None, names: Mapping[str, str]) -> LogEvent:
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
        values=event.values,
        example=event.example,
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


def _latency(by_clock: dict[bool, LatencyTally], shown_in: int) -> PutLatency | None:
    """All lines; of two clocks the times of the one with more lines."""
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
            from_10_ms=puts.from_10_ms,
            from_100_ms=puts.from_100_ms,
            from_1_s=puts.from_1_s,
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


def _folder(path: str) -> str:
    """Where a log lies: a broker's store.log shows the slaves whose lag broker.log has."""
    return path.rpartition("/")[0]


def _gap(log: ReadLog, zone: Zone, replica_seen: bool) -> ReplicaGap:
    gaps, shift = log.tally.gaps, -(zone.minutes or 0) * 60_000
    span = gaps.span.shifted(shift)
    return ReplicaGap(
        lines=gaps.lines,
        largest_bytes=gaps.largest,
        smallest_bytes=gaps.smallest,
        last_bytes=gaps.last,
        negative_lines=gaps.negative,
        growing=None if gaps.lines < 2 else gaps.last > gaps.first,
        replica_seen=replica_seen,
        first=shown_time(span.first, zone.minutes),
        last=shown_time(span.last, zone.minutes),
        path=log.path,
    )
