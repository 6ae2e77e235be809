"""send-back-failing from client logs: the exceptions of sending back."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits
from mqdiag.rules.shared.log_events import by_group, most_frequent, when
from mqdiag.text import say
from mqdiag.time_ranges import ranges_of

FAILED = "send-back-failed"
REFUSED = "send-back-refused"
"""a message is counted under it first, and under FAILED too when it could not be sent as a new one either"""


def in_logs(facts: Facts, limits: Limits, remedy: tuple[str, ...]) -> Iterator[Draft]:
    """One finding for each group."""
    logs = facts.logs
    if logs is None:
        return
    failed = by_group(logs, FAILED)
    for group, refused in by_group(logs, REFUSED).items():
        failed.setdefault(group, refused)
    for group, parts in failed.items():
        event = max(parts, key=lambda part: part.count)
        if event.count >= limits["lines"]:
            yield _draft(group, event, remedy)


def _draft(group: str | None, event: LogEvent, remedy: tuple[str, ...]) -> Draft:
    said = most_frequent(event)
    return Draft(
        severity=Severity.WARNING,
        cause="send-back-failing",
        confidence=Confidence.HIGH,
        title=say("{count:count} times a failed message", count=event.count)
        + (say(" of group {group}", group=group) if group else "")
        + (
            say(" could not be sent back")
            if event.kind == FAILED
            else say(" was refused by its broker and sent as a new one")
        ),
        subject=Subject(group=group),
        evidence={"lines": event.count, "peak_per_minute": event.peak_per_minute},
        explanation=(
            say(
                "{count:count} lines about sending back that failed, {when}",
                count=event.count,
                when=when(event),
            )
            + (f": {said}" if said else "")
            + say("."),
        ),
        remedy=remedy,
        when=ranges_of([event]),
        weight=0.3,
    )
