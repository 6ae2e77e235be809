"""A consumer that was suspended and not resumed."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.consumers import running

RULE = Rule("consumer-paused")


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each running consumer that is paused."""
    for consumer in heap.consumers:
        if consumer.state.get("pause") is True and running(consumer):
            lags = [one.lag for one in heap.queues if one.group == consumer.group and one.lag is not None]
            yield RULE.case(
                "consumer-paused",
                consumer,
                subject=Subject(group=consumer.group),
                evidence={"pause": True, "lag": sum(lags) if lags else None},
            )
