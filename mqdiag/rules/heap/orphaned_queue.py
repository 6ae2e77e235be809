"""A rebalance took queues away whose messages are still held."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import QueueFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say


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
    """It is empty: whoever refers to it lets go soon."""
    return _facts(0)


@rule(
    name="orphaned-queue",
    title="Queues that a rebalance took away still hold messages",
    why=(
        "When a queue moves to another instance its ProcessQueue is marked dropped, but its maps are not"
        " cleared: the messages live until the last queued or running request for them has gone through. With"
        " stuck workers that is never, no threshold counts them, and each rebalance adds more. The other"
        " instance consumes the same messages meanwhile."
    ),
    causes=("rebalance-while-stuck",),
    severities=(Severity.WARNING,),
    remedy=(
        "Unblock the listener: the orphans go when the requests in front of them are done.",
        "Stop what makes the group rebalance again and again (instances that come and go, long GC pauses).",
    ),
    references=("RebalanceImpl.updateProcessQueueTableInRebalance: setDropped(true), maps are not cleared",),
    needs=("heap",),
    limits={"messages": 1, "settled_ms": 60_000},
    explained_by=("stuck-consumer-thread", "stuck-socket-read", "stuck-wait", "lock-convoy", "deadlock"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each group that has orphans."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
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
    messages = sum(queue.messages for queue in queues)
    size = sum(queue.body_bytes for queue in queues)
    ages = [queue.last_pull_age_ms for queue in queues if queue.last_pull_age_ms is not None]
    age = min(ages) if ages else None
    settled = age is not None and age >= settled_ms
    names = tuple(f"{queue.topic}@{queue.broker}:{queue.queue_id}" for queue in queues)
    return Draft(
        severity=Severity.WARNING,
        cause="rebalance-while-stuck",
        confidence=Confidence.HIGH if settled else Confidence.MEDIUM,
        confidence_reason=(
            say("the queues were last pulled long before the dump")
            if settled
            else say("the queues were pulled shortly before the dump: a rebalance may just have happened")
        ),
        title=(
            say(
                "{queues} that group {group} no longer owns still {hold} {messages} ({size:bytes})",
                queues=say("{number:count} {number:queue|queues}", number=len(queues)),
                group=group,
                hold=say("hold") if len(queues) > 1 else say("holds"),
                messages=say("{number:count} {number:message|messages}", number=messages),
                size=size,
            )
        ),
        subject=Subject(group=group),
        evidence={
            "dropped_queues": len(queues),
            "messages": messages,
            "body_bytes": size,
            "last_pull_age_ms": age,
            "names": names[:20],
        },
        explanation=(
            say("Dropped by a rebalance and in no table any more: {names}", names=", ".join(names[:5]))
            + (say(" and {names} more.", names=len(names) - 5) if len(names) > 5 else "."),
            *(
                ()
                if age is None
                else (say("The last pull of any of them was {age:ms} before the dump.", age=age),)
            ),
            say("Another instance consumes the same messages meanwhile: expect duplicates."),
        ),
        remedy=(
            say(
                "Unblock the listener; run `mqdiag stacks` on a few thread dumps to see where its workers wait."
            ),
            say(
                "Look for `doRebalance` lines of group {group} in rocketmq_client.log: stop what"
                " makes it rebalance.",
                group=group,
            ),
        ),
        weight=size / heap.shallow_bytes if heap.shallow_bytes else 0.0,
    )
