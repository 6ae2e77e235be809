"""Consumers walk through data that the broker has deleted."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject, OffsetNotMatched
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.log_events import between, by_broker, events, only, rows_said, told_apart, when
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say
from mqdiag.time_ranges import between as spell_between
from mqdiag.time_ranges import joined

THREAD = "PullMessageThread"
NAMING = ("offset-too-small", "offset-corrected", "offset-not-corrected-by-slave")
"""events whose lines name the group that asks"""


def _facts(count: int) -> Facts:
    row = OffsetNotMatched(
        thread=THREAD,
        place="below-first",
        count=count,
        peak_per_minute=count,
        requested=1000,
        first_offset=5_242_880,
        last_offset=13_631_488,
        first="2026-11-21T20:08:00+08:00",
        last="2026-11-21T20:08:50+08:00",
    )
    named = LogEvent(
        kind="offset-too-small",
        count=3,
        first="2026-11-21T20:08:00+08:00",
        last="2026-11-21T20:08:40+08:00",
        subjects=(LogSubject(group="CID_late", topic="orders", count=3),),
    )
    return Facts(logs=LogsFacts(not_matched=(row,), events=(named,)))


def fires() -> Facts:
    """Two hundred pulls in a minute ask for what lies before the first commit log file."""
    return _facts(200)


def silent() -> Facts:
    """Three, as when a file is deleted under a slow consumer."""
    return _facts(3)


@rule(
    name="deleted-data-loop",
    title="A consumer pulls through data that the broker has deleted",
    why=(
        "The queue's index still names messages whose commit log files are gone. A pull then skips at most 800 entries,"
        " returns nothing and tells the client to try at once: pull threads and log are flooded until the consumer is"
        " through, and no message reaches it. It follows a reset to offset 0, or a group that was away for longer than"
        " messages are kept."
    ),
    causes=("offset-before-first-file",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Find the group: the one with the largest backlog in mqadmin consumerProgress, or that the broker's offset"
        " lines name.",
        "Set its offsets to what is there: mqadmin resetOffsetByTime -n NAMESRV:9876 -g GROUP -t TOPIC -s TIMESTAMP.",
        "If messages must not be lost to slow groups, keep them longer (fileReservedTime) and watch the disk.",
    ),
    references=(
        "article 003: restart of a master after a power loss",
        "DefaultMessageStore.getMessage: MESSAGE_WAS_REMOVING; PULL_RETRY_IMMEDIATELY",
    ),
    needs=("logs",),
    limits={"lines": 20, "error_per_minute": 600},
    explained_by=("offset-reset-to-zero", "disk-full"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each broker: the lines name no group."""
    assert facts.logs is not None
    for logs in by_broker(facts.logs):
        yield from _of_one(logs, limits)


def _of_one(logs: LogsFacts, limits: Limits) -> Iterator[Draft]:
    rows = [row for row in logs.not_matched if row.thread == THREAD and row.place == "below-first"]
    count = sum(row.count for row in rows)
    if count < limits["lines"]:
        return
    row = max(rows, key=lambda one: one.count)
    peak = max(one.peak_per_minute or 0 for one in rows)
    named = events(logs, *NAMING)
    explained = [
        say(
            "{count:count} lookups by {thread} {between}, at most {peak:count} a minute",
            count=count,
            thread=THREAD,
            between=between(row.first, row.last),
            peak=peak,
        )
        + (
            ""
            if row.requested is None
            else say(", the last for offset {requested:count}", requested=row.requested)
        )
        + (
            ""
            if row.first_offset is None
            else say("; the first file begins at {first_offset:count}", first_offset=row.first_offset)
        )
        + say(".")
    ]
    explained += [
        say(
            "Groups whose offsets were corrected {when}: {rows_said}.", when=when(one), rows_said=rows_said(one)
        )
        for one in named
    ]
    groups = {only(one, "group") for one in named}
    group = groups.pop() if len(groups) == 1 else None
    yield Draft(
        severity=Severity.ERROR if peak >= limits["error_per_minute"] else Severity.WARNING,
        cause="offset-before-first-file",
        confidence=Confidence.HIGH,
        title=say("Consumers asked {count:count} times for messages whose files are deleted", count=count),
        subject=structs.replace(told_apart(logs), group=group),
        evidence={
            "lines": count,
            "peak_per_minute": peak,
            "requested_offset": row.requested,
            "first_offset": row.first_offset,
        },
        explanation=tuple(explained),
        remedy=check.card.remedy,
        when=joined([period for one in rows for period in spell_between(one.first, one.last)]),
        weight=0.6,
    )
