"""send-back-failing from client logs: the exceptions of sending back."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.language import say
from mqdiag.rules.log_events import events, only, rows_said, when
from mqdiag.rules.registry import Draft, Limits


def in_logs(facts: Facts, limits: Limits, remedy: tuple[str, ...]) -> Iterator[Draft]:
    """One finding for all logs of one clock."""
    logs = facts.logs
    if logs is None:
        return
    for event in events(logs, "send-back-failed"):
        if event.count < limits["lines"]:
            continue
        group, said = only(event, "group"), rows_said(event)
        yield Draft(
            severity=Severity.WARNING,
            cause="send-back-failing",
            confidence=Confidence.HIGH,
            title=say("{count:,} times a failed message", count=event.count)
            + (say(" of group {group}", group=group) if group else "")
            + say(" could not be sent back"),
            subject=Subject(group=group),
            evidence={"lines": event.count, "peak_per_minute": event.peak_per_minute},
            explanation=(
                say(
                    "{count:,} lines about sending back that failed, {when}",
                    count=event.count,
                    when=when(event),
                )
                + (f": {said}." if said else "."),
            ),
            remedy=remedy,
            weight=0.3,
        )
        return
