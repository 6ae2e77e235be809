"""What the lines of the logs say: events over time and by subject, connections, flow control."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqdiag.facts.logs import LogEvent, LogGroup, LogsFacts, LogSubject
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.figures.event_series import Series, Step, event_series, moment, steps, time_range
from mqdiag.render.parts import (
    AnyPart,
    Bullets,
    Column,
    Figure,
    Fold,
    Paragraph,
    Section,
    Table,
)
from mqdiag.render.tables import Tables
from mqdiag.text import NOTHING, Text, Value, say

TABLES = Tables("log_events")

_EVENTS = (30, 2000)
_SUBJECTS_TOLD = 3
_EVENTS_TOLD = 12
_MOST_SERIES = 16
_CELLS = 12
_BARS = " ▁▂▃▄▅▆▇█"
FULL_FILE_EDGE = "offset-not-matched-full-file-edge"
"""a request for exactly the end of a full file, as every broker makes them"""
_SUBJECT = (
    ("group", say("group {group}")),
    ("topic", say("topic {topic}")),
    ("broker", say("broker {broker}")),
    ("queue_id", say("queue {queue_id}")),
    ("thread", say("{thread}")),
)


def log_events_section(report: Report, view: View) -> Iterator[Section]:
    """One section for the events, one for flow control, one for connections."""
    logs = report.logs
    if logs is None:
        return
    if logs.events:
        yield Section(
            name="events", title=say("Events in the logs"), short_title=say("Events"), parts=[*_events(logs)]
        )
    if logs.flow_control:
        yield Section(
            name="flow-control",
            title=say("Flow control of consumers"),
            short_title=say("Flow control"),
            parts=(TABLES.table("flow-control", logs.flow_control),),
        )
    if logs.connections:
        yield Section(
            name="connections",
            title=say("Connections in the logs"),
            short_title=say("Connections"),
            parts=(
                TABLES.table(
                    "connections",
                    logs.connections,
                    direction=lambda one: say("from it") if one.incoming else say("to it"),
                ),
            ),
        )


def _events(logs: LogsFacts) -> Iterator[AnyPart]:
    words = [*_in_words(logs)]
    series = [*_series(logs.events[:_MOST_SERIES])]
    if series:
        yield _figure(logs, series, words)
    else:
        yield from words
    yield TABLES.table("events", logs.events, occurrences=_other_occurrences, numbers=_numbers)
    for place, event in enumerate(logs.events):
        yield from _breakdown(event, place)


def _in_words(logs: LogsFacts) -> Iterator[AnyPart]:
    """Times without a zone are in a table of their own: they cannot be set against the others."""
    for zoned in (True, False):
        events = [event for event in logs.events if _has_zone(event) is zoned]
        if events:
            yield from _over_time(events, "over-time" if zoned else "over-local-time", zoned)
    lines = [*_subjects_told(logs)]
    if logs.event(FULL_FILE_EDGE) is not None:
        lines.append(
            say(
                "{kind} is harmless: it is a request for exactly the end of the last file, when that file is full"
                " and the next one does not exist yet.",
                kind=FULL_FILE_EDGE,
            )
        )
    if lines:
        yield Bullets(lines)


def _has_zone(event: LogEvent) -> bool:
    first = moment(event.first)
    return first is None or first.tzinfo is not None


def _over_time(events: list[LogEvent], name: str, zoned: bool) -> Iterator[AnyPart]:
    begin, end = _range(events)
    one_day = begin is not None and end is not None and begin[:10] == end[:10]
    yield Table(
        name=name,
        columns=(
            Column(say("event"), of=_kind, whole=True),
            Column(say("lines"), "count", of="count"),
            Column(say("peak/min"), "count", of="peak_per_minute"),
            Column(say("first"), "clock" if one_day else "time", of="first", whole=one_day),
            Column(say("over time"), of=lambda one: _bars(one, begin, end), whole=True),
        ),
        rows_of=events,
        shown=_EVENTS,
        rest=lambda rows: say("and {hidden:count} more {hidden:kind|kinds} of event", hidden=len(rows)),
    )
    if begin is not None and end is not None:
        template = (
            say("over time: {begin:time} to {end:time}")
            if zoned
            else say("over time: {begin:time} to {end:time}, in the local times of the logs")
        )
        yield Paragraph(template.filled({"begin": begin, "end": end}), soft=True)


def _kind(event: LogEvent) -> Value:
    """Clients and brokers both log "busy", each from its own side."""
    if event.side and event.kind.startswith("busy"):
        return say("{kind} ({side})", event)
    return event.kind


def _range(events: list[LogEvent]) -> tuple[str | None, str | None]:
    firsts = [(at, event.first) for event in events if (at := moment(event.first)) is not None]
    lasts = [(at, event.last) for event in events if (at := moment(event.last)) is not None]
    if not firsts or not lasts:
        return None, None
    return min(firsts)[1], max(lasts)[1]


def _bars(event: LogEvent, begin: str | None, end: str | None) -> str:
    """Lines by equal parts of the whole time, as heights: a step that is longer than a part fills several of them."""
    start, stop = moment(begin), moment(end)
    if start is None or stop is None or not event.series:
        return ""
    part = (stop - start) / _CELLS
    counts = [0.0] * _CELLS
    for step in _steps(event):
        first = 0 if not part else min(max((step.begin - start) // part, 0), _CELLS - 1)
        after = 0 if not part else min((step.end - start) // part, _CELLS)
        for place in range(first, max(after, first + 1)):
            counts[place] += step.amount
    most = max(counts)
    # A single line among thousands must still be seen.
    return "".join(_BARS[int(-(-count * (len(_BARS) - 1) // most))] if count else "·" for count in counts)


def _steps(event: LogEvent) -> list[Step]:
    return steps(
        ((point.at, point.count) for point in event.series), 60.0 * event.step_minutes, event.first, event.last
    )


def _subjects_told(logs: LogsFacts) -> Iterator[Text]:
    """Who and what the most frequent events are about."""
    for event in logs.events[:_EVENTS_TOLD]:
        named = [(name, row.count) for row in event.subjects if (name := _name(row))]
        if not named:
            continue
        most = tuple(
            say("{subject} ({lines:count})", subject=name, lines=count)
            for name, count in named[:_SUBJECTS_TOLD]
        )
        hidden = len(named) - len(most) + event.subjects_left_out
        told = say("{kind}: {most}", kind=event.kind, most=most)
        yield say("{told} and {hidden:count} more", told=told, hidden=hidden) if hidden > 0 else told


def _name(row: LogSubject) -> Text | None:
    """Group, topic, broker, queue and thread, as far as the lines name them."""
    text = None
    for name, words in _SUBJECT:
        value = getattr(row, name)
        if value is not None:
            part = words.filled({name: value})
            text = part if text is None else say("{text} {part}", text=text, part=part)
    return text


def _series(events: Sequence[LogEvent]) -> Iterator[Series]:
    for event in events:
        made = _steps(event)
        if made:
            yield Series(
                label=event.kind,
                steps=made,
                total=say("{lines:count} {lines:line|lines}", lines=event.count),
            )


def _figure(logs: LogsFacts, series: list[Series], words: Sequence[AnyPart]) -> Figure:
    first, last = time_range(series)
    most = max(logs.events, key=lambda event: event.count)
    title = say(
        "What was logged from {first:time} to {last:time}; most often {kind}, {lines:count} {lines:line|lines}",
        first=first,
        last=last,
        kind=most.kind,
        lines=most.count,
    )
    return Figure(
        draw=lambda write: event_series(write, title, series),
        caption=say("Events over time, each row against its own largest step; the table has the numbers."),
        words=words,
    )


def _other_occurrences(event: LogEvent) -> int | None:
    """Those of an event of which not each has a line."""
    return None if event.occurrences == event.count else event.occurrences


def _occurrences(event: LogEvent | LogGroup) -> int:
    return event.count if event.occurrences is None else event.occurrences


def _numbers(event: LogEvent) -> Value:
    """What the lines carry, such as largest_wait_ms."""
    return tuple(say("{name} {value:count}", name=name, value=value) for name, value in event.values.items())


def _breakdown(event: LogEvent, place: int) -> Iterator[Fold]:
    """The lines of an event by what they are about, and by group."""
    if event.subjects:
        yield Fold(say("{kind} by subject", kind=event.kind), (_by_subject(event, place),), wide=True)
    if event.groups:
        yield Fold(
            say("{kind} by consumer group", kind=event.kind),
            (
                TABLES.table(
                    "event-groups", event.groups, name=f"event-groups-{place}", occurrences=_occurrences
                ),
            ),
            wide=True,
        )


def _by_subject(event: LogEvent, place: int) -> Table:
    note = NOTHING
    if event.subjects_left_out:
        note = say(
            "and {subjects_left_out:count} more with {lines_left_out:count} {lines_left_out:line|lines}", event
        )
    return TABLES.table("subjects", event.subjects, name=f"subjects-{place}", note=note)
