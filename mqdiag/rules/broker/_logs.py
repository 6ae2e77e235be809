"""What the broker rules ask of logs."""

from __future__ import annotations

from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Subject
from mqdiag.language import say
from mqdiag.rules.broker._remedies import BUSY, POOL_IF_ASYNC_MASTER
from mqdiag.rules.log_events import BUSY_TEXTS, busiest, events, lines, when

DEFAULT_LIMIT_MS = 1000
"""osPageCacheBusyTimeOutMills since 3.5.8"""


def subject(logs: LogsFacts, found: list[LogEvent]) -> Subject:
    """The broker that the answers name most, or the one whose settings the logs print."""
    named = next((name for event in found if (name := busiest(event, "broker"))), None)
    printed = logs.settings.get("brokerName")
    return Subject(broker=named or (printed if printed and "," not in printed else None))


def number(logs: LogsFacts, name: str) -> int | None:
    """A setting that start-up lines print with one value."""
    value = logs.settings.get(name, "")
    return int(value) if value.isdigit() else None


def busy_remedy(logs: LogsFacts) -> tuple[str, ...]:
    """The pool only where the settings do not rule it out."""
    fits = (
        logs.settings.get("transientStorePoolEnable") != "true"
        and logs.settings.get("flushDiskType") in (None, "ASYNC_FLUSH")
        and logs.settings.get("brokerRole") != "SLAVE"
    )
    return tuple(line for line in BUSY if fits or line is not POOL_IF_ASYNC_MASTER)


def said(found: list[LogEvent]) -> list[str]:
    """One sentence for each kind of answer."""
    return [
        f"{_side(event)}: {lines(event.count, BUSY_TEXTS.get(event.kind, event.kind))} {when(event)}."
        for event in found
    ]


def _side(event: LogEvent) -> str:
    return "Senders" if event.side == "client" else say("The broker")


def answers(logs: LogsFacts, *kinds: str) -> list[LogEvent]:
    """Busy answers of these kinds."""
    return events(logs, *kinds)
