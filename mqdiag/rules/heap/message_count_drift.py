"""The counter of a queue's cached messages says more than its map holds."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.client_bugs import has_bug
from mqdiag.rules.shared.consumers import owner, pull_batch, queue_name
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import without_whole_graph
from mqdiag.text import say

AFFECTED = say(
    "Expiry cleaning in 3.5.3 to 4.1.0 takes messages from the map and does not count them off; fixed in 4.2.0."
)


def fires() -> Facts:
    """1,040 counted, 40 there, client 4.1.0."""
    return example(consumer={"client_version": "4.1.0"}, queue={"msg_count": 1040})


def silent() -> Facts:
    """One batch of difference: the dump may stand between the map and the counter."""
    return example(queue={"msg_count": 72})


@rule(
    name="message-count-drift",
    title="The count of cached messages of a queue does not match its map",
    why=(
        "Flow control asks the counter, not the map. Once it has drifted above pullThresholdForQueue the queue is"
        " never pulled again, though it may be empty, until the process restarts or the queue moves."
    ),
    causes=("client-bug",),
    severities=(Severity.ERROR,),
    remedy=(
        "Restart the consumer, which makes new counters.",
        "Upgrade the client to 4.2.0 or later.",
    ),
    references=("ProcessQueue.cleanExpiredMsg and removeMessage, clients 3.5.3 to 4.2.0",),
    needs=("heap",),
    limits={"least_drift": 32},
    proven_on="a real dump of client 4.1.0 that fixtures/rig makes (count-drift-4.1.0); it is too big to be committed",
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each queue whose counter is off by more than one pull."""
    heap = facts.heap
    assert heap is not None
    skip = without_whole_graph(facts)
    if skip is not None:
        yield skip
        return
    for queue in heap.queues:
        if queue.msg_count is None or queue.being_changed is not False:
            continue
        consumer = owner(heap, queue)
        batch = pull_batch(consumer)
        drift = queue.msg_count - queue.messages
        if abs(drift) > max(batch, limits["least_drift"]):
            yield _draft(queue, consumer, drift)


def _draft(queue: QueueFacts, consumer: ConsumerFacts | None, drift: int) -> Draft:
    threshold = None if consumer is None else whole(consumer.config.get("pullThresholdForQueue"))
    count = queue.msg_count or 0
    stopped = threshold is not None and count > threshold and queue.messages <= threshold
    version = None if consumer is None else consumer.client_version
    return Draft(
        severity=Severity.ERROR,
        cause="client-bug",
        confidence=Confidence.HIGH,
        title=say(
            "{queue_name} counts {count:count} cached messages and holds {messages:count}",
            queue_name=queue_name(queue),
            count=count,
            messages=queue.messages,
        )
        + (say(": it is not pulled any more") if stopped else ""),
        subject=Subject(group=queue.group, topic=queue.topic, broker=queue.broker, queue_id=queue.queue_id),
        evidence={
            "msg_count": count,
            "messages": queue.messages,
            "drift": drift,
            "threshold": threshold,
            "client_version": version,
        },
        explanation=(
            say(
                (
                    "msgCount {count:count} less {messages:count} messages in the maps is {drift:count}, more"
                    " than one pull, and no thread was changing the queue."
                ),
                count=count,
                messages=queue.messages,
                drift=drift,
            )
            + (
                say(" pullThresholdForQueue is {threshold:count}.", threshold=threshold)
                if threshold is not None
                else ""
            ),
            has_bug(version, AFFECTED, (3, 5, 3), (4, 2, 0)),
        ),
        remedy=check.card.remedy,
    )
