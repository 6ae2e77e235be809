"""The counter of a queue's cached bytes does not match the bodies in its map."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.bounds import BROKER_BATCH_BYTES, MIB, whole
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import owner, pull_batch, queue_name
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_whole_graph
from mqdiag.text import Text, say, sentences

RULE = Rule(
    name="message-size-drift",
    title="A queue's counter of cached bytes does not match its message bodies",
    why=(
        "The client adds the size of a body when it pulls a message, and subtracts the size when the message is done."
        " If the listener sets another body in between, the counter drifts. Flow control reads the counter: above"
        " pullThresholdSizeForQueue the client does not pull the queue any more, even if the queue is empty."
    ),
    causes=("client-bug",),
    severities=(Severity.ERROR,),
    remedy=(
        "Do not call setBody on a received message, and do not clear its body: work on a copy.",
        "Upgrade the client to 4.9.8, or to 5.2.0 or later: these set the counter to 0 when the queue is empty.",
        "Restart the consumer: it then begins with new counters.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/7538",
        "https://github.com/apache/rocketmq/pull/7807",
    ),
    limits={"least_drift_bytes": MIB},
)


def fires() -> Facts:
    """The counter says 101 MiB, and nothing is cached."""
    return example(queue={"msg_size": 101 * MIB, "messages": 0, "msg_count": 0, "body_bytes": 0})


def silent() -> Facts:
    """The counter says as many bytes as the bodies have."""
    return example()


@RULE.sees("heap")
@needs_whole_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each queue whose counter differs from its bodies by more than one pull."""
    heap = facts.heap
    assert heap is not None
    for queue in heap.queues:
        if queue.msg_size is None or queue.being_changed is not False:
            continue
        consumer = owner(heap, queue)
        largest = queue.largest_body_bytes or 0
        one_pull = max(pull_batch(consumer) * largest, BROKER_BATCH_BYTES)
        drift = queue.msg_size - queue.body_bytes
        # body_bytes counts an array once, even if all messages share it; the counter counts it for each message
        shared = queue.messages * largest
        if drift < 0 or queue.msg_size > shared:
            beyond = -drift if drift < 0 else queue.msg_size - shared
            if beyond > max(one_pull, limits["least_drift_bytes"]):
                yield _draft(queue, consumer, queue.msg_size, drift)


def _draft(queue: QueueFacts, consumer: ConsumerFacts | None, size: int, drift: int) -> Draft:
    threshold = None if consumer is None else whole(consumer.config.get("pullThresholdSizeForQueue"))
    stopped = threshold is not None and size // MIB > threshold
    version = None if consumer is None else consumer.client_version
    return Draft(
        severity=Severity.ERROR,
        cause="client-bug",
        confidence=Confidence.HIGH,
        title=_title(queue, stopped=stopped),
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
            sentences(
                say(
                    "The counter msgSize says {msg_size:count} bytes, and the bodies have {body_bytes:count}. The"
                    " difference of {drift_bytes:count} bytes is more than one pull, and no thread was changing the"
                    " queue."
                ),
                None if threshold is None else say("pullThresholdSizeForQueue is {threshold_mib:count} MiB."),
            ),
            sentences(
                say("This client is {client_version}.")
                if version
                else say("The client's version could not be found in the dump."),
                say("Clients count the size since 4.2.0. 4.9.8 and 5.2.0 set it to 0 with the last message."),
            ),
        ),
        remedy=RULE.remedy,
    )


def _title(queue: QueueFacts, *, stopped: bool) -> Text:
    if stopped:
        return say(
            "The client does not pull {queue} any more: it counts {msg_size:bytes} of cached bodies there, but holds"
            " {body_bytes:bytes}",
            queue=queue_name(queue),
        )
    return say(
        "The client counts {msg_size:bytes} of cached bodies of {queue}, but holds {body_bytes:bytes}",
        queue=queue_name(queue),
    )
