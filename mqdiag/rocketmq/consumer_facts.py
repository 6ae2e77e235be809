"""Facts of each consumer: settings, sums over its queues, what its limits allow, what it retains."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.bounds import (
    ESTIMATED_OVERHEAD_BYTES,
    LEAST_MESSAGES,
    cache_limits,
    largest_bound_bytes,
)
from mqdiag.facts.heap import ConfigValue, ConsumerFacts, QueueFacts, TopicRate
from mqdiag.graph.collections import items
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.client import version_under
from mqdiag.rocketmq.consumers import client_id, is_orderly
from mqdiag.rocketmq.messages import distinct_body_bytes
from mqdiag.rocketmq.remoting_kind import Consumer
from mqdiag.rocketmq.workers import Pool, busy_workers
from mqdiag.text import say

_NOT_SHUT_DOWN = 0
"""ThreadPoolExecutor.ctl is below this while the pool runs: the run state -1 is in its top three bits"""


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """What one consumer holds. `messages`, `requests`, `process_queues` int32; `bodies` int32, one a message."""

    process_queues: Nodes
    messages: Nodes
    requests: Nodes
    """queued tasks with their ConsumeRequests"""
    bodies: Nodes
    body_bytes: NDArray[np.int64]
    stored_bytes: NDArray[np.int64]
    rows: list[QueueFacts]
    pool: Pool | None
    queued: int | None
    """requests that wait for a worker, or for poll()"""


def consumer_facts(
    consumer: Consumer, held: Held, rates: tuple[TopicRate, ...], retained: int | None
) -> ConsumerFacts:
    """Put one consumer's row together.

    Args:
        consumer: the consumer.
        held: its queues, messages and requests.
        rates: how fast it works on each topic.
        retained: bytes that die with what it holds; None if that was not computed.
    """
    heap, kind = consumer.client.heap, consumer.kind
    config = fields.plain_fields(heap, consumer.node)
    measured, average, largest = _bodies(held)
    version = version_under(heap, consumer.client.root)
    cleaner, resubmits = _scheduled_tasks(consumer)
    unknown = dict(consumer.client.unknown)
    if version is None:
        unknown["client_version"] = say("MQVersion or its constants are not in the dump")
    if consumer.instance < 0:
        unknown["client_id"] = say("the consumer was never started, or was shut down")
    facts = ConsumerFacts(
        group=consumer.group,
        kind=kind.name,
        traits=kind.traits,
        object_id=hex(heap.object_id(consumer.node)),
        client_id=client_id(heap, consumer),
        client_version=version,
        layout=consumer.client.family,
        message_model=_text(config, "messageModel"),
        orderly=is_orderly(consumer),
        config=config,
        state=fields.plain_fields(heap, consumer.implementation),
        queues=len(held.rows),
        messages=int(held.messages.size),
        body_bytes=distinct_body_bytes(heap, held.bodies),
        retained_bytes=retained,
        bounded_queues=kind.bounded_queues(consumer, held.rows),
        average_body_bytes=average,
        largest_body_bytes=largest,
        measured_messages=measured,
        pool_threads=None if held.pool is None else int(held.pool.workers.size),
        pool_active=None if held.pool is None else held.pool.active,
        queued_requests=held.queued,
        instance_id=None if consumer.instance < 0 else hex(heap.object_id(consumer.instance)),
        registered=_registered(consumer),
        cleaner_tasks=cleaner,
        resubmits=resubmits,
        topic_queues=_topic_queues(consumer),
        rates=rates,
        unknown=unknown,
    )
    return _with_bounds(facts, held, kind.batch_messages(config))


def _bodies(held: Held) -> tuple[int, float | None, int | None]:
    """(messages with a body, their mean, their largest)."""
    sizes = held.body_bytes[held.bodies >= 0]
    if not sizes.size:
        return 0, None, None
    return int(sizes.size), int(sizes.sum()) / int(sizes.size), int(sizes.max())


def _with_bounds(facts: ConsumerFacts, held: Held, batch: int) -> ConsumerFacts:
    limits = cache_limits(facts)
    if limits is None:
        if not facts.traits.caches_messages:
            reason = say("a pull consumer caches nothing")
        elif facts.measured_messages < LEAST_MESSAGES:
            reason = say(
                "{measured_messages:count} {measured_messages:message was|messages were} seen; a mean size needs at"
                " least {least_messages:count}",
                measured_messages=facts.measured_messages,
                least_messages=LEAST_MESSAGES,
            )
        else:
            reason = say("the consumer object has no readable threshold")
        unknown = {**facts.unknown, "bound_bytes": reason, "bound_max_bytes": reason}
        return msgspec.structs.replace(facts, unknown=unknown)
    stored = held.stored_bytes[held.stored_bytes > 0]
    overhead = float(ESTIMATED_OVERHEAD_BYTES)
    if facts.retained_bytes is not None and facts.messages:
        overhead = max(0.0, (facts.retained_bytes - facts.body_bytes) / facts.messages)
    largest = largest_bound_bytes(
        limits,
        largest_body_bytes=facts.largest_body_bytes or 0,
        average_stored_bytes=float(stored.mean()) if stored.size else None,
        expansion=_expansion(held),
        batch=batch,
        overhead_bytes=overhead,
        orphan_body_bytes=sum(row.body_bytes for row in held.rows if row.dropped),
    )
    return msgspec.structs.replace(facts, bound_bytes=limits.bound_bytes(), bound_max_bytes=largest)


def _expansion(held: Held) -> float:
    """Largest body over its stored size: above 1 where the producer compressed."""
    known = (held.bodies >= 0) & (held.stored_bytes > 0)
    if not known.any():
        return 1.0
    return max(1.0, float((held.body_bytes[known] / held.stored_bytes[known]).max()))


def _text(values: dict[str, ConfigValue], key: str) -> str | None:
    value = values.get(key)
    return value if isinstance(value, str) else None


# What runs beside the workers


def _scheduled_tasks(consumer: Consumer) -> tuple[int | None, int | None]:
    """(tasks of the expiry cleaner, requests to be tried again) of the concurrent service; None where there is none."""
    heap = consumer.client.heap
    service = fields.ref(heap, consumer.implementation, "DefaultMQPushConsumerImpl.service")
    # A consumer that is paused in mid-start has no service yet; an orderly service has neither of the two.
    rows = consumer.client.rows("ConcurrentlyService")
    if service < 0 or int(heap.index.rows[service]) not in rows:
        return None, None
    cleaner = fields.ref(heap, service, "ConcurrentlyService.cleaner")
    retries = fields.ref(heap, service, "ConcurrentlyService.retry_executor")
    return _tasks(heap, cleaner, with_running=True), _tasks(heap, retries, with_running=False)


def _tasks(heap: Heap, executor: int, *, with_running: bool) -> int | None:
    """Tasks of a scheduled executor; None when it is shut down or none.

    Executors.newSingleThreadScheduledExecutor wraps the pool.
    """
    inner = fields.ref(heap, executor, "ThreadPool.wrapped")
    pool = inner if inner >= 0 else executor
    state = fields.number(heap, pool, "ThreadPool.control")
    waiting = fields.number(heap, pool, "ThreadPool.queue", "DelayedWorkQueue.size")
    if state is None or waiting is None or state >= _NOT_SHUT_DOWN:
        return None
    running = busy_workers(heap, fields.members(heap, pool, "ThreadPool.workers")) if with_running else 0
    return waiting + running


def _registered(consumer: Consumer) -> bool | None:
    """Whether the consumer's instance has it in its table; None where there is no instance or table."""
    heap = consumer.client.heap
    table = fields.ref(heap, consumer.instance, "MQClientInstance.consumers")
    if table < 0:
        return None
    _, _, registered = fields.entries(heap, fields.one(table))
    return consumer.implementation in registered.tolist()


def _topic_queues(consumer: Consumer) -> dict[str, int]:
    """Queues of each subscribed topic, as the route says: sets of MessageQueue by topic."""
    heap, rebalance = consumer.client.heap, fields.one(consumer.rebalance)
    _, subscribed, _ = fields.entries(heap, rebalance, "RebalanceImpl.subscriptions")
    topics = set(fields.texts(heap, subscribed))
    _, keys, sets = fields.entries(heap, rebalance, "RebalanceImpl.topic_queues")
    owners, _ = items(heap, sets)
    counts = np.bincount(owners, minlength=sets.size).tolist()
    found = zip(map(str, fields.texts(heap, keys)), counts, strict=True)
    return {topic: count for topic, count in sorted(found) if topic in topics}
