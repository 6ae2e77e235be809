"""A threshold for a whole topic is divided among the queues."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.log_events import events, when
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say

SETTINGS = ("pullThresholdForQueue", "pullThresholdSizeForQueue")


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        side="client",
        count=3,
        first="2026-11-21T12:00:00",
        last="2026-11-21T12:01:00",
        values={"smallest_pullThresholdForQueue": 40, "largest_pullThresholdForQueue": 500},
    )
    return Facts(logs=LogsFacts(events=(event,)))


def fires() -> Facts:
    """500 to 50, 50 to 40."""
    return _facts("threshold-divided")


def silent() -> Facts:
    """No such line."""
    return _facts("offset-fixed")


@rule(
    name="threshold-divided",
    title="The client sets pullThresholdForQueue itself, from the threshold for the topic",
    why=(
        "With pullThresholdForTopic or pullThresholdSizeForTopic the client divides it by the number of its queues at"
        " each rebalance, retry queues included, and overwrites the value for one queue. That is by design; a value for"
        " a queue that was set besides is lost."
    ),
    causes=("by-design",),
    severities=(Severity.INFO,),
    remedy=("Set either the threshold for the topic or that for a queue, not both.",),
    references=("RebalancePushImpl.messageQueueChanged, since 4.2.0",),
    needs=("logs",),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for all logs."""
    logs = facts.logs
    assert logs is not None
    for event in events(logs, "threshold-divided"):
        ranges = [
            say(
                "{name} between {values:count} and {values_2:count}",
                name=name,
                values=event.values[f"smallest_{name}"],
                values_2=event.values[f"largest_{name}"],
            )
            for name in SETTINGS
            if f"smallest_{name}" in event.values
        ]
        yield Draft(
            severity=Severity.INFO,
            cause="by-design",
            confidence=Confidence.HIGH,
            title=say(
                "The client divided a threshold for the topic among its queues {count:count} times",
                count=event.count,
            ),
            evidence={"times": event.count, **event.values},
            explanation=(
                say("{count:count} lines `is changed from` {when}", count=event.count, when=when(event))
                + (f": {', '.join(ranges)}" if ranges else "")
                + say("."),
            ),
            remedy=check.card.remedy,
        )
        return
