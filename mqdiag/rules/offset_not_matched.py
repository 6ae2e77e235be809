"""The store is asked again and again for offsets that none of its files holds."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts, OffsetNotMatched
from mqdiag.facts.vocabulary import OffsetPlace
from mqdiag.findings import Confidence, EvidenceValue, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs
from mqdiag.rules.shared.excerpts import enough, surest
from mqdiag.rules.shared.log_events import between, one_of_several
from mqdiag.text import NOTHING, Text, say, sentences
from mqdiag.time_ranges import between as range_between
from mqdiag.time_ranges import joined

DELETED = "PullMessageThread"
"""consumers that pull through deleted data are a rule of their own"""
HARMLESS = "full-file-edge"
DECISIVE = "dispatch-position-lost"
"""a dispatch that looks outside of the files never comes back by itself: one line proves it"""
MOST_ROWS = 5
"""rows that are explained"""
_CAUSES = (
    ("WriteSocketService", "beyond-last", "slave-ahead"),
    ("WriteSocketService", "below-first", "slave-too-far-behind"),
    ("Flush", "below-first", "flush-position-lost"),
    ("CommitRealTimeService", "below-first", "flush-position-lost"),
    ("GroupCommitService", "below-first", "flush-position-lost"),
    ("ReputMessageService", "", "dispatch-position-lost"),
    ("ScheduleMessageTimerThread", "", "delay-offset-stale"),
)
"""by the thread that asks and where the offset lies"""
_REMEDIES = {
    "slave-ahead": (
        say("Save the slave's store before any restart: it holds what the master has lost."),
        say(
            "Copy commitlog, consumequeue and config of the slave to the master, or build the slave again from the"
            " master."
        ),
    ),
    "slave-too-far-behind": (
        say(
            "Stop the slave, remove its store (keep a copy), and let it start again: it copies what the master has."
        ),
        say("Keep files longer (fileReservedTime) than a slave may be away."),
    ),
    "flush-position-lost": (
        say("Save the store and restart the broker; from 4.2.0 on the flush finds its position again."),
        say("Brokers 4.0.0 and 4.1.0 do not flush at all in this state (ROCKETMQ-270): upgrade."),
    ),
    "dispatch-position-lost": (
        say("Save the store, then restart the broker: it dispatches again from its files."),
    ),
    "delay-offset-stale": (
        say(
            "Compare config/delayOffset.json with the queues of SCHEDULE_TOPIC_XXXX; an old copy of config causes this."
        ),
    ),
    "unknown": (
        say(
            "Find the part of the broker by the thread's name, and compare the offset with the files of the store."
        ),
    ),
}

RULE = Rule(
    name="offset-not-matched",
    title="The store is asked again and again for offsets that it does not hold",
    why=(
        "`Offset not matched` floods storeerror.log, with a gigabyte in ten minutes. The thread that asks, and whether"
        " the offset lies before the first file or beyond the last, show the reason. A request for exactly the end of"
        " the last file is harmless: that file is full and the next one does not exist yet."
    ),
    causes=(
        "slave-ahead",
        "slave-too-far-behind",
        "flush-position-lost",
        "dispatch-position-lost",
        "delay-offset-stale",
        "unknown",
    ),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Look at the thread that asks and at where the offset lies; the finding names both.",
        "Save the stores of master and slave before any restart.",
    ),
    references=(
        "article 003: restart of a master after a power loss",
        "https://github.com/apache/rocketmq/issues/240",
        "https://github.com/apache/rocketmq/issues/3161",
        "https://github.com/apache/rocketmq/issues/3253",
        "MappedFileQueue.findMappedFileByOffset",
    ),
    limits={"lines": 10, "error_per_minute": 600},
    explained_by=("slave-behind:slave-ahead",),
    lies_at="broker",
)


def _facts(thread: str, place: OffsetPlace) -> Facts:
    row = OffsetNotMatched(
        thread=thread,
        place=place,
        count=5000,
        peak_per_minute=2500,
        requested=5_870_000,
        first_offset=0,
        last_offset=5_242_880,
        first="2026-11-21T20:01:00+08:00",
        last="2026-11-21T20:02:00+08:00",
    )
    return Facts(logs=LogsFacts(not_matched=(row,)))


def fires() -> Facts:
    """The slave's connection asks for data beyond the end."""
    return _facts("WriteSocketService", "beyond-last")


