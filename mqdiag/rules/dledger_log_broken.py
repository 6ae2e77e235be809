"""A member of a DLedger group lacks entries that it needs, or cannot read its own."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs, subject_of_logs
from mqdiag.rules.shared.excerpts import enough, surest
from mqdiag.rules.shared.log_events import counted, counted_lines, events, files_of, lines_of
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import ranges_of

_CAUSES = {
    "dledger-entry-not-held": "entries-deleted",
    "dledger-data-damaged": "data-damaged",
    "dledger-vote-refused": "member-shut-out",
}
"""by the event of the log"""

RULE = Rule(
    name="dledger-log-broken",
    title="A member of a DLedger group lacks entries that it needs",
    why=(
        "The members of a DLedger group hold the same entries. A member that was away for longer than files are kept,"
        " or that lost the end of its log, cannot go on from where it is: the leader has nothing to send it, or nobody"
        " votes for it. The group works on with fewer copies and stops with the next failure."
    ),
    causes=tuple(_CAUSES.values()),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Save the store of each member before you change anything.",
        "Build the member again from a copy of the leader's store, with the leader stopped while it is copied.",
        "Keep files longer (fileReservedTime) than a member may be away.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/1778",
        "https://github.com/openmessaging/dledger/issues/285",
        "https://github.com/openmessaging/dledger/issues/325",
        "DLedgerMmapFileStore, DLedgerEntryPusher, DLedgerLeaderElector",
    ),
    limits={"votes": 20},
    lies_at="broker",
    in_chain=say("a member of the DLedger group lacks entries"),
    proven_on=LITERALS,
)


def _facts(kind: str, count: int) -> Facts:
    event = LogEvent(
        kind=kind,
        side="broker",
        count=count,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:01:01+08:00",
        values={"largest_missing": 245_000_000},
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """The leader was asked for an entry that it has deleted."""
    return _facts("dledger-entry-not-held", 1)


def silent() -> Facts:
    """One vote was refused, as in an ordinary election."""
    return _facts("dledger-vote-refused", 1)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker and cause."""
    for logs in brokers_of_logs(facts):
        for kind, cause in _CAUSES.items():
            found = events(logs, kind)
            if enough(logs, lines_of(found), limits["votes"] if cause == "member-shut-out" else 1):
                yield _draft(logs, found, cause)


def _draft(logs: LogsFacts, found: list[LogEvent], cause: str) -> Draft:
    missing = max((event.values.get("largest_missing", 0) for event in found), default=0)
    confidence, reason = surest(logs, Confidence.HIGH, NOTHING)
    return Draft(
        severity=Severity.WARNING if cause == "member-shut-out" else Severity.ERROR,
        cause=cause,
        confidence=confidence,
        confidence_reason=reason,
        title=_title(cause),
        subject=subject_of_logs(logs, found),
        evidence={"lines": lines_of(found), "missing_entries": missing or None, **counted(found)},
        explanation=(
            *map(counted_lines, found),
            *(
                (
                    say(
                        "The entry lies {missing_entries:count} {missing_entries:entry|entries} outside of those held."
                    ),
                )
                if missing
                else ()
            ),
            _EXPLANATIONS[cause],
        ),
        remedy=RULE.remedy if cause == "entries-deleted" else RULE.remedy[:2],
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.7,
    )


def _title(cause: str) -> Text:
    return {
        "entries-deleted": say("A DLedger member needs an entry that the other one does not hold"),
        "data-damaged": say("A DLedger member cannot read its own data files"),
        "member-shut-out": say(
            "A DLedger member asks for votes {lines:count} {lines:time|times} and its log is too short"
        ),
    }[cause]


_EXPLANATIONS: dict[str, Text] = {
    "entries-deleted": say(
        "The leader pushes entries to a follower in order. It has deleted the file with the next one, or the follower"
        " was emptied, so the follower gets nothing."
    ),
    "data-damaged": say(
        "At its start the member found zeroes or another entry where the log should go on: it ended without writing its"
        " last entries, or files were copied while it ran."
    ),
    "member-shut-out": say(
        "The member raised its term while it was cut off and holds fewer entries than the others. Nobody votes for it,"
        " and with its higher term it follows nobody."
    ),
}
