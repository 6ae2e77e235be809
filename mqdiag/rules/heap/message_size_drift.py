"""The counter of a queue's cached bytes does not match the bodies in its map."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.bounds import BROKER_BATCH_BYTES, MIB, whole
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.consumers import owner, pull_batch, queue_name
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import without_whole_graph
from mqdiag.text import say


def fires() -> Facts:
    """101 MiB counted and nothing cached."""
    return example(queue={"msg_size": 101 * MIB, "messages": 0, "msg_count": 0, "body_bytes": 0})


def silent() -> Facts:
    """As many bytes as the bodies have."""
    return example()


@rule(
    name="message-size-drift",
    title="The size of cached messages of a queue does not match its bodies",
    why=(
        "A message's body is counted when it is pulled and counted off when it is done. A listener that sets another"
        " body in between makes the counter drift. Flow control asks the counter: above pullThresholdSizeForQueue"
        " the queue is not pulled any more, though it may be empty."
    ),
    causes=("client-bug",),
    severities=(Severity.ERROR,),
    remedy=(
        "Do not call setBody on a message that was received, nor clear its body: work on a copy.",
        "Upgrade the client to 4.9.8 or to 5.2.0 and later, where the size starts anew when the queue is empty.",
        "Restart the consumer, which makes new counters.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/7538",
        "https://github.com/apache/rocketmq/pull/7807",
    ),
    needs=("heap",),
    limits={"least_drift_bytes": MIB},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each queue whose size is off by more than one pull."""
    heap = facts.heap
    assert heap is not None
    skip = without_whole_graph(facts)
    if skip is not None:
        yield skip
        return
    for queue in heap.queues:
        if queue.msg_size is None or queue.being_changed is not False:
            continue
        consumer = owner(heap, queue)
        batch = pull_batch(consumer)
        one_pull = max(batch * (queue.largest_body_bytes or 0), BROKER_BATCH_BYTES)
        drift = queue.msg_size - queue.body_bytes
        # Shared arrays count once in body_bytes, so only what no such sharing explains is said of full queues.
        shared = queue.messages * (queue.largest_body_bytes or 0)
        if drift < 0 or queue.msg_size > shared:
            beyond = -drift if drift < 0 else queue.msg_size - shared
            if beyond > max(one_pull, limits["least_drift_bytes"]):
                yield _draft(queue, consumer, drift)


def _draft(queue: QueueFacts, consumer: ConsumerFacts | None, drift: int) -> Draft:
    threshold = None if consumer is None else whole(consumer.config.get("pullThresholdSizeForQueue"))
    size = queue.msg_size or 0
    stopped = threshold is not None and size // MIB > threshold
    version = None if consumer is None else consumer.client_version
    named = (
        say("This client is {version}.", version=version)
        if version
        else say("The client's version could not be found in the dump.")
    )
    return Draft(
        severity=Severity.ERROR,
        cause="client-bug",
        confidence=Confidence.HIGH,
        title=say(
            "{queue_name} counts {size:bytes} of cached bodies and holds {body_bytes:bytes}",
            queue_name=queue_name(queue),
            size=size,
            body_bytes=queue.body_bytes,
        )
        + (say(": it is not pulled any more") if stopped else ""),
        subject=Subject(group=queue.group, topic=queue.topic, broker=queue.broker, queue_id=queue.queue_id),
        evidence={
            "msg_size": size,
            "body_bytes": queue.body_bytes,
            "drift_bytes": drift,
            "threshold_mib": threshold,
            "messages": queue.messages,
            "client_version": version,
        },
        explanation=(
            say(
                (
                    "msgSize {size:count} less {body_bytes:count} bytes of bodies is {drift:count}, more than"
                    " one pull, and no thread was changing the queue."
                ),
                size=size,
                body_bytes=queue.body_bytes,
                drift=drift,
            )
            + (
                say(" pullThresholdSizeForQueue is {threshold:count} MiB.", threshold=threshold)
                if threshold is not None
                else ""
            ),
            say(
                "{named} Since 4.2.0 the size is counted; 4.9.8 and 5.2.0 set it to 0 with the last message.",
                named=named,
            ),
        ),
        remedy=check.card.remedy,
    )
