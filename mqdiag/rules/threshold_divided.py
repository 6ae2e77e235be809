"""The client divides a threshold for a whole topic among its queues."""

from __future__ import annotations

from mqdiag.facts.logs import LogsFacts
from mqdiag.log_events import counted, events, when
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("threshold-divided")


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for all logs, by the first event."""
    for event in events(logs, "threshold-divided")[:1]:
        yield RULE.case(
            "by-design",
            evidence={"times": event.count, **event.values, **counted([event])},
            words={"when": when(event)},
        )
