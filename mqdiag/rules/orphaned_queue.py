"""Queues that a rebalance took away from this process still hold messages."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import QueueFacts
from mqdiag.facts.ratios import ratio
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.rules.shared.standstill import STANDSTILL_RULES
from mqdiag.text import Text, say

MOST_SHOWN = 5
"""queues that the explanation names"""

RULE = Rule(
    name="orphaned-queue",
    title="Queues that a rebalance took away still hold messages",
    why=(
        "When a queue moves to another instance, its ProcessQueue is marked as dropped, but its maps are not cleared."
        " The messages stay until the last queued or running request for them is done. With stuck workers that never"
        " happens, no threshold counts these messages, and each rebalance adds more. Meanwhile the other instance"
        " consumes the same messages."
    ),
    causes=("rebalance-while-stuck",),
    severities=(Severity.WARNING,),
    remedy=(
        "Unblock the listener: the messages go when the requests in front of them are done.",
        "Stop what makes the group rebalance again and again (instances that come and go, long GC pauses).",
    ),
    references=("RebalanceImpl.updateProcessQueueTableInRebalance: setDropped(true), maps are not cleared",),
    limits={"messages": 1, "settled_ms": 60_000},
    explained_by=STANDSTILL_RULES,
    in_chain=say("the process still works on queues that were moved away"),
)


def _facts(messages: int) -> Facts:
    queue = QueueFacts(
        group="CID_wash",
        topic="segments",
        broker="broker-a",
        queue_id=3,
        messages=messages,
        body_bytes=messages * 40_000,
        dropped=True,
        assigned=False,
        last_pull_age_ms=300_000,
        found_by="consume-request",
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        queues=(queue,),
        process_queues=1,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """A queue that was taken away five minutes ago still holds 70 messages."""
    return _facts(70)


def silent() -> Facts:
    """It is empty: whatever refers to it lets go soon."""
    return _facts(0)


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group that has such queues."""
    heap = facts.heap
    assert heap is not None
    orphans: dict[str | None, list[QueueFacts]] = {}
    for queue in heap.queues:
        if queue.dropped and not queue.assigned and queue.messages >= limits["messages"]:
            orphans.setdefault(queue.group, []).append(queue)
    for group, queues in orphans.items():
        if not _is_shut_down(group, heap):
            yield _draft(group, queues, heap, limits["settled_ms"])


def _is_shut_down(group: str | None, heap: HeapFacts) -> bool:
    """True when the group's consumers were shut down on purpose: their queues are dropped by design."""
    states = [consumer.state.get("serviceState") for consumer in heap.consumers if consumer.group == group]
    return bool(states) and all(state == "SHUTDOWN_ALREADY" for state in states)


def _draft(group: str | None, queues: list[QueueFacts], heap: HeapFacts, settled_ms: float) -> Draft:
    size = sum(queue.body_bytes for queue in queues)
    age = min((queue.last_pull_age_ms for queue in queues if queue.last_pull_age_ms is not None), default=None)
    settled = age is not None and age >= settled_ms
    names = tuple(f"{queue.topic}@{queue.broker}:{queue.queue_id}" for queue in queues)
    return Draft(
        severity=Severity.WARNING,
        cause="rebalance-while-stuck",
        confidence=Confidence.HIGH if settled else Confidence.MEDIUM,
        confidence_reason=(
            say("the queues were last pulled long before the dump")
            if settled
            else say("the queues were pulled shortly before the dump: a rebalance may have just happened")
        ),
        title=say(
            "{dropped_queues:count} {dropped_queues:queue|queues} that group {group} no longer owns here still"
            " {dropped_queues:holds|hold} {messages:count} {messages:message|messages} ({body_bytes:bytes})"
        ),
        subject=Subject(group=group),
        evidence={
            "dropped_queues": len(queues),
            "messages": sum(queue.messages for queue in queues),
            "body_bytes": size,
            "last_pull_age_ms": age,
            "names": names[:20],
            "names_left_out": max(0, len(names) - MOST_SHOWN),
        },
        explanation=tuple(_explained(names, age)),
        remedy=(
            say(
                "Unblock the listener. Run `mqdiag stacks` on a few thread dumps to see where its workers wait."
            ),
            say(
                "Look for `doRebalance` lines of group {group} in rocketmq_client.log, and stop what makes the group"
                " rebalance."
            ),
        ),
        weight=ratio(size, heap.shallow_bytes) or 0.0,
        age_ms=age,
    )


def _explained(names: tuple[str, ...], age: int | None) -> Iterator[Text]:
    if len(names) == 1:
        yield say("A rebalance dropped this queue, and no table has it any more: {shown}.", shown=names)
    elif len(names) <= MOST_SHOWN:
        yield say("A rebalance dropped these queues, and no table has them any more: {shown}.", shown=names)
    else:
        yield say(
            "A rebalance dropped these queues, and no table has them any more: {shown} and"
            " {names_left_out:count} more.",
            shown=names[:MOST_SHOWN],
        )
    if age is not None:
        yield say(
            "The last pull {dropped_queues:of it|of any of them} was {last_pull_age_ms:ms} before the dump."
        )
    yield say("Meanwhile another instance consumes the same messages: expect duplicates.")
