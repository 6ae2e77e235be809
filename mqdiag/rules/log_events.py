"""How rules speak of events in logs: when they were, how many, about what."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from msgspec import structs

from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject, PutLatency
from mqdiag.findings import Subject, TimeRange
from mqdiag.text import say
from mqdiag.time_ranges import between as spell_between
from mqdiag.time_ranges import joined

BUSY_TEXTS = {
    "busy-reject": "[REJECTREQUEST]",
    "busy-overload": "[OVERLOAD]",
    "busy-pc-synchronized": "[PC_SYNCHRONIZED]",
    "busy-pc-clean": "[PCBUSY_CLEAN_QUEUE]",
    "busy-timeout-clean": "[TIMEOUT_CLEAN_QUEUE]",
}
"""what a sender sees, by the event's kind"""
FAST_PUTS = 1000
FAST_SHARE = 0.0001
"""of tens of thousands of puts not one in 100 ms: the yardstick of article 002"""


def events(logs: LogsFacts, *kinds: str) -> list[LogEvent]:
    """The events of these kinds, whichever clock they are on."""
    return [event for event in logs.events if event.kind in kinds]


def by_broker(logs: LogsFacts) -> Iterator[LogsFacts]:
    """The logs in parts of one broker each, as nothing is summed over two; all of them where there is one."""
    if not logs.brokers:
        yield logs
    for broker in logs.brokers:
        yield structs.replace(
            logs,
            events=broker.events,
            not_matched=broker.not_matched,
            pagecachert=broker.pagecachert,
            replica_gaps=broker.replica_gaps,
            settings=broker.settings,
            broker_version=broker.version,
            offset_resets=tuple(
                reset
                for reset in logs.offset_resets
                if (reset.broker, reset.instance) == (broker.name, broker.instance)
            ),
            brokers=(broker,),
        )


def of_broker(logs: LogsFacts) -> Subject:
    """The broker that a part of the logs is of; nothing where they are of one that no line names."""
    if len(logs.brokers) == 1:
        return Subject(broker=logs.brokers[0].name, instance=logs.brokers[0].instance)
    printed = logs.settings.get("brokerName")
    return Subject(broker=printed if printed and "," not in printed else None)


def told_apart(logs: LogsFacts) -> Subject:
    """The broker, where the logs are of several; what the lines of a single one are about stays as it is."""
    return of_broker(logs) if logs.brokers else Subject()


def by_group(logs: LogsFacts, *kinds: str) -> dict[str | None, list[LogEvent]]:
    """These events in parts, each about one group; None for lines that name none.

    Of two clocks a part stays in two: what a group's hosts log on either is not one minute's.
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
    """Whether a broker's start-up lines print this value; several brokers' values stand with commas between."""
    return value in logs.settings.get(name, "").split(", ")


def lines(count: int, text: str) -> str:
    """1 line `x`, 12 lines `x`."""
    return f"{say('{number:count} {number:line|lines}', number=count)} {text}"


def between(first: str | None, last: str | None) -> str:
    """From when to when."""
    if first is None:
        return say("at times that the log does not tell")
    return (
        say("at {first}", first=first)
        if first == last or last is None
        else say("from {first} to {last}", first=first, last=last)
    )


def when(event: LogEvent) -> str:
    """From when to when, and the worst minute."""
    said = between(event.first, event.last)
    if event.peak_per_minute and event.peak_per_minute > 1 and event.first != event.last:
        said += say(
            ", at most {peak_per_minute:count} in the minute of {peak_at}",
            peak_per_minute=event.peak_per_minute,
            peak_at=event.peak_at,
        )
    return said


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


def rows_said(event: LogEvent, most: int = 3) -> str:
    """The most frequent subjects in words."""
    named = [f"{_subject(row)} ({row.count:,})" for row in event.subjects[:most] if _subject(row)]
    more = len(event.subjects) - most + event.subjects_left_out
    return ", ".join(named) + (say(" and {more:count} more", more=more) if named and more > 0 else "")


def _subject(row: LogSubject) -> str:
    parts = [
        say("group {group}", group=row.group) if row.group else "",
        say("topic {topic}", topic=row.topic) if row.topic else "",
        say("broker {broker}", broker=row.broker) if row.broker else "",
        say("queue {queue_id}", queue_id=row.queue_id) if row.queue_id is not None else "",
        row.thread or "",
    ]
    return " ".join(part for part in parts if part)


def slow_ranges(put: PutLatency | None) -> tuple[TimeRange, ...]:
    """The minutes in which writes took 100 ms or more."""
    if put is None:
        return ()
    width = timedelta(minutes=put.step_minutes)
    slow = [point.at for point in put.series if point.from_100_ms and point.at]
    return joined(period for at in slow for period in spell_between(at, None, longer_by=width))


def writes_fast(logs: LogsFacts) -> bool:
    """The broker's own distribution proves that it writes fast; it needs enough puts to say so."""
    put = logs.pagecachert
    return put is not None and put.puts >= FAST_PUTS and put.from_100_ms <= FAST_SHARE * put.puts
