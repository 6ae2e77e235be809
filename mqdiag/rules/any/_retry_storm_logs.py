"""retry-storm from logs: failures a minute, by the listener's exceptions, the client's statistics or the broker's."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits
from mqdiag.rules.shared.log_events import by_group, most_frequent, when
from mqdiag.text import say
from mqdiag.time_ranges import ranges_of

COUNTED = {
    "consume-failures": say("failures in the client's statistics ([CONSUME_FAILED_TPS])"),
    "messages-sent-back": say("messages sent back in the broker's statistics ([SNDBCK_PUT_NUMS])"),
    "consume-exception": say("exceptions of the listener"),
    "consume-returned-null": say("listener calls that returned null"),
    "consume-orderly-suspended": say("orderly listener calls that did not succeed"),
}


def in_logs(facts: Facts, limits: Limits, remedy: tuple[str, ...]) -> Iterator[Draft]:
    """One finding for each group."""
    logs = facts.logs
    if logs is None:
        return
    for group, parts in by_group(logs, *COUNTED).items():
        found = [event for event in parts if (event.peak_per_minute or 0) >= limits["failures_per_minute"]]
        if found:
            yield _draft(group, found, remedy)


def _draft(group: str | None, found: list[LogEvent], remedy: tuple[str, ...]) -> Draft:
    worst = max(found, key=lambda event: event.peak_per_minute or 0)
    explained = []
    for event in found:
        total = event.count if event.occurrences is None else event.occurrences
        about = most_frequent(event)
        said = say("{total:count} {what}, {when}", total=total, what=COUNTED[event.kind], when=when(event))
        explained.append(said + (f"; {about}" if about else "") + say("."))
    return Draft(
        severity=Severity.WARNING,
        cause="failing-listener",
        confidence=Confidence.HIGH,
        title=(
            say(
                "Messages failed up to {peak_per_minute:count} times a minute",
                peak_per_minute=worst.peak_per_minute,
            )
            + (say(" in group {group}", group=group) if group else "")
        ),
        subject=Subject(group=group),
        evidence={
            "failures_per_minute": worst.peak_per_minute,
            **{
                event.kind.replace("-", "_"): event.count if event.occurrences is None else event.occurrences
                for event in found
            },
        },
        explanation=tuple(explained),
        remedy=remedy,
        when=ranges_of(found),
        weight=0.3,
    )
