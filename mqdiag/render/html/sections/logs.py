"""Logs: events over time, the broker's write latency, collections, and all of it in tables."""

from __future__ import annotations

from datetime import datetime

from mqdiag.facts.logs import LogEvent, LogsFacts, PutLatency
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.figures.event_series import Series, event_series
from mqdiag.render.html.page.cells import (
    age_cell,
    count_cell,
    decimal_cell,
    offset_cell,
    share_cell,
    size_cell,
    table,
)
from mqdiag.render.html.page.parts import AnyPart, Cell, Column, Figure, Fold, Pairs, Section, Table
from mqdiag.render.wording.sizes import number, size
from mqdiag.text import say

MOST_SERIES = 16


def logs_section(report: Report, view: View) -> Section | None:
    """Nothing without logs."""
    logs = report.logs
    if logs is None:
        return None
    parts: list[AnyPart] = []
    drawn = _series(logs)
    if drawn is not None:
        parts.append(drawn)
    if logs.events:
        parts.append(_events(logs))
        parts += [
            Fold(summary=say("{words} by subject", words=_words(event.kind)), parts=[_subjects(event, place)])
            for place, event in enumerate(logs.events)
            if event.subjects
        ]
    if logs.pagecachert is not None:
        parts.append(_latency(logs.pagecachert, "", 0))
    parts += [
        _latency(broker.pagecachert, say(" of {broker}", broker=broker.called), place)
        for place, broker in enumerate(logs.brokers, 1)
        if broker.pagecachert is not None and broker.pagecachert.puts
    ]
    parts += _more(logs)
    for of, settings in (("", logs.settings), *((one.called, one.settings) for one in logs.brokers)):
        if settings:
            summary = say("Settings that start-up lines print") + (f": {of}" if of else "")
            parts.append(Fold(summary=summary, parts=[Pairs(sorted(settings.items()))]))
    parts.append(_files(logs))
    return Section(name="logs", title=say("Logs"), parts=parts)


def _words(kind: str) -> str:
    return kind.replace("-", " ")


def _seconds(when: str) -> float | None:
    try:
        return datetime.fromisoformat(when).timestamp()
    except ValueError:
        return None


def _series(logs: LogsFacts) -> Figure | None:
    series = []
    ends: list[tuple[float, str]] = []
    for event in logs.events[:MOST_SERIES]:
        points = [
            (at, float(point.count), point.at)
            for point in event.series
            if (at := _seconds(point.at)) is not None
        ]
        if points:
            ends += [(points[0][0], points[0][2]), (points[-1][0], points[-1][2])]
            series.append(
                Series(
                    label=_words(event.kind),
                    points=points,
                    step_seconds=60.0 * event.step_minutes,
                    total_text=say("{count:count} lines", count=event.count),
                )
            )
    if not series:
        return None
    first, last = min(ends), max(ends)
    most = max(logs.events, key=lambda event: event.count)
    return Figure(
        svg=event_series(
            say(
                "What was logged from {first} to {last}; most often {words}, {count:count} lines",
                first=first[1],
                last=last[1],
                words=_words(most.kind),
                count=most.count,
            ),
            series,
            first[1],
            last[1],
        ),
        caption=say("Events over time, each row against its own largest step; the table has the numbers."),
    )


def _events(logs: LogsFacts) -> Table:
    return Table(
        name="events",
        caption=say("Events"),
        columns=(
            Column(head=say("event")),
            Column(head=say("side")),
            Column(head=say("lines"), number=True),
            Column(head=say("stand for"), number=True),
            Column(head=say("first")),
            Column(head=say("last")),
            Column(head=say("most a minute"), number=True),
            Column(head=say("example")),
        ),
        rows=[
            (
                _words(one.kind),
                one.side or "",
                Cell(number(one.count), one.count),
                Cell("" if one.occurrences is None else number(one.occurrences), one.occurrences or -1),
                one.first or "",
                one.last or "",
                Cell(
                    "" if one.peak_per_minute is None else number(one.peak_per_minute),
                    one.peak_per_minute or -1,
                ),
                one.example,
            )
            for one in logs.events
        ],
    )


