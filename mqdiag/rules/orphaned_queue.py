"""Queues that a rebalance took away from this process still hold messages."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import QueueFacts
from mqdiag.facts.ratios import ratio
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("orphaned-queue")
MOST_SHOWN = 5
"""queues that the explanation names"""


@RULE.ages
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each group that has such queues."""
    orphans: dict[str | None, list[QueueFacts]] = {}
    for queue in heap.queues:
        if queue.dropped and not queue.assigned and queue.messages >= limits["messages"]:
            orphans.setdefault(queue.group, []).append(queue)
    for group, queues in orphans.items():
        if _is_shut_down(group, heap):
            continue
        size = sum(queue.body_bytes for queue in queues)
        ages = [queue.last_pull_age_ms for queue in queues if queue.last_pull_age_ms is not None]
        age = min(ages, default=None)
        names = tuple(f"{queue.topic}@{queue.broker}:{queue.queue_id}" for queue in queues)
        yield RULE.case(
            "settled" if age is not None and age >= limits["settled_ms"] else "just-moved",
            subject=Subject(group=group),
            evidence={
                "dropped_queues": len(queues),
                "messages": sum(queue.messages for queue in queues),
                "body_bytes": size,
                "last_pull_age_ms": age,
                "names": names[:20],
                "names_left_out": max(0, len(names) - MOST_SHOWN),
            },
            words={"shown": names[:MOST_SHOWN], "one": len(names) == 1, "few": 1 < len(names) <= MOST_SHOWN},
            weight=ratio(size, heap.shallow_bytes) or 0.0,
            age_ms=age,
        )


def _is_shut_down(group: str | None, heap: HeapFacts) -> bool:
    """True when the group's consumers were shut down on purpose: their queues are dropped by design."""
    states = [consumer.state.get("serviceState") for consumer in heap.consumers if consumer.group == group]
    return bool(states) and all(state == "SHUTDOWN_ALREADY" for state in states)
