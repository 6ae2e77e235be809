"""What a verdict rests on, one line for each piece of evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from mqdiag.causes.one_clock import Clock
from mqdiag.facts import HeapFacts, LogsFacts, StacksFacts
from mqdiag.findings import Report
from mqdiag.text import NOTHING, Text, say

GROUPS_SHOWN = 3


def read_evidence(report: Report) -> tuple[Text, ...]:
    """The evidence that was read."""
    return tuple(_lines(report))


def _lines(report: Report) -> Iterator[Text]:
    own = report.process
    name = own.name if own is not None and report.other_processes else None
    clock = Clock(report)
    if report.heap is not None:
        yield _of(name, _heap(report.heap, clock))
    if report.stacks is not None:
        yield _of(name, _stacks(report.stacks))
    if own is not None and own.tied_by is not None:
        yield _of(
            name,
            say("the heap dump and the thread dumps come from one process: {tied_by}", tied_by=own.tied_by),
        )
    for other in report.other_processes:
        if other.heap is not None:
            yield _of(other.name, _heap(other.heap, clock))
        if other.stacks is not None:
            yield _of(other.name, _stacks(other.stacks))
    for recording in () if report.recordings is None else report.recordings.recordings:
        yield say(
            "a flight recording of {seconds:seconds}, from {began:time}: {events:count} events",
            recording,
            began=clock.told(recording.began_at),
        )
    if report.logs is not None:
        yield _logs(report.logs, clock)
    if report.stores is not None:
        yield say("{stores:count} {stores:store folder|store folders}", stores=len(report.stores.stores))
    for given in report.inputs:
        if given.kind == "service" and given.was_read:
            yield say("{format} in {path}", given)
    outputs = sum(1 for given in report.inputs if given.kind == "admin" and given.error is None)
    if outputs:
        yield say("{outputs:count} {outputs:output|outputs} of mqadmin", outputs=outputs)


def _of(process: str | None, line: Text) -> Text:
    return line if process is None else say("{process}: {line}", process=process, line=line)


def _heap(heap: HeapFacts, clock: Clock) -> Text:
    written = NOTHING
    if heap.captured_at is not None:
        written = say(", written {captured_at:time}", captured_at=clock.told(heap.captured_at))
    if heap.process_queues is None:
        return say("a heap dump{written}, counts only", written=written)
    return say(
        "a heap dump{written}: {consumers:count} {consumers:consumer|consumers}{groups}, {queues:count}"
        " {queues:queue|queues}, {messages:count} {messages:message|messages}",
        written=written,
        consumers=len(heap.consumers),
        groups=_groups(heap),
        queues=len(heap.queues),
        messages=heap.messages,
    )


def _groups(heap: HeapFacts) -> Text:
    groups = sorted({consumer.group for consumer in heap.consumers})
    if not groups:
        return NOTHING
    if len(groups) > GROUPS_SHOWN:
        return say(" of {groups} and others", groups=tuple(groups[:GROUPS_SHOWN]))
    return say(" of {groups:and}", groups=tuple(groups))


def _stacks(stacks: StacksFacts) -> Text:
    over = say(" over {seconds:seconds}", seconds=stacks.seconds) if stacks.seconds else NOTHING
    limits = NOTHING if stacks.judged else say("; they cannot tell progress from standstill")
    if stacks.pasted is not None:
        limits = say(
            "; somebody pasted {samples:it|them} into a log: {why}", samples=stacks.samples, why=stacks.pasted
        )
    elif stacks.may_be_pasted is not None:
        limits = say(
            "; somebody may have pasted {samples:it|them} into a log: {why}",
            samples=stacks.samples,
            why=stacks.may_be_pasted,
        )
    return say(
        "{samples:count} {samples:thread dump|thread dumps}{over}: {threads:count} {threads:thread|threads}{limits}",
        samples=stacks.samples,
        over=over,
        threads=len(stacks.threads),
        limits=limits,
    )


def _logs(logs: LogsFacts, clock: Clock) -> Text:
    return say(
        "{logs:count} {logs:log|logs}: {lines:count} {lines:line|lines}{span}",
        logs=len(logs.files),
        lines=logs.lines,
        span=_span(logs, clock),
    )


def _span(logs: LogsFacts, clock: Clock) -> Text:
    """The first and the last time of all logs in one zone; local times of an unknown zone are told apart."""
    times = [clock.at(time) for time in _times(logs)]
    known = [time for time in times if time.tzinfo is not None]
    local = [time for time in times if time.tzinfo is None]
    if known and local:
        return say(
            "{known}; others{local} local time",
            known=_from_to(known),
            local=_from_to(local),
        )
    if not known or clock.local is None or not max(known).utcoffset():
        return _from_to(known or local)
    first, last = (time.astimezone(UTC).isoformat() for time in (min(known), max(known)))
    return say(
        "{known} ({first_utc:clock} to {last_utc:clock} UTC)",
        known=_from_to(known),
        first_utc=first,
        last_utc=last,
    )


def _times(logs: LogsFacts) -> Iterator[datetime]:
    """Times that cannot be read or have no place in another zone, as a saved report may have, are left out."""
    for file in logs.files:
        for time in (file.first, file.last):
            try:
                at = datetime.fromisoformat(time or "")
            except ValueError:
                continue
            if datetime.min.year < at.year < datetime.max.year:
                yield at


def _from_to(times: Sequence[datetime]) -> Text:
    if not times:
        return NOTHING
    first, last = min(times), max(times)
    if first == last:
        return say(", at {first:time}", first=last.isoformat())
    if last.tzinfo is not None:
        first = first.astimezone(last.tzinfo)
    if first.date() == last.date():
        return say(", {first:time} to {last:clock}", first=first.isoformat(), last=last.isoformat())
    return say(", {first:time} to {last:time}", first=first.isoformat(), last=last.isoformat())
