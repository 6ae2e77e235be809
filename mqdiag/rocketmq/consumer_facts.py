"""Facts of each consumer: settings, sums over its queues, what its thresholds allow, what it retains."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.bounds import (
    ESTIMATED_OVERHEAD_BYTES,
    LEAST_MESSAGES,
    cache_limits,
    largest_bound_bytes,
    whole,
)
from mqdiag.facts.heap import ConfigValue, ConsumerFacts, QueueFacts, TopicRate
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq.cached import distinct_body_bytes
from mqdiag.rocketmq.clients import lite_pull, pop, pull, push
from mqdiag.rocketmq.consumers import Consumer, client_id
from mqdiag.rocketmq.pools import Pool
from mqdiag.rocketmq.services import services_of
from mqdiag.rocketmq.settings import plain_fields
from mqdiag.rocketmq.version import client_version
from mqdiag.text import say

RETRY_PREFIX = "%RETRY%"
_TRAITS = {"push": push.TRAITS, "lite-pull": lite_pull.TRAITS, "pull": pull.TRAITS, "pop": pop.TRAITS}


@dataclass(frozen=True, kw_only=True)
class Held:
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

    def retaining(self) -> Nodes:
        """The set whose retained size is the consumer's."""
        return np.unique(np.concatenate((self.process_queues, self.messages, self.requests)))


def consumer_facts(
    consumer: Consumer, held: Held, retained: int | None, rates: tuple[TopicRate, ...] = ()
) -> ConsumerFacts:
    """Put one consumer's row together.

    Args:
        consumer: the consumer.
        held: its queues, messages and requests.
        retained: bytes that die with that set; None if it was not computed.
        rates: how fast it works on each topic.
    """
    heap = consumer.client.heap
    config = plain_fields(heap, consumer.node)
    state = plain_fields(heap, consumer.implementation)
    measured, average, largest = _bodies(held)
    version = client_version(consumer.client)
    around = services_of(consumer)
    unknown = dict(consumer.client.unknown)
    if version is None:
        unknown["client_version"] = say("MQVersion or its constants are not in the dump")
    if consumer.factory < 0:
        unknown["client_id"] = say("the consumer was never started, or was shut down")
    facts = ConsumerFacts(
        group=consumer.group,
        kind=consumer.kind,
        traits=_TRAITS[consumer.kind],
        object_id=hex(heap.object_id(consumer.node)),
        client_id=client_id(heap, consumer),
        client_version=version,
        layout=consumer.client.layout.name,
        message_model=_text(config, "messageModel"),
        orderly=_flag(state, "consumeOrderly") if consumer.kind in ("push", "pop") else None,
        config=config,
        state=state,
        queues=len(held.rows),
        messages=int(held.messages.size),
        body_bytes=distinct_body_bytes(heap, held.bodies),
        retained_bytes=retained,
        bounded_queues=consumer.pop_queues if consumer.kind == "pop" else _bounded(held.rows),
        average_body_bytes=average,
        largest_body_bytes=largest,
        measured_messages=measured,
        pop_queues=consumer.pop_queues,
        pool_threads=None if held.pool is None else int(held.pool.workers.size),
        pool_active=None if held.pool is None else held.pool.active,
        queued_requests=held.queued,
        instance_id=None if consumer.factory < 0 else hex(heap.object_id(consumer.factory)),
        registered=around.registered,
        cleaner_tasks=around.cleaner_tasks,
        resubmits=around.resubmits,
        topic_queues=around.topic_queues,
        rates=rates,
        unknown=unknown,
    )
    return _with_bounds(facts, held)


def _bodies(held: Held) -> tuple[int, float | None, int | None]:
    """(messages with a body, their mean, their largest)."""
    sizes = held.body_bytes[held.bodies >= 0]
    if not sizes.size:
        return 0, None, None
    return int(sizes.size), int(sizes.sum()) / int(sizes.size), int(sizes.max())


def _bounded(rows: list[QueueFacts]) -> int:
    """Queues that count for the bound: assigned, not dropped, no empty `%RETRY%` ones."""
    return sum(
        1
        for row in rows
        if row.assigned and not row.dropped and (row.messages or not (row.topic or "").startswith(RETRY_PREFIX))
    )


def _with_bounds(facts: ConsumerFacts, held: Held) -> ConsumerFacts:
    limits = cache_limits(facts)
    if limits is None:
        if facts.kind == "pull":
            reason = say("a pull consumer caches nothing")
        elif facts.measured_messages < LEAST_MESSAGES:
            reason = say(
                "{measured_messages} messages were seen; a mean body needs {least_messages}",
                measured_messages=facts.measured_messages,
                least_messages=LEAST_MESSAGES,
            )
        else:
            reason = say("the consumer object has no readable threshold")
        return _replace(facts, unknown={**facts.unknown, "bound_bytes": reason, "bound_max_bytes": reason})
    stored = held.stored_bytes[held.stored_bytes > 0]
    overhead = float(ESTIMATED_OVERHEAD_BYTES)
    if facts.retained_bytes is not None and facts.messages:
        overhead = max(0.0, (facts.retained_bytes - facts.body_bytes) / facts.messages)
    largest = largest_bound_bytes(
        limits,
        largest_body_bytes=facts.largest_body_bytes or 0,
        average_stored_bytes=float(stored.mean()) if stored.size else None,
        expansion=_expansion(held),
        batch=whole(facts.config.get("popBatchNums" if facts.kind == "pop" else "pullBatchSize")) or 32,
        overhead_bytes=overhead,
        orphan_body_bytes=sum(row.body_bytes for row in held.rows if row.dropped),
    )
    return _replace(facts, bound_bytes=limits.bound_bytes(), bound_max_bytes=largest)


def _expansion(held: Held) -> float:
    """Largest body over its stored size: above 1 where the producer compressed."""
    known = (held.bodies >= 0) & (held.stored_bytes > 0)
    if not known.any():
        return 1.0
    return max(1.0, float((held.body_bytes[known] / held.stored_bytes[known]).max()))


def _replace(facts: ConsumerFacts, **changes: object) -> ConsumerFacts:

    return msgspec.structs.replace(facts, **changes)


def _text(values: dict[str, ConfigValue], key: str) -> str | None:
    value = values.get(key)
    return value if isinstance(value, str) else None


def _flag(values: dict[str, ConfigValue], key: str) -> bool | None:
    value = values.get(key)
    return value if isinstance(value, bool) else None


def worker_threads(heap: Heap, helds: list[Held]) -> Nodes:
    """Threads whose frames do not count as holders of what their consumer holds."""
    pools = [held.pool.workers for held in helds if held.pool is not None]
    return np.unique(np.concatenate([np.empty(0, np.int32), *pools]))
