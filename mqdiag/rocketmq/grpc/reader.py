"""One gRPC client of a heap: its push and simple consumers, their queues, messages and threads, and its instances."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from mqdiag.facts.heap import ClientInstance
from mqdiag.facts.heap_threads import MessageInHand
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.read.hprof.distinct import distinct, is_in
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.clients import ClientPart, ConsumerReading, Kind
from mqdiag.rocketmq.grpc.consumers import Held, push_facts, simple_facts
from mqdiag.rocketmq.grpc.messages import message_ids, queue_names
from mqdiag.rocketmq.grpc.queues import queue_rows, read_queues, stalled_ms
from mqdiag.rocketmq.grpc.settings import client_id, client_version, service_state
from mqdiag.rocketmq.grpc.tasks import Tasks, find_tasks
from mqdiag.rocketmq.workers import read_pool

_NOTHING = np.empty(0, np.int32)


def read_client(heap: Heap, root: str, kinds: Mapping[str, Kind]) -> ClientPart:
    """Read the gRPC client under a package root.

    Args:
        heap: the graph.
        root: the package root.
        kinds: its kinds of consumers by the role of their class.
    """
    queues, tasks = read_queues(heap, root), find_tasks(heap, root)
    consumers = fields.instances(heap, root, "GrpcPushConsumer").tolist()
    names = {node: fields.text(heap, node, "GrpcConsumer.group") or "" for node in consumers}
    pools = {node: read_pool(heap, fields.ref(heap, node, "GrpcPushConsumer.executor")) for node in consumers}
    rows = queue_rows(heap, queues, names, tasks)
    groups, stalled = {}, {}
    for node, pool in pools.items():
        most = fields.number(heap, node, "GrpcPushConsumer.most_messages")
        still = stalled_ms(heap, queues, node, most, tasks)
        for thread in [] if pool is None else pool.workers.tolist():
            groups[thread], stalled[thread] = names[node], still
    push, simple = kinds["GrpcPushConsumer"], kinds["GrpcSimpleConsumer"]
    readings = []
    for node in consumers:
        own = np.flatnonzero(queues.consumers == node)
        held = Held(
            messages=queues.messages[is_in(queues.places, own)],
            rows=[rows[place] for place in own.tolist()],
            pool=pools[node],
        )
        readings.append(
            ConsumerReading(
                retaining=_retaining(queues.nodes[own], held.messages, tasks),
                workers=_NOTHING if held.pool is None else held.pool.workers,
                facts=partial(push_facts, heap, root, node, push.name, push.traits, held),
            )
        )
    for node in fields.instances(heap, root, "GrpcSimpleConsumer").tolist():
        facts = partial(simple_facts, heap, root, node, simple.name, simple.traits)
        readings.append(ConsumerReading(retaining=_NOTHING, workers=_NOTHING, facts=facts))
    messages = heap.instances(fields.class_rows(heap, root, "MessageView"))
    return ClientPart(
        consumers=readings,
        queues=rows,
        process_queues=int(queues.nodes.size),
        instances=client_instances(heap, root),
        messages=messages,
        bodies=fields.refs(heap, messages, "MessageView.body"),
        queued=queues.messages,
        requested=tasks.messages[tasks.messages >= 0],
        in_hand=messages_in_hand(heap, tasks, groups, stalled),
    )


def _retaining(queues: Nodes, messages: Nodes, tasks: Tasks) -> Nodes:
    """The queues of a consumer, their messages, and the tasks with these messages."""
    ours = is_in(tasks.messages, messages)
    parts = (queues, messages, tasks.tasks[ours], tasks.wrappers[ours], tasks.futures[ours])
    found = distinct(np.concatenate(parts))
    return found[found >= 0]


def client_instances(heap: Heap, root: str) -> list[ClientInstance]:
    """All reachable clients under a package root, in address order of each kind."""
    return [
        *_instances(heap, root, "GrpcPushConsumer"),
        *_instances(heap, root, "GrpcSimpleConsumer"),
        *_instances(heap, root, "GrpcProducer", producer=True),
    ]


def _instances(heap: Heap, root: str, role: str, *, producer: bool = False) -> list[ClientInstance]:
    nodes = fields.instances(heap, root, role).tolist()
    version = client_version(heap, root) if nodes else None
    return [
        ClientInstance(
            object_id=hex(heap.object_id(node)),
            client_id=client_id(heap, node),
            service_state=service_state(heap, node),
            client_version=version,
            consumer_groups=() if producer else (fields.text(heap, node, "GrpcConsumer.group") or "",),
            library="grpc",
        )
        for node in nodes
    ]


def messages_in_hand(
    heap: Heap, tasks: Tasks, groups: Mapping[int, str], stalled: Mapping[int, int | None]
) -> dict[int, MessageInHand]:
    """The message of each worker, by thread node.

    Args:
        heap: the graph.
        tasks: tasks of all push consumers.
        groups: group of each consumer, by worker thread.
        stalled: for how long the consumer of each worker thread has finished no message.
    """
    at = np.flatnonzero((tasks.threads >= 0) & (tasks.messages >= 0))
    threads, messages = tasks.threads[at], tasks.messages[at]
    now = heap.header.captured_at_ms
    columns = zip(
        threads.tolist(),
        fields.texts(heap, messages, "MessageView.topic"),
        fields.numbers(heap, messages, "MessageView.offset").tolist(),
        message_ids(heap, messages),
        fields.numbers(heap, messages, "MessageView.received_ms").tolist(),
        queue_names(heap, fields.refs(heap, messages, "MessageView.queue")),
        strict=True,
    )
    return {
        thread: MessageInHand(
            topic=topic,
            queue_id=name.queue_id,
            offset=None if offset == heap.MISSING else offset,
            msg_id=msg_id,
            age_ms=stalled.get(thread),
            received_age_ms=None if received == heap.MISSING or now <= 0 else now - received,
            group=groups.get(thread),
            broker=name.broker,
            queue_topic=name.topic,
            batch=1,
        )
        for thread, topic, offset, msg_id, received, name in columns
    }
