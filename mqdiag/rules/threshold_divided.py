"""The client divides a threshold for a whole topic among its queues."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.log_events import counted, events, when
from mqdiag.text import Text, say

RULE = Rule(
    name="threshold-divided",
    title="The client sets pullThresholdForQueue itself, from the threshold for the topic",
    why=(
        "With pullThresholdForTopic or pullThresholdSizeForTopic the client divides this threshold by the number of its"
        " queues at each rebalance, retry queues included, and overwrites the threshold for one queue. That is by"
        " design. A threshold for one queue that was set as well is lost."
    ),
    causes=("by-design",),
    severities=(Severity.INFO,),
    remedy=("Set either the threshold for the topic or the one for a queue, not both.",),
    references=("RebalancePushImpl.messageQueueChanged, since 4.2.0",),
)


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


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for all logs, by the first event."""
    logs = facts.logs
    assert logs is not None
    for event in events(logs, "threshold-divided")[:1]:
        yield Draft(
            severity=Severity.INFO,
            cause="by-design",
            confidence=Confidence.HIGH,
            title=say(
                "The client divided a threshold for the topic among its queues {times:count} {times:time|times}"
            ),
            evidence={"times": event.count, **event.values, **counted([event])},
            explanation=(
                say("{times:count} {times:line|lines} `is changed from` {when}.", when=when(event)),
                *_ranges(event),
            ),
            remedy=RULE.remedy,
        )


def _ranges(event: LogEvent) -> Iterator[Text]:
    if "smallest_pullThresholdForQueue" in event.values:
        yield say(
            "pullThresholdForQueue was between {smallest_pullThresholdForQueue:count} and"
            " {largest_pullThresholdForQueue:count} messages."
        )
    if "smallest_pullThresholdSizeForQueue" in event.values:
        yield say(
            "pullThresholdSizeForQueue was between {smallest_pullThresholdSizeForQueue:count} and"
            " {largest_pullThresholdSizeForQueue:count} MiB."
        )
