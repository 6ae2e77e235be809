"""Events in logs: which ones a rule looks at, and how a sentence says when they were, how many, and about what.

Each function that makes words has one beside it that gives the numbers of these words as evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from msgspec import structs

from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject, OfLogs
from mqdiag.findings import EvidenceValue, Subject
from mqdiag.text import Text, Value, placeholders, say, sentences

OUT_OF_MEMORY = ("out-of-memory", "out-of-direct-memory", "out-of-class-memory", "array-too-long")
"""an OutOfMemoryError, by the memory that ran out: the heap, direct memory, that of classes"""
MOST_NAMED = 3
"""subjects that a sentence names"""


def events(logs: LogsFacts, *kinds: str) -> list[LogEvent]:
    """The events of these kinds, on all clocks."""
    return [event for event in logs.events if event.kind in kinds]


def lines_of(found: Iterable[LogEvent]) -> int:
    """The lines of all these events."""
    return sum(event.count for event in found)


def enough(logs: LogsFacts, lines: int, limit: float) -> bool:
    """Whether there are as many lines as the limit says; of an excerpt, whose lines somebody chose, one is enough."""
    return lines > 0 and (lines >= limit or logs.is_excerpt)


def lines_by_one_clock(found: Iterable[LogEvent]) -> int:
    """The lines of these kinds, of several clocks the most: a client and its application log the same twice."""
    most: dict[str, int] = {}
    for event in found:
        most[event.kind] = max(most.get(event.kind, 0), event.count)
    return sum(most.values())


def files_of(found: Iterable[LogEvent]) -> tuple[str, ...]:
    """The files that these events were read from, each once."""
    return tuple(dict.fromkeys(path for event in found for path in event.files))


def folder_of(path: str) -> str:
    """Where a log lies: what was rotated is beside it, and another process has a folder of its own."""
    return path.rpartition("/")[0]


def by_broker(logs: LogsFacts) -> Iterator[LogsFacts]:
    """The logs of each broker by themselves, since a rule adds up nothing over two brokers.

    Logs of one broker, or of none, stay together.
    """
    if not logs.brokers:
        yield logs
    for broker in logs.brokers:
        yield structs.replace(
            logs,
            **{name: getattr(broker, name) for name in OfLogs.__struct_fields__},
            broker_version=broker.version,
            offset_resets=tuple(
                reset
                for reset in logs.offset_resets
                if (reset.broker, reset.instance) == (broker.name, broker.instance)
            ),
            brokers=(broker,),
        )


def of_broker(logs: LogsFacts) -> Subject:
    """The broker of one part of the logs; an empty subject where no line names it."""
    if len(logs.brokers) == 1:
        return Subject(broker=logs.brokers[0].name, instance=logs.brokers[0].instance)
    printed = logs.settings.get("brokerName")
    return Subject(broker=printed if printed and "," not in printed else None)


def one_of_several(logs: LogsFacts) -> Subject:
    """The broker where the logs are of several; an empty subject where they are of one."""
    return of_broker(logs) if logs.brokers else Subject()


def by_group(logs: LogsFacts, *kinds: str) -> dict[str | None, list[LogEvent]]:
    """These events in parts, each about one group; None for lines that name none.

    Events on two clocks stay two: a minute of one clock is no minute of the other.
    """
    parts: dict[str | None, list[LogEvent]] = {}
    for event in events(logs, *kinds):
        rest = event.count - sum(row.count for row in event.groups)
        for row in event.groups:
            subjects = tuple(one for one in event.subjects if one.group == row.group)
            parts.setdefault(row.group, []).append(
                structs.replace(
                    event,
                    count=row.count,
                    occurrences=row.occurrences,
                    first=row.first,
                    last=row.last,
                    peak_per_minute=row.peak_per_minute,
                    peak_at=row.peak_at,
                    subjects=subjects,
                    subjects_left_out=0,
                    groups=(row,),
                )
            )
        if not event.groups:
            parts.setdefault(only(event, "group"), []).append(event)
        elif rest > 0:
            nameless = tuple(one for one in event.subjects if one.group is None)
            parts.setdefault(None, []).append(
                structs.replace(event, count=rest, occurrences=None, subjects=nameless, groups=())
            )
    return parts


def is_set(logs: LogsFacts, name: str, value: str) -> bool:
    """Whether the start-up lines of a broker print this value; several values are separated by commas."""
    return value in logs.settings.get(name, "").split(", ")


def number_set(logs: LogsFacts, name: str) -> int | None:
    """A setting that start-up lines print with one whole number; None otherwise."""
    value = logs.settings.get(name, "")
    return int(value) if value.isdigit() else None


_AT, _AT_LOCAL = say("at {first:time}"), say("at {first:time} local time")
_CLOCKS, _CLOCKS_LOCAL = (
    say("from {first:time} to {last:clock}"),
    say("from {first:time} to {last:clock} local time"),
)
_TIMES, _TIMES_LOCAL = (
    say("from {first:time} to {last:time}"),
    say("from {first:time} to {last:time} local time"),
)
_PEAK_OF_DAY = say("{range}, at most {peak_per_minute:count} in the minute of {peak_at:clock}")
_PEAK = say("{range}, at most {peak_per_minute:count} in the minute of {peak_at:time}")
_SPANS = frozenset(one.template for one in (_AT, _AT_LOCAL, _CLOCKS, _CLOCKS_LOCAL, _TIMES, _TIMES_LOCAL))
_WITH_PEAK = frozenset((_PEAK_OF_DAY.template, _PEAK.template))


def between(first: str | None, last: str | None) -> Text:
    """From when to when, such as "from 12:00 to 12:05"; a time without a zone is said to be local."""
    if first is None:
        return say("at times that the log does not show")
    local = _is_local(first)
    if last is None or _same_second(first, last):
        return (_AT_LOCAL if local else _AT).filled({"first": first})
    # the second time needs no date and no zone of its own where they are those of the first
    known, unknown = (_CLOCKS, _CLOCKS_LOCAL) if _same_day(first, last) else (_TIMES, _TIMES_LOCAL)
    return (unknown if local else known).filled({"first": first, "last": last})


def by_clock(text: Text, told: Callable[[str], str]) -> Text:
    """A sentence with its times as another clock shows them; a local time that gets a zone is local no longer.

    Args:
        text: the sentence.
        told: gives a time as that clock shows it.
    """
    values = text.values
    if text.template in _SPANS:
        first, last = (values.get(name) for name in ("first", "last"))
        if isinstance(first, str):
            return between(told(first), told(last) if isinstance(last, str) else None)
    if text.template in _WITH_PEAK:
        span, peak_at = values["range"], values["peak_at"]
        if isinstance(span, Text) and isinstance(peak_at, str):
            first = span.values.get("first")
            first = told(first) if isinstance(first, str) else None
            return _with_peak(by_clock(span, told), first, values["peak_per_minute"], told(peak_at))
    kinds = dict(placeholders(text.template))
    changed = {name: _by_clock(value, kinds.get(name, ""), told) for name, value in values.items()}
    return text if changed == values else Text(text.template, changed)


def _by_clock(value: Value, kind: str, told: Callable[[str], str]) -> Value:
    if isinstance(value, Text):
        return by_clock(value, told)
    if isinstance(value, tuple):
        return tuple(_by_clock(one, kind, told) for one in value)
    # a local time by itself may be of another host than the logs
    return told(value) if kind == "time" and isinstance(value, str) and not _is_local(value) else value


def _same_day(one: str, other: str | None) -> bool:
    """Whether two times are of one day and one zone."""
    try:
        begin, end = datetime.fromisoformat(one), datetime.fromisoformat(other or "")
    except ValueError:
        return False
    return begin.date() == end.date() and begin.utcoffset() == end.utcoffset()


def _same_second(one: str, other: str) -> bool:
    """Whether two times are written alike: sentences have no parts of seconds."""
    try:
        return datetime.fromisoformat(one).replace(microsecond=0) == datetime.fromisoformat(other).replace(
            microsecond=0
        )
    except (TypeError, ValueError):
        return one == other


def _is_local(time: str) -> bool:
    try:
        return datetime.fromisoformat(time).tzinfo is None
    except ValueError:
        return False


def when(event: LogEvent) -> Text:
    """From when to when, and the worst minute."""
    if not _has_peak(event):
        return between(event.first, event.last)
    shown = between(event.first, event.last)
    return _with_peak(shown, event.first, event.peak_per_minute, event.peak_at)


def _with_peak(shown: Text, first: str | None, most: Value, peak_at: str | None) -> Text:
    on_that_day = first is not None and _same_day(first, peak_at)
    template = _PEAK_OF_DAY if on_that_day else _PEAK
    return template.filled({"range": shown, "peak_per_minute": most, "peak_at": peak_at})


def counted(found: Iterable[LogEvent]) -> dict[str, EvidenceValue]:
    """The numbers that sentences with `when` state about these events, in their order."""
    found = list(found)
    peaks = tuple(event.peak_per_minute for event in found if _has_peak(event) and event.peak_per_minute)
    return {
        "event_lines": tuple(event.count for event in found),
        **({"event_peaks_per_minute": peaks} if peaks else {}),
    }


def _has_peak(event: LogEvent) -> bool:
    """Whether the worst minute tells more than the number of lines."""
    peak = event.peak_per_minute or 0
    return 1 < peak < event.count and event.first != event.last


def busiest(event: LogEvent, part: str) -> str | None:
    """The most frequent group, topic, broker or thread of an event; None where no line names one."""
    counts: dict[str, int] = {}
    for row in event.subjects:
        name = getattr(row, part)
        if name is not None:
            counts[name] = counts.get(name, 0) + row.count
    return max(counts, key=lambda name: counts[name], default=None)


def only(event: LogEvent, part: str) -> str | None:
    """The one group, topic, broker or thread that all lines name; None where there are several or none."""
    names = {getattr(row, part) for row in event.subjects}
    return names.pop() if len(names) == 1 and not event.subjects_left_out else None


def most_frequent(event: LogEvent) -> Text | None:
    """The most frequent subjects with their lines; None where no line names one."""
    named = _named(event)
    if not named:
        return None
    words = tuple(say("{subject} ({lines:count})", subject=_words(row), lines=row.count) for row in named)
    if not (more := _more(event)):
        return Text("{subjects}", {"subjects": words})
    return say("{subjects} and {more:count} more", subjects=words, more=more)


def most_frequent_counted(*found: LogEvent) -> dict[str, EvidenceValue]:
    """The numbers of `most_frequent` for these events, in their order."""
    named = [row for event in found for row in _named(event)]
    numbers = {
        "subject_lines": tuple(row.count for row in named),
        "subject_queue_ids": tuple(row.queue_id for row in named if row.queue_id is not None),
        "further_subjects": tuple(more for event in found if (more := _more(event))),
    }
    return {name: value for name, value in numbers.items() if value}


def _named(event: LogEvent) -> list[LogSubject]:
    return [row for row in event.subjects[:MOST_NAMED] if _parts(row)]


def _more(event: LogEvent) -> int:
    return max(len(event.subjects) - MOST_NAMED, 0) + event.subjects_left_out


def _words(row: LogSubject) -> Text:
    return sentences(*_parts(row))


def _parts(row: LogSubject) -> list[Text]:
    parts = []
    if row.group:
        parts.append(say("group {group}", group=row.group))
    if row.topic:
        parts.append(say("topic {topic}", topic=row.topic))
    if row.broker:
        parts.append(say("broker {broker}", broker=row.broker))
    if row.queue_id is not None:
        parts.append(say("queue {queue_id}", queue_id=row.queue_id))
    if row.account:
        parts.append(say("access key {account}", account=row.account))
    if row.thread:
        parts.append(say("thread {thread}", thread=row.thread))
    return parts


def seconds_between(first: str | None, last: str | None) -> float:
    """From one time of a log to a later one; 0 where one is missing, or a saved report has no times there."""
    if first is None or last is None:
        return 0.0
    try:
        return (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()
    except (ValueError, TypeError):
        return 0.0
