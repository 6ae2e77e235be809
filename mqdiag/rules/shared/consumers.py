"""What rules ask of a consumer in a heap dump: whether it runs, since when, which queues are its own."""

from __future__ import annotations

from datetime import datetime

from mqdiag.facts import HeapFacts
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.knowledge.words import Words
from mqdiag.text import Text

WORDS = Words("consumers")


def running(consumer: ConsumerFacts) -> bool:
    """Started and not shut down."""
    return consumer.state.get("serviceState") == "RUNNING"


def uptime_ms(heap: HeapFacts, consumer: ConsumerFacts) -> int | None:
    """From the start of a consumer to the dump; None where either is unknown."""
    started = whole(consumer.state.get("consumerStartTimestamp"))
    if heap.captured_at is None or not started:
        return None
    now = datetime.fromisoformat(heap.captured_at).timestamp() * 1000
    return int(now - started) if now > started else None


def owner(heap: HeapFacts, queue: QueueFacts) -> ConsumerFacts | None:
    """The only running consumer of a queue's group; None where there are several or none."""
    found = [one for one in heap.consumers if one.group == queue.group and running(one)]
    return found[0] if len(found) == 1 else None


def queue_name(queue: QueueFacts) -> Text:
    """Topic, queue and broker, such as "segments queue 3 on broker-a"."""
    if queue.broker:
        return WORDS.say("queue-on-broker", topic=queue.topic, queue_id=queue.queue_id, broker=queue.broker)
    return WORDS.say("queue", topic=queue.topic, queue_id=queue.queue_id)


def pull_batch(consumer: ConsumerFacts | None) -> int:
    """Messages of one pull: pullBatchSize, 32 by default in all versions."""
    return 32 if consumer is None else whole(consumer.config.get("pullBatchSize")) or 32
