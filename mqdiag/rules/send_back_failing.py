"""Failed messages cannot be sent back to the broker and go round in the client."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import by_group, most_frequent, when
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.consumers import running

RULE = Rule("send-back-failing")
FAILED = "send-back-failed"
REFUSED = "send-back-refused"
"""a message is counted under it first, and under FAILED too when it could not be sent as a new one either"""


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each consumer."""
    for consumer in heap.consumers:
        if not consumer.traits.sends_back or not running(consumer) or consumer.resubmits is None:
            continue
        if consumer.resubmits >= limits["requests"]:
            yield RULE.case("send-back-failing", consumer, subject=Subject(group=consumer.group))


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each group."""
    failed = by_group(logs, FAILED)
    for group, refused in by_group(logs, REFUSED).items():
        failed.setdefault(group, refused)
    for group, parts in failed.items():
        event = max(parts, key=lambda part: part.count)
        if event.count >= limits["lines"]:
            yield RULE.case(
                event.kind,
                event,
                subject=Subject(group=group),
                events=[event],
                words={"when": when(event), "subjects": most_frequent(event)},
            )
