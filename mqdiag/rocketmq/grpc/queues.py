"""A row for each ProcessQueueImpl of the gRPC client, and for how long nothing of it was finished."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.heap import QueueFacts
from mqdiag.graph.collections import items
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.read.hprof.distinct import is_in
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.grpc.messages import body_bytes, message_ids, queue_names
from mqdiag.rocketmq.grpc.tasks import Tasks
from mqdiag.rocketmq.messages import distinct_body_bytes

_NANOS_OF_MS = 1_000_000


class Queues(msgspec.Struct, frozen=True, kw_only=True):
    """All reachable ProcessQueueImpls, and their messages flat.

    `nodes`, `consumers` (the PushConsumerImpl of each) int32[k]; `assigned` bool[k]: in the table of that consumer.
    `places` int64[m]: position of the queue in `nodes`; `messages` int32[m]; `in_flight` bool[m]: up to 5.0.1, in
    the list of those that a listener has.
    """

    nodes: Nodes
    consumers: Nodes
    assigned: NDArray[np.bool_]
    places: NDArray[np.int64]
    messages: Nodes
    in_flight: NDArray[np.bool_]


def read_queues(heap: Heap, root: str) -> Queues:
    """The queues of the gRPC client under a package root, dropped ones too, in address order."""
    nodes = fields.instances(heap, root, "GrpcProcessQueue")
    parts = []
    for role, flying in (("GrpcProcessQueue.messages", False), ("GrpcProcessQueue.in_flight", True)):
        places, found = items(heap, fields.refs(heap, nodes, role))
        parts.append((places, found, np.full(found.size, flying)))
    places, messages, in_flight = (np.concatenate(column) for column in zip(*parts, strict=True))
    consumers = fields.instances(heap, root, "GrpcPushConsumer")
    _, _, listed = fields.entries(heap, consumers, "GrpcPushConsumer.process_queues")
    return Queues(
        nodes=nodes,
        consumers=fields.refs(heap, nodes, "GrpcProcessQueue.consumer"),
        assigned=is_in(nodes, listed),
        places=places,
        messages=messages,
        in_flight=in_flight,
    )


def queue_rows(heap: Heap, queues: Queues, groups: Mapping[int, str], tasks: Tasks) -> list[QueueFacts]:
    """The row of each queue.

    A queue that stands for all queues of a broker has messages with offsets of several, so it has no lowest and
    highest one.

    Args:
        heap: the graph.
        queues: the queues.
        groups: group of each push consumer by its node.
        tasks: tasks of the consumers.
    """
    names = queue_names(heap, fields.refs(heap, queues.nodes, "GrpcProcessQueue.queue"))
    sizes = fields.numbers(heap, queues.nodes, "GrpcProcessQueue.bytes").tolist()
    dropped = fields.numbers(heap, queues.nodes, "GrpcProcessQueue.dropped").tolist()
    writers = fields.refs(heap, queues.nodes, "GrpcProcessQueue.lock", "Lock.sync", "Synchronizer.owner")
    running = tasks.messages[tasks.threads >= 0]
    rows = []
    for place, (name, own) in enumerate(zip(names, _positions(queues), strict=True)):
        messages = queues.messages[own]
        lengths = body_bytes(heap, messages)
        largest = int(lengths.argmax()) if lengths.size else None
        offsets = fields.numbers(heap, messages, "MessageView.offset")
        attempts = fields.numbers(heap, messages, "MessageView.attempt")
        known = offsets.size > 0 and not (offsets == heap.MISSING).any()
        ordered = known and name.queue_id is not None and name.queue_id >= 0
        least, most = (int(offsets.min()), int(offsets.max())) if ordered else (None, None)
        rows.append(
            QueueFacts(
                group=groups.get(int(queues.consumers[place])),
                topic=name.topic,
                broker=name.broker,
                queue_id=name.queue_id,
                object_id=hex(heap.object_id(int(queues.nodes[place]))),
                messages=int(messages.size),
                in_flight=int(queues.in_flight[own].sum()),
                msg_size=None if sizes[place] == heap.MISSING else sizes[place],
                body_bytes=distinct_body_bytes(heap, fields.refs(heap, messages, "MessageView.body")),
                largest_body_bytes=None if largest is None else int(lengths[largest]),
                largest_body_offset=int(offsets[largest]) if known and largest is not None else None,
                largest_body_msg_id=None
                if largest is None
                else message_ids(heap, messages[largest : largest + 1])[0],
                min_offset=least,
                max_offset=most,
                span=None if least is None or most is None else most - least,
                started=int(is_in(messages, running).sum()),
                redelivered=int((attempts > 1).sum()),
                most_redelivered=int(attempts.max()) - 1 if (attempts != heap.MISSING).any() else None,
                assigned=bool(queues.assigned[place]),
                dropped=None if dropped[place] == heap.MISSING else bool(dropped[place]),
                being_changed=bool(writers[place] >= 0),
                found_by="assigned" if queues.assigned[place] else None,
            )
        )
    return rows


def _positions(queues: Queues) -> list[NDArray[np.int64]]:
    """For each queue, the positions of its messages in `messages`."""
    order = np.argsort(queues.places, kind="stable")
    ends = np.searchsorted(queues.places[order], np.arange(queues.nodes.size), "right")
    return np.split(order, ends)[:-1]


def stalled_ms(
    heap: Heap, queues: Queues, consumer: int, most_messages: int | None, tasks: Tasks
) -> int | None:
    """For how long a push consumer has certainly finished no message; None where that cannot be told.

    A queue that holds as many messages as it may looks each second whether it may ask for more, and notes when. If it
    never could, none of its messages was finished since it last asked. Each of them must still be in a task, since
    one whose acknowledgement fails stays in the queue too.
    """
    own = np.flatnonzero((queues.consumers == consumer) & queues.assigned)
    if not own.size or most_messages is None:
        return None
    asked = fields.numbers(heap, queues.nodes, "GrpcProcessQueue.asked_nanos")
    full = fields.numbers(heap, queues.nodes, "GrpcProcessQueue.full_nanos")
    share = max(1, most_messages // own.size)
    found = []
    for place in own.tolist():
        messages = queues.messages[queues.places == place]
        received = fields.numbers(heap, messages, "MessageView.received_ms")
        times = (int(asked[place]), int(full[place]))
        unfinished = bool(is_in(messages, tasks.messages).all())
        if messages.size != share or heap.MISSING in times or not unfinished or heap.header.captured_at_ms <= 0:
            return None
        # the last messages came after the queue asked for them
        found.append((times[1] - times[0]) // _NANOS_OF_MS)
        found.append(heap.header.captured_at_ms - int(received.max()))
    return max(0, min(found))
