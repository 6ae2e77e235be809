"""The counter of a queue's cached messages does not match the number of messages in its map."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.client_bugs import has_bug
from mqdiag.rules.shared.consumers import owner, pull_batch, queue_name
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_whole_graph, of_remoting_only
from mqdiag.text import Text, say, sentences

AFFECTED = say(
    "In clients 3.5.3 to 4.1.0, the cleaning of expired messages removes them from the map but does not lower the"
    " counter. Version 4.2.0 fixes this."
)

RULE = Rule(
    name="message-count-drift",
    title="A queue's counter of cached messages does not match its map",
    why=(
        "Flow control reads the counter, not the map. When the counter has drifted above pullThresholdForQueue, the"
        " client does not pull the queue any more, even if the map is empty. This lasts until the process restarts or"
        " the queue moves to another consumer."
    ),
    causes=("client-bug",),
    severities=(Severity.ERROR,),
    remedy=(
        "Restart the consumer: it then begins with new counters.",
        "Upgrade the client to 4.2.0 or later.",
    ),
    references=("ProcessQueue.cleanExpiredMsg and removeMessage, clients 3.5.3 to 4.2.0",),
    limits={"least_drift": 32},
    proven_on="a real dump of client 4.1.0 that fixtures/rig makes (count-drift-4.1.0); it is too big to be committed",
)


def fires() -> Facts:
    """The counter says 1,040, the map holds 40, and the client is 4.1.0."""
    return example(consumer={"client_version": "4.1.0"}, queue={"msg_count": 1040})


def silent() -> Facts:
    """They differ by one batch: the dump may have been taken between the two changes."""
    return example(queue={"msg_count": 72})


@RULE.sees("heap")
@needs_whole_graph
@of_remoting_only(say("the gRPC client counts its messages by the list that holds them"))
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each queue whose counter differs from its map by more than one pull."""
    heap = facts.heap
    assert heap is not None
    for queue in heap.queues:
        if queue.msg_count is None or queue.being_changed is not False:
            continue
        consumer = owner(heap, queue)
        drift = queue.msg_count - queue.messages
        if abs(drift) > max(pull_batch(consumer), limits["least_drift"]):
            yield _draft(queue, consumer, queue.msg_count, drift)


def _draft(queue: QueueFacts, consumer: ConsumerFacts | None, count: int, drift: int) -> Draft:
    threshold = None if consumer is None else whole(consumer.config.get("pullThresholdForQueue"))
    stopped = threshold is not None and count > threshold and queue.messages <= threshold
    version = None if consumer is None else consumer.client_version
    return Draft(
        severity=Severity.ERROR,
        cause="client-bug",
        confidence=Confidence.HIGH,
        title=_title(queue, stopped=stopped),
        subject=Subject(group=queue.group, topic=queue.topic, broker=queue.broker, queue_id=queue.queue_id),
        evidence={
            "msg_count": count,
            "messages": queue.messages,
            "drift": drift,
            "threshold": threshold,
            "client_version": version,
        },
        explanation=(
            sentences(
                say(
                    "The counter msgCount says {msg_count:count}, and the maps hold {messages:count}. The difference"
                    " of {drift:count} is more than one pull, and no thread was changing the queue."
                ),
                None if threshold is None else say("pullThresholdForQueue is {threshold:count}."),
            ),
            has_bug(version, AFFECTED, (3, 5, 3), (4, 2, 0)),
        ),
        remedy=RULE.remedy,
    )


def _title(queue: QueueFacts, *, stopped: bool) -> Text:
    if stopped:
        return say(
            "The client does not pull {queue} any more: it counts {msg_count:count} cached messages there, but holds"
            " {messages:count}",
            queue=queue_name(queue),
        )
    return say(
        "The client counts {msg_count:count} cached messages of {queue}, but holds {messages:count}",
        queue=queue_name(queue),
    )