def _subjects(event: LogEvent, place: int) -> Table:
    note = ""
    if event.subjects_left_out:
        note = say(
            "and {subjects_left_out:count} more with {lines_left_out:count} lines",
            subjects_left_out=event.subjects_left_out,
            lines_left_out=event.lines_left_out,
        )
    return Table(
        name=f"subjects-{place}",
        caption=_words(event.kind),
        columns=(
            Column(head=say("group")),
            Column(head=say("topic")),
            Column(head=say("broker")),
            Column(head=say("queue"), number=True),
            Column(head=say("thread")),
            Column(head=say("lines"), number=True),
            Column(head=say("first")),
            Column(head=say("last")),
        ),
        rows=[
            (
                one.group or "",
                one.topic or "",
                one.broker or "",
                Cell("", -1) if one.queue_id is None else Cell(str(one.queue_id), one.queue_id),
                one.thread or "",
                Cell(number(one.count), one.count),
                one.first or "",
                one.last or "",
            )
            for one in event.subjects
        ],
        note=note,
    )


def _latency(latency: PutLatency, of: str, place: int) -> Table:
    total = max(latency.puts, 1)
    return Table(
        name=f"latency-{place}" if place else "latency",
        caption=say("How long the broker's {puts:count} puts took", puts=latency.puts) + of,
        columns=(
            Column(head=say("took")),
            Column(head=say("puts"), number=True),
            Column(head=say("share"), number=True),
        ),
        rows=[
            (bucket, Cell(number(puts), puts), Cell(f"{100 * puts / total:.3f} %", puts / total))
            for bucket, puts in latency.buckets.items()
        ],
    )


def _more(logs: LogsFacts) -> list[AnyPart]:
    parts: list[AnyPart] = []
    if logs.flow_control:
        flow = [
            (
                one.group or "",
                one.kind,
                count_cell(one.lines),
                count_cell(one.occurrences),
                count_cell(one.threshold),
                count_cell(one.largest),
                decimal_cell(one.queues_held_back),
                ", ".join(one.topics),
            )
            for one in logs.flow_control
        ]
        heads = ["group", "by", "#lines", "#stand for", "#threshold", "#largest", "#queues held back", "topics"]
        parts.append(table("flow-control", "Pulls that clients held back", heads, flow))
    if logs.offset_resets:
        resets = [
            (
                one.group or "",
                one.topic or "",
                offset_cell(one.queue_id),
                offset_cell(one.requested),
                offset_cell(one.given),
                count_cell(one.count),
                one.first or "",
            )
            for one in logs.offset_resets
        ]
        heads = ["group", "topic", "#queue", "#asked for", "#given", "#times", "first"]
        parts.append(table("resets", "Offsets that a broker corrected", heads, resets))
    if logs.not_matched:
        missed = [
            (
                one.thread or "",
                one.place,
                count_cell(one.count),
                offset_cell(one.requested),
                offset_cell(one.first_offset),
                offset_cell(one.last_offset),
            )
            for one in logs.not_matched
        ]
        heads = ["thread", "where it lies", "#lines", "#asked for", "#first offset", "#last offset"]
        parts.append(table("not-matched", "Offsets that no store file holds", heads, missed))
    if logs.replica_gaps:
        gaps = [
            (
                one.path,
                count_cell(one.lines),
                size_cell(one.largest_bytes),
                size_cell(one.smallest_bytes),
                size_cell(one.last_bytes),
            )
            for one in logs.replica_gaps
        ]
        heads = ["file", "#lines", "#furthest behind", "#least", "#last"]
        parts.append(table("replicas", "Slave behind its master; below zero it is ahead", heads, gaps))
    if logs.gc:
        collected = [
            (
                one.path,
                count_cell(one.collections),
                count_cell(one.full),
                age_cell(round(one.pause_ms)),
                age_cell(round(one.longest_pause_ms)),
                share_cell(one.worst_share),
                size_cell(one.heap_bytes),
                size_cell(one.heap_after_bytes),
            )
            for one in logs.gc
        ]
        heads = [
            "file",
            "#collections",
            "#full",
            "#pauses",
            "#longest",
            "#worst minute",
            "#heap",
            "#left after",
        ]
        parts.append(table("gc", "Collections", heads, collected))
    return parts


def _files(logs: LogsFacts) -> Table:
    return Table(
        name="log-files",
        caption=say("Log files"),
        columns=(
            Column(head=say("file")),
            Column(head=say("kind")),
            Column(head=say("size"), number=True),
            Column(head=say("lines"), number=True),
            Column(head=say("first")),
            Column(head=say("last")),
            Column(head=say("clock")),
        ),
        rows=[
            (
                one.path,
                one.kind,
                Cell(size(one.bytes), one.bytes),
                Cell(number(one.lines), one.lines),
                one.first or "",
                one.last or "",
                one.utc_offset or one.offset_reason,
            )
            for one in logs.files
        ],
    )
