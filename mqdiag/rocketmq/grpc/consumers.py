"""Facts of each gRPC consumer: settings, counters, what it caches, what its limits allow."""

from __future__ import annotations

import msgspec

from mqdiag.facts.bounds import (
    ESTIMATED_OVERHEAD_BYTES,
    LEAST_MESSAGES,
    cache_limits,
    largest_divided_bound_bytes,
    whole,
)
from mqdiag.facts.heap import ConfigValue, ConsumerFacts, QueueFacts
from mqdiag.facts.heap_classes import KindTraits
from mqdiag.facts.vocabulary import ClientKind
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.grpc.messages import body_bytes
from mqdiag.rocketmq.grpc.settings import client_id, client_settings, client_version, duration_ms, service_state
from mqdiag.rocketmq.messages import distinct_body_bytes
from mqdiag.rocketmq.workers import Pool
from mqdiag.text import Text, say

_DEFAULT_BATCH = 32
"""PushSubscriptionSettings.receiveBatchSize, which the proxy may set"""
_COUNTERS = {
    "receptionTimes": "GrpcPushConsumer.receptions",
    "receivedMessagesQuantity": "GrpcPushConsumer.received",
    "consumptionOkQuantity": "GrpcPushConsumer.succeeded",
    "consumptionErrorQuantity": "GrpcPushConsumer.failed",
}


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """What one push consumer holds: `messages` int32 and its rows of queues."""

    messages: Nodes
    rows: list[QueueFacts]
    pool: Pool | None


def push_facts(
    heap: Heap, root: str, node: int, name: ClientKind, traits: KindTraits, held: Held, retained: int | None
) -> ConsumerFacts:
    """Put the row of a PushConsumerImpl together.

    Args:
        heap: the graph.
        root: package root of its client.
        node: the consumer.
        name: name of its kind.
        traits: traits of its kind.
        held: its queues and messages.
        retained: bytes that die with what it holds; None if that was not computed.
    """
    lengths = body_bytes(heap, held.messages)
    settings = fields.ref(heap, node, "GrpcPushConsumer.settings")
    facts = ConsumerFacts(
        group=fields.text(heap, node, "GrpcConsumer.group") or "",
        kind=name,
        traits=traits,
        object_id=hex(heap.object_id(node)),
        client_id=client_id(heap, node),
        client_version=client_version(heap, root),
        orderly=fields.flag(heap, settings, "GrpcPushSettings.fifo"),
        config=_push_settings(heap, node, settings),
        state={
            "serviceState": service_state(heap, node),
            **{counter: fields.number(heap, node, role) for counter, role in _COUNTERS.items()},
        },
        queues=len(held.rows),
        messages=int(held.messages.size),
        body_bytes=distinct_body_bytes(heap, fields.refs(heap, held.messages, "MessageView.body")),
        retained_bytes=retained,
        bounded_queues=sum(row.assigned is True and not row.dropped for row in held.rows),
        average_body_bytes=float(lengths.mean()) if lengths.size else None,
        largest_body_bytes=int(lengths.max()) if lengths.size else None,
        measured_messages=int(lengths.size),
        pool_threads=None if held.pool is None else int(held.pool.workers.size),
        pool_active=None if held.pool is None else held.pool.active,
        queued_requests=None if held.pool is None else int(held.pool.tasks.size),
        instance_id=hex(heap.object_id(node)),
        unknown=_unknown_version(heap, root),
    )
    return _with_bounds(facts)


def simple_facts(
    heap: Heap, root: str, node: int, name: ClientKind, traits: KindTraits, retained: int | None
) -> ConsumerFacts:
    """Put the row of a SimpleConsumerImpl together; its arguments are those of `push_facts`."""
    return ConsumerFacts(
        group=fields.text(heap, node, "GrpcConsumer.group") or "",
        kind=name,
        traits=traits,
        object_id=hex(heap.object_id(node)),
        client_id=client_id(heap, node),
        client_version=client_version(heap, root),
        config={
            **client_settings(heap, node),
            "awaitDuration": duration_ms(heap, fields.ref(heap, node, "GrpcSimpleConsumer.await")),
        },
        state={"serviceState": service_state(heap, node)},
        retained_bytes=retained,
        instance_id=hex(heap.object_id(node)),
        unknown={
            "bound_bytes": say("a simple consumer caches nothing"),
            **_unknown_version(heap, root),
        },
    )


def _unknown_version(heap: Heap, root: str) -> dict[str, Text]:
    if client_version(heap, root) is None:
        return {"client_version": say("the client's UserAgent is not in the dump")}
    return {}


def _push_settings(heap: Heap, node: int, settings: int) -> dict[str, ConfigValue]:
    return {
        **client_settings(heap, node),
        "consumptionThreadCount": fields.number(heap, node, "GrpcPushConsumer.executor", "ThreadPool.threads"),
        "receiveBatchSize": fields.number(heap, settings, "GrpcPushSettings.batch"),
        "longPollingTimeout": duration_ms(heap, fields.ref(heap, settings, "GrpcPushSettings.long_polling")),
        "maxAttempts": fields.number(heap, settings, "GrpcSettings.retry", "RetryPolicy.attempts"),
    }


def _with_bounds(facts: ConsumerFacts) -> ConsumerFacts:
    limits = cache_limits(facts)
    if limits is None:
        reason = (
            say(
                "{measured_messages:count} {measured_messages:message was|messages were} seen; a mean size needs at"
                " least {least_messages:count}",
                measured_messages=facts.measured_messages,
                least_messages=LEAST_MESSAGES,
            )
            if facts.measured_messages < LEAST_MESSAGES
            else say("the consumer object has no readable threshold")
        )
        unknown = {**facts.unknown, "bound_bytes": reason, "bound_max_bytes": reason}
        return msgspec.structs.replace(facts, unknown=unknown)
    overhead = float(ESTIMATED_OVERHEAD_BYTES)
    if facts.retained_bytes is not None and facts.messages:
        overhead = max(0.0, (facts.retained_bytes - facts.body_bytes) / facts.messages)
    largest = largest_divided_bound_bytes(
        limits,
        queues=facts.bounded_queues or 0,
        largest_body_bytes=facts.largest_body_bytes or 0,
        batch=whole(facts.config.get("receiveBatchSize")) or _DEFAULT_BATCH,
        overhead_bytes=overhead,
    )
    return msgspec.structs.replace(facts, bound_bytes=limits.bound_bytes(), bound_max_bytes=largest)
