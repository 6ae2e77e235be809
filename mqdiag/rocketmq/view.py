"""The RocketMQ view of one heap: consumers, queues, messages and who keeps them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.broker import BrokerFacts
from mqdiag.facts.heap import (
    ClientInstance,
    ConsumerFacts,
    MessageHolder,
    MessageInHand,
    MessageTotals,
    QueueFacts,
)
from mqdiag.facts.producers import SendingFacts
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq.bind import Client, bind, has_grpc_client
from mqdiag.rocketmq.broker.broker_facts import brokers
from mqdiag.rocketmq.broker.controllers import broker_roots
from mqdiag.rocketmq.cached import Cached, distinct_body_bytes, read_cached
from mqdiag.rocketmq.consumer_facts import Held, consumer_facts, worker_threads
from mqdiag.rocketmq.consumers import Consumer, find_consumers
from mqdiag.rocketmq.in_hand import messages_in_hand
from mqdiag.rocketmq.instances import client_instances
from mqdiag.rocketmq.links import Links, link
from mqdiag.rocketmq.offsets import commit_offsets
from mqdiag.rocketmq.pools import consume_pool, lite_pull_cache, requests_in
from mqdiag.rocketmq.producers import sending
from mqdiag.rocketmq.queues import queue_rows
from mqdiag.rocketmq.rates import topic_rates
from mqdiag.rocketmq.requests import Requests, find_requests
from mqdiag.rocketmq.tell_tale import MESSAGE, PROCESS_QUEUE
from mqdiag.rocketmq.totals import message_holders, split_messages
from mqdiag.text import Text


@dataclass(frozen=True, kw_only=True)
class RocketMQView:
    """What `HeapFacts` says about RocketMQ, under its names."""

    consumers: tuple[ConsumerFacts, ...] = ()
    queues: tuple[QueueFacts, ...] = ()
    instances: tuple[ClientInstance, ...] = ()
    process_queues: int = 0
    messages: int = 0
    messages_unreachable: int = 0
    messages_in_queues: int = 0
    body_bytes: int = 0
    message_totals: MessageTotals = field(default_factory=MessageTotals)
    message_holders: tuple[MessageHolder, ...] = ()
    grpc_client: bool = False
    sending: SendingFacts | None = None
    brokers: tuple[BrokerFacts, ...] = ()
    unknown: dict[str, Text] = field(default_factory=dict)
    in_hand: dict[int, MessageInHand] = field(default_factory=dict)
    """by thread node: the message that a worker is working on"""


@dataclass(frozen=True, kw_only=True)
class _Part:
    """What was read of one client."""

    client: Client
    consumers: list[Consumer]
    requests: Requests
    links: Links
    cached: Cached
    rows: list[QueueFacts]
    held: list[Held]


def rocketmq_facts(heap: Heap) -> RocketMQView:
    """Read all remoting clients of a heap, of any version and package.

    Args:
        heap: the graph.
    """
    parts = [_read(client) for client in bind(heap)]
    queued = _join([part.cached.nodes for part in parts])
    requested = _join([part.requests.messages for part in parts])
    messages = heap.instances(_message_rows(heap, parts))
    split = split_messages(heap, messages, queued, requested)

    helds = [held for part in parts for held in part.held]
    sets = [held.retaining() for held in helds]
    sizes = heap.retained_of_sets([*sets, split.elsewhere], worker_threads(heap, helds))
    retained = iter(sizes)
    consumers = [
        consumer_facts(consumer, held, next(retained)[1], topic_rates(consumer, held.rows))
        for part in parts
        for consumer, held in zip(part.consumers, part.held, strict=True)
    ]
    unknown: dict[str, Text] = {}
    in_hand: dict[int, MessageInHand] = {}
    for part in parts:
        unknown.update(part.client.unknown)
        in_hand.update(messages_in_hand(part.client, part.requests))
    return RocketMQView(
        consumers=tuple(sorted(consumers, key=lambda one: (-(one.retained_bytes or 0), one.group))),
        queues=tuple(sorted((row for part in parts for row in part.rows), key=_by_name)),
        instances=tuple(one for part in parts for one in client_instances(part.client)),
        process_queues=sum(part.links.nodes.size for part in parts),
        messages=int(split.reachable.size),
        messages_unreachable=split.unreachable,
        messages_in_queues=int(split.in_queues.size),
        body_bytes=distinct_body_bytes(heap, heap.refs(split.reachable, "body")),
        message_totals=MessageTotals(
            in_queues=int(split.in_queues.size),
            in_queues_body_bytes=distinct_body_bytes(heap, _join([part.cached.bodies for part in parts])),
            in_executors=int(split.in_executors.size),
            in_frames=int(split.in_frames.size),
            elsewhere=int(split.elsewhere.size),
            elsewhere_bytes=sizes[-1][1],
        ),
        message_holders=message_holders(heap, split),
        grpc_client=has_grpc_client(heap),
        sending=sending(heap, [part.client for part in parts], broker_roots(heap)),
        brokers=tuple(brokers(heap)),
        unknown=unknown,
        in_hand=in_hand,
    )


def _read(client: Client) -> _Part:
    consumers = find_consumers(client)
    requests = find_requests(client)
    links = link(client, client.objects(PROCESS_QUEUE), consumers, requests)
    cached = read_cached(client, links.nodes)
    commits = [commit_offsets(client.heap, consumer) for consumer in consumers]
    orderly = [_is_orderly(consumer) for consumer in consumers]
    rows = queue_rows(client, links, cached, commits, orderly)
    held = [_held(at, consumer, links, cached, rows, requests) for at, consumer in enumerate(consumers)]
    return _Part(
        client=client,
        consumers=consumers,
        requests=requests,
        links=links,
        cached=cached,
        rows=rows,
        held=held,
    )


def _is_orderly(consumer: Consumer) -> bool | None:
    if consumer.implementation < 0:
        return None
    value = consumer.client.heap.number(consumer.implementation, "consumeOrderly")
    return None if value is None else bool(value)


def _held(
    at: int, consumer: Consumer, links: Links, cached: Cached, rows: list[QueueFacts], requests: Requests
) -> Held:
    heap = consumer.client.heap
    mine = np.flatnonzero(links.consumers == at)
    chosen = np.isin(cached.queues, mine)
    pool = consume_pool(heap, consumer)
    tasks = lite_pull_cache(heap, consumer) if pool is None else pool.tasks
    inner = requests_in(heap, tasks)
    messages = cached.nodes[chosen]
    bodies, body_bytes = cached.bodies[chosen], cached.body_bytes[chosen]
    stored = cached.stored_bytes[chosen]
    if consumer.kind == "pop":
        messages = np.concatenate((messages, _popped(consumer, requests)))
        bodies = heap.refs(messages, "body")
        body_bytes = np.maximum(heap.array_lengths(bodies), 0)
        stored = np.maximum(heap.numbers(messages, "storeSize"), 0)
    return Held(
        process_queues=links.nodes[mine],
        messages=messages,
        requests=np.concatenate((tasks, inner)),
        bodies=bodies,
        body_bytes=body_bytes,
        stored_bytes=stored,
        rows=[rows[place] for place in mine.tolist()],
        pool=pool,
        queued=int(tasks.size) if pool is not None or consumer.kind == "lite-pull" else None,
    )


def _popped(consumer: Consumer, requests: Requests) -> Nodes:
    """Messages of a pop consumer: only its queued and running requests hold them."""
    heap = consumer.client.heap
    services = heap.refs(requests.services, "defaultMQPushConsumer")
    ours = services[requests.message_owners] == consumer.node
    return np.unique(requests.messages[ours])


def _message_rows(heap: Heap, parts: list[_Part]) -> list[int]:
    return [row for part in parts for row in part.client.rows(MESSAGE)]


def _join(nodes: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    return np.unique(np.concatenate([np.empty(0, np.int32), *nodes]))


def _by_name(row: QueueFacts) -> tuple[str, str, str, int, str]:
    return row.group or "", row.topic or "", row.broker or "", row.queue_id or 0, row.object_id
