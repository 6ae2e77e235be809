"""The remoting client (rocketmq-client): how its objects are read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from mqdiag.facts.heap import QueueFacts
from mqdiag.graph.heap import Heap
from mqdiag.read.hprof.distinct import distinct, is_in
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.client import Client, find_clients
from mqdiag.rocketmq.clients import ClientPart, ConsumerReading, Kind
from mqdiag.rocketmq.consumer_facts import Held, consumer_facts
from mqdiag.rocketmq.consumers import commit_offsets, find_consumers, is_orderly
from mqdiag.rocketmq.instances import client_instances
from mqdiag.rocketmq.messages import Cached, read_cached
from mqdiag.rocketmq.queue_owners import QueueOwners, find_owners
from mqdiag.rocketmq.queues import queue_rows
from mqdiag.rocketmq.rates import topic_rates
from mqdiag.rocketmq.remoting_kind import Consumer, RemotingKind
from mqdiag.rocketmq.workers import Requests, find_requests, messages_in_hand, requests_in


def read_remoting_clients(heap: Heap, kinds: Sequence[Kind]) -> list[ClientPart]:
    """Read all remoting clients of a heap, of any version and package."""
    own = [kind for kind in kinds if isinstance(kind, RemotingKind)]
    return [_read(client, own) for client in find_clients(heap)]


def _read(client: Client, kinds: list[RemotingKind]) -> ClientPart:
    heap = client.heap
    consumers = find_consumers(client, kinds)
    requests = find_requests(client)
    owners = find_owners(client, client.objects("ProcessQueue"), consumers, kinds, requests)
    cached = read_cached(heap, owners.nodes)
    commits = [commit_offsets(consumer) for consumer in consumers]
    rows = queue_rows(client, owners, cached, commits, [is_orderly(consumer) for consumer in consumers])
    messages = heap.instances(client.rows("MessageExt"))
    return ClientPart(
        consumers=[
            _reading(consumer, _held(at, consumer, owners, cached, rows, requests))
            for at, consumer in enumerate(consumers)
        ],
        queues=rows,
        process_queues=int(owners.nodes.size),
        instances=client_instances(client),
        messages=messages,
        bodies=fields.refs(heap, messages, "Message.body"),
        queued=cached.nodes,
        requested=requests.messages,
        in_hand=messages_in_hand(client, requests),
        unknown=client.unknown,
    )


def _reading(consumer: Consumer, held: Held) -> ConsumerReading:
    return ConsumerReading(
        retaining=distinct(np.concatenate((held.process_queues, held.messages, held.requests))),
        workers=np.empty(0, np.int32) if held.pool is None else held.pool.workers,
        facts=partial(consumer_facts, consumer, held, topic_rates(consumer, held.rows)),
    )


def _held(
    at: int,
    consumer: Consumer,
    owners: QueueOwners,
    cached: Cached,
    rows: list[QueueFacts],
    requests: Requests,
) -> Held:
    """What the consumer at a place of the client's consumers holds."""
    heap, kind = consumer.client.heap, consumer.kind
    mine = np.flatnonzero(owners.consumers == at)
    pool = kind.pool(consumer)
    waiting = kind.waiting(consumer, pool)
    tasks = np.empty(0, np.int32) if waiting is None else waiting
    messages = np.concatenate(
        (cached.nodes[is_in(cached.queues, mine)], kind.outside_queues(consumer, requests))
    )
    bodies = fields.refs(heap, messages, "Message.body")
    return Held(
        process_queues=owners.nodes[mine],
        messages=messages,
        requests=np.concatenate((tasks, requests_in(heap, tasks))),
        bodies=bodies,
        body_bytes=np.maximum(heap.array_lengths(bodies), 0),
        stored_bytes=np.maximum(fields.numbers(heap, messages, "MessageExt.stored_bytes"), 0),
        rows=[rows[place] for place in mine.tolist()],
        pool=pool,
        queued=None if waiting is None else int(waiting.size),
    )