def silent() -> Facts:
    """The end of the last full file: logged as often, and harmless."""
    return _facts("FlushConsumeQueueService", "full-file-edge")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker and cause."""
    for logs in brokers_of_logs(facts):
        yield from _of_broker(logs, limits)


def _of_broker(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    by_cause: dict[str, list[OffsetNotMatched]] = {}
    for row in logs.not_matched:
        if row.place != HARMLESS and not (row.thread == DELETED and row.place == "below-first"):
            by_cause.setdefault(_cause(row), []).append(row)
    for cause, rows in by_cause.items():
        lines = sum(row.count for row in rows)
        if enough(logs, lines, 1 if cause == DECISIVE else limits["lines"]):
            yield _draft(cause, rows, limits, logs)


def _cause(row: OffsetNotMatched) -> str:
    for start, place, cause in _CAUSES:
        if (row.thread or "").startswith(start) and place in ("", row.place):
            return cause
    return "unknown"


def _draft(cause: str, rows: list[OffsetNotMatched], limits: Limits, logs: LogsFacts) -> Draft:
    peak = max((row.peak_per_minute or 0 for row in rows), default=0)
    first = rows[0]
    shown = [row for row in rows[:MOST_ROWS] if row.requested is not None]
    confidence, confidence_reason = Confidence.HIGH, NOTHING
    if cause == "unknown":
        confidence, confidence_reason = Confidence.MEDIUM, say("no known reason for this thread to ask there")
    elif cause != DECISIVE:
        confidence, confidence_reason = surest(logs, confidence, confidence_reason)
    return Draft(
        severity=Severity.ERROR if peak >= limits["error_per_minute"] else Severity.WARNING,
        cause=cause,
        confidence=confidence,
        confidence_reason=confidence_reason,
        title=_title(cause),
        subject=structs.replace(one_of_several(logs), thread=first.thread),
        evidence={
            "lines": sum(row.count for row in rows),
            "peak_per_minute": peak,
            "thread": first.thread,
            "place": first.place,
            "requested_offset": first.requested,
            "first_offset": first.first_offset,
            "last_offset": first.last_offset,
            **_numbers(shown),
        },
        explanation=tuple(map(_explained, shown))
        or (say("{lines:count} {lines:line|lines} without an offset."),),
        remedy=_REMEDIES[cause],
        when=joined([period for row in rows for period in range_between(row.first, row.last)]),
        weight=0.6,
    )


def _title(cause: str) -> Text:
    return {
        "slave-ahead": say(
            "{lines:count} {lines:lookup|lookups} found no file: the slave asks for more than the master has"
        ),
        "slave-too-far-behind": say(
            "{lines:count} {lines:lookup|lookups} found no file: the slave asks for data that the master has deleted"
        ),
        "flush-position-lost": say(
            "{lines:count} {lines:lookup|lookups} found no file: the flush looks for data before the first file"
        ),
        "dispatch-position-lost": say(
            "{lines:count} {lines:lookup|lookups} found no file: the dispatch to the consume queues looks for data that"
            " is not there"
        ),
        "delay-offset-stale": say(
            "{lines:count} {lines:lookup|lookups} found no file: the stored offset of delayed messages is not in the"
            " store"
        ),
        "unknown": say(
            "{lines:count} {lines:lookup|lookups} found no file: a thread asks for data that is not there"
        ),
    }[cause]


def _numbers(rows: list[OffsetNotMatched]) -> dict[str, EvidenceValue]:
    """The numbers of the rows that are explained."""
    return {
        "row_lines": tuple(row.count for row in rows),
        "row_requested_offsets": tuple(row.requested for row in rows if row.requested is not None),
        "row_file_offsets": tuple(
            offset for row in rows for offset in (row.first_offset, row.last_offset) if offset is not None
        ),
    }


def _explained(row: OffsetNotMatched) -> Text:
    where = {
        "below-first": say("before the first file"),
        "beyond-last": say("beyond the last file"),
    }.get(row.place, say("inside the files"))
    asked = say(
        "{thread} asked for offset {requested:count}, {where}: {lines:count} {lines:line|lines} {between}.",
        thread=row.thread or say("A thread without a name"),
        requested=row.requested,
        where=where,
        lines=row.count,
        between=between(row.first, row.last),
    )
    if row.first_offset is None or row.last_offset is None:
        return asked
    files = say(
        "The files hold {first_offset:count} to {last_offset:count}.",
        first_offset=row.first_offset,
        last_offset=row.last_offset,
    )
    return sentences(asked, files)
