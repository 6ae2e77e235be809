"""The task that sends expired messages back was cancelled by its own exception."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.client_bugs import has_bug, numbers
from mqdiag.rules.shared.consumers import running

RULE = Rule("expiry-cleaner-dead")
FIRST_WITH_BUG, FIXED = (3, 5, 3), (4, 9, 3)


@RULE.whole_graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each running concurrent consumer whose cleaner has no task, neither waiting nor running."""
    for consumer in heap.consumers:
        if not consumer.traits.sends_back or consumer.orderly is not False or not running(consumer):
            continue
        if consumer.cleaner_tasks != 0:
            continue
        known = numbers(consumer.client_version)
        bug = has_bug(consumer.client_version, RULE.word("affected"), FIRST_WITH_BUG, FIXED)
        yield RULE.case(
            "in-old-version" if known is not None and known < FIXED else "in-other-version",
            consumer,
            subject=Subject(group=consumer.group),
            evidence={"consumeTimeout": consumer.config.get("consumeTimeout")},
            given={"bug": (bug,)},
        )
