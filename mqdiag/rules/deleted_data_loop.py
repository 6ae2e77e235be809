"""Consumers walk through data that the broker has deleted."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import structs

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject, OffsetNotMatched
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs
from mqdiag.rules.shared.excerpts import enough, surest
from mqdiag.rules.shared.log_events import (
    between,
    counted,
    events,
    most_frequent,
    most_frequent_counted,
    one_of_several,
    only,
    when,
)
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import between as range_between
from mqdiag.time_ranges import joined

THREAD = "PullMessageThread"
NAMING = ("offset-too-small", "offset-corrected", "offset-not-corrected-by-slave")
"""events that name the group"""

RULE = Rule(
    name="deleted-data-loop",
    title="A consumer pulls through data that the broker has deleted",
    why=(
        "The queue's index still names messages whose commit log files are deleted. Each pull then skips at most 800"
        " entries, returns nothing and tells the client to pull again at once. This floods pull threads and log, and"
        " no message reaches the consumer until it is through. It follows a reset to offset 0, or happens to a group"
        " that was away for longer than messages are kept."
    ),
    causes=("offset-before-first-file",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Find the group: the broker's offset lines may name it; otherwise it is the one with the largest backlog in"
        " mqadmin consumerProgress.",
        "Set its offsets to messages that exist: mqadmin resetOffsetByTime -n {name_server:arg NAMESRV:9876}"
        " -g {group:arg GROUP} -t {topic:arg TOPIC} -s TIMESTAMP (the time of the first message to consume again, in"
        " milliseconds since 1970).",
        "If slow groups must not lose messages, keep messages longer (fileReservedTime) and watch the disk.",
    ),
    references=(
        "article 003: restart of a master after a power loss",
        "DefaultMessageStore.getMessage: MESSAGE_WAS_REMOVING; PULL_RETRY_IMMEDIATELY",
    ),
    limits={"lines": 20, "error_per_minute": 600},
    explained_by=("offset-reset-to-zero", "disk-full"),
    lies_at="broker",
)


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
    """Two hundred pulls in a minute ask for data before the first commit log file."""
    return _facts(200)


def silent() -> Facts:
    """Three do, as when the broker deletes a file that a slow consumer reads."""
    return _facts(3)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker: the lines name no group."""
    for logs in brokers_of_logs(facts):
        rows = [row for row in logs.not_matched if row.thread == THREAD and row.place == "below-first"]
        if enough(logs, sum(row.count for row in rows), limits["lines"]):
            yield _draft(logs, rows, limits)


def _draft(logs: LogsFacts, rows: list[OffsetNotMatched], limits: Limits) -> Draft:
    largest = max(rows, key=lambda one: one.count)
    peak = max(one.peak_per_minute or 0 for one in rows)
    named = events(logs, *NAMING)
    groups = {only(one, "group") for one in named}
    confidence, confidence_reason = surest(logs, Confidence.HIGH, NOTHING)
    return Draft(
        severity=Severity.ERROR if peak >= limits["error_per_minute"] else Severity.WARNING,
        cause="offset-before-first-file",
        confidence=confidence,
        confidence_reason=confidence_reason,
        title=say("Consumers asked {lines:count} {lines:time|times} for messages whose files are deleted"),
        subject=structs.replace(one_of_several(logs), group=groups.pop() if len(groups) == 1 else None),
        evidence={
            "lines": sum(row.count for row in rows),
            "peak_per_minute": peak,
            "requested_offset": largest.requested,
            "first_offset": largest.first_offset,
            **(counted(named) if named else {}),
            **most_frequent_counted(*named),
        },
        explanation=(*_lookups(largest), *(line for event in named for line in _corrected(event))),
        remedy=RULE.remedy,
        when=joined([period for one in rows for period in range_between(one.first, one.last)]),
        weight=0.6,
    )


def _lookups(row: OffsetNotMatched) -> Iterator[Text]:
    yield say(
        "{lines:count} {lines:lookup|lookups} by {thread} {between}, at most {peak_per_minute:count} a minute.",
        thread=THREAD,
        between=between(row.first, row.last),
    )
    if row.requested is not None and row.first_offset is not None:
        yield say(
            "The last lookup asked for offset {requested_offset:count}; the first file begins at {first_offset:count}."
        )
    elif row.requested is not None:
        yield say("The last lookup asked for offset {requested_offset:count}.")


def _corrected(event: LogEvent) -> Iterator[Text]:
    subjects = most_frequent(event)
    if subjects is not None:
        yield say(
            "The broker corrected offsets of these groups {when}: {subjects}.",
            when=when(event),
            subjects=subjects,
        )
