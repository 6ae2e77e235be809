"""disk-full from logs: the broker marks its disk full, and senders are told so with the shares of its disks."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._logs import each_broker, subject
from mqdiag.rules.log_events import events, when
from mqdiag.rules.registry import Draft, Limits
from mqdiag.text import NOTHING, say
from mqdiag.time_ranges import ranges_of

MARKED, NOT_FREED, RECLAIMED = "disk-marked-full", "disk-not-freed", "disk-reclaimed"
REFUSED = "service-not-available"


def in_logs(facts: Facts, limits: Limits, remedy: tuple[str, ...]) -> Iterator[Draft]:
    """One finding for each broker of the logs."""
    for own in each_broker(facts):
        if own.logs is not None:
            yield from _of_one(own.logs, limits, remedy)


def _of_one(logs: LogsFacts, limits: Limits, remedy: tuple[str, ...]) -> Iterator[Draft]:
    marked, not_freed = events(logs, MARKED), events(logs, NOT_FREED)
    # the same answer comes from slaves and from stores that shut down; it has the shares of the disks then too
    refused = [event for event in events(logs, REFUSED) if _percent(event) >= limits["full_percent"]]
    forced = [event for event in events(logs, RECLAIMED) if _percent(event) > limits["forced_percent"]]
    found = [*marked, *refused, *not_freed, *forced]
    if not found:
        return
    full = bool(marked or refused)
    largest = max(map(_percent, found))
    yield Draft(
        severity=Severity.ERROR if full else Severity.WARNING,
        cause="disk-full" if full else "disk-nearly-full",
        confidence=Confidence.HIGH if marked or not full else Confidence.MEDIUM,
        confidence_reason=NOTHING
        if marked or not full
        else say("only senders say so: store.log would show when it began"),
        title=say("The broker's disk is full") if full else say("The broker's disk is nearly full"),
        subject=subject(logs, refused),
        evidence={
            "largest_percent": largest or None,
            "marked_full": sum(event.count for event in marked),
            "refused": sum(event.count for event in refused),
            "not_freed": sum(event.count for event in not_freed),
        },
        explanation=tuple(map(_said, found)),
        remedy=remedy,
        when=ranges_of(found),
        weight=1.0,
    )


def _said(event: LogEvent) -> str:
    text = {
        MARKED: say(
            "The broker marked its disk full, {count:count} lines {when}", count=event.count, when=when(event)
        ),
        REFUSED: say(
            "Senders were told that the service is not available, {count:count} lines {when}",
            count=event.count,
            when=when(event),
        ),
        NOT_FREED: say(
            "The broker found nothing to delete on a disk that fills up, {count:count} lines {when}",
            count=event.count,
            when=when(event),
        ),
        RECLAIMED: say(
            (
                "The disk was beyond the share from which the oldest files go, expired or not,"
                " {count:count} lines {when}"
            ),
            count=event.count,
            when=when(event),
        ),
    }[event.kind]
    largest = _percent(event)
    return text + (say("; {largest} % of the disk were in use", largest=largest) if largest else "") + say(".")


def _percent(event: LogEvent) -> int:
    return event.values.get("largest_percent", 0)
