"""The store is asked for offsets that none of its files holds, again and again."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts, OffsetNotMatched
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.log_events import between, by_broker, told_apart
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import NOTHING, say
from mqdiag.time_ranges import between as spell_between
from mqdiag.time_ranges import joined

DELETED = "PullMessageThread"
"""consumers that walk through deleted data are a rule of their own: deleted-data-loop"""
HARMLESS = "full-file-edge"
_CAUSES = (
    ("WriteSocketService", "beyond-last", "slave-ahead"),
    ("Flush", "below-first", "flush-position-lost"),
    ("CommitRealTimeService", "below-first", "flush-position-lost"),
    ("GroupCommitService", "below-first", "flush-position-lost"),
    ("ReputMessageService", "", "dispatch-position-lost"),
    ("ScheduleMessageTimerThread", "", "delay-offset-stale"),
)
_SAID = {
    "slave-ahead": say("the slave asks for more than the master has"),
    "flush-position-lost": say("the flush looks for data before the first file"),
    "dispatch-position-lost": say("the dispatch to the consume queues looks for data that is not there"),
    "delay-offset-stale": say("the delayed messages' own offset is not in the store"),
    "unknown": say("somebody asks for data that is not there"),
}
_REMEDIES = {
    "slave-ahead": (
        say("Save the slave's store before any restart: it holds what the master has lost."),
        say(
            "Copy commitlog, consumequeue and config of the slave to the master, or rebuild the"
            " slave from the master."
        ),
    ),
    "flush-position-lost": (
        say("Restart the broker after saving its store; from 4.2.0 the flush finds its place again."),
        say("Brokers 4.0.0 and 4.1.0 do not flush at all in this state (ROCKETMQ-270): upgrade."),
    ),
    "dispatch-position-lost": (
        say("Save the store, then restart the broker: it dispatches again from its files."),
    ),
    "delay-offset-stale": (
        say(
            "Compare config/delayOffset.json with the queues of SCHEDULE_TOPIC_XXXX; a stale copy"
            " of config does this."
        ),
    ),
    "unknown": (
        say("Find out who asks by the thread's name, and compare the offset with the files of the store."),
    ),
}


def _facts(thread: str, place: str) -> Facts:
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
    """The slave's connection asks beyond the end."""
    return _facts("WriteSocketService", "beyond-last")


def silent() -> Facts:
    """The end of the last full file: logged as often, and harmless."""
    return _facts("FlushConsumeQueueService", HARMLESS)


@rule(
    name="offset-not-matched",
    title="The store is asked again and again for offsets that it does not hold",
    why=(
        "`Offset not matched` floods storeerror.log, a gigabyte in ten minutes. Who asks, and whether the offset lies"
        " before the first file or beyond the last, tells why. A request for exactly the end of the last file is"
        " harmless: that file is full and the next one is not there yet."
    ),
    causes=("slave-ahead", "flush-position-lost", "dispatch-position-lost", "delay-offset-stale", "unknown"),
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
    needs=("logs",),
    limits={"lines": 10, "error_per_minute": 600},
    explained_by=("slave-behind:slave-ahead",),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each broker and cause."""
    assert facts.logs is not None
    for logs in by_broker(facts.logs):
        yield from _of_one(logs, limits)


def _of_one(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    by_cause: dict[str, list[OffsetNotMatched]] = {}
    for row in logs.not_matched:
        if row.place != HARMLESS and not (row.thread == DELETED and row.place == "below-first"):
            by_cause.setdefault(_cause(row), []).append(row)
    for cause, rows in by_cause.items():
        if sum(row.count for row in rows) >= limits["lines"]:
            yield _draft(cause, rows, limits, told_apart(logs))


def _cause(row: OffsetNotMatched) -> str:
    for start, place, cause in _CAUSES:
        if (row.thread or "").startswith(start) and place in ("", row.place):
            return cause
    return "unknown"


def _draft(cause: str, rows: list[OffsetNotMatched], limits: Limits, broker: Subject) -> Draft:
    count = sum(row.count for row in rows)
    peak = max((row.peak_per_minute or 0 for row in rows), default=0)
    first = rows[0]
    where = {"below-first": say("before the first file"), "beyond-last": say("beyond the last file")}
    return Draft(
        severity=Severity.ERROR if peak >= limits["error_per_minute"] else Severity.WARNING,
        cause=cause,
        confidence=Confidence.MEDIUM if cause == "unknown" else Confidence.HIGH,
        confidence_reason=say("no known reason for this thread to ask there")
        if cause == "unknown"
        else NOTHING,
        title=say("{count:count} lookups found no file: {said}", count=count, said=_SAID[cause]),
        subject=structs.replace(broker, thread=first.thread),
        evidence={
            "lines": count,
            "peak_per_minute": peak,
            "thread": first.thread,
            "place": first.place,
            "requested_offset": first.requested,
            "first_offset": first.first_offset,
            "last_offset": first.last_offset,
        },
        explanation=tuple(
            say(
                "{thread}: {count:count} lines {between}, for offset {requested:count}, {place}",
                thread=row.thread or say("A thread without a name"),
                count=row.count,
                between=between(row.first, row.last),
                requested=row.requested,
                place=where.get(row.place, say("inside the files")),
            )
            + (
                ""
                if row.first_offset is None or row.last_offset is None
                else say(
                    " ({first_offset:count} to {last_offset:count})",
                    first_offset=row.first_offset,
                    last_offset=row.last_offset,
                )
            )
            + say(".")
            for row in rows[:5]
            if row.requested is not None
        )
        or (say("{count:count} lines.", count=count),),
        remedy=_REMEDIES[cause],
        when=joined([period for row in rows for period in spell_between(row.first, row.last)]),
        weight=0.6,
    )
