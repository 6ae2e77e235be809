"""Columns over the received messages of the gRPC client, its MessageViewImpls."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.queue_names import QueueName

_WITHOUT_VERSION = "00"
"""MessageIdCodec.MESSAGE_ID_VERSION_V0: ids of senders that are no gRPC client"""


def body_bytes(heap: Heap, messages: Nodes) -> NDArray[np.int64]:
    """Length of each body, int64; 0 for a null body."""
    return np.maximum(heap.array_lengths(fields.refs(heap, messages, "MessageView.body")), 0)


def message_ids(heap: Heap, messages: Nodes) -> list[str | None]:
    """What MessageId.toString() gives: two digits of a version and the rest, or the rest alone for version 0."""
    versions = fields.texts(heap, messages, "MessageView.id", "GrpcMessageId.version")
    rests = fields.texts(heap, messages, "MessageView.id", "GrpcMessageId.suffix")
    return [
        rest if version in (None, _WITHOUT_VERSION) or rest is None else version + rest
        for version, rest in zip(versions, rests, strict=True)
    ]


def queue_names(heap: Heap, queues: Nodes) -> list[QueueName]:
    """Topic, broker and number of each MessageQueueImpl.

    The number is -1 for a queue that stands for all queues of a broker, as a proxy assigns them.
    """
    columns = zip(
        fields.texts(heap, queues, "GrpcMessageQueue.topic", "GrpcResource.name"),
        fields.texts(heap, queues, "GrpcMessageQueue.broker", "GrpcResource.name"),
        fields.numbers(heap, queues, "GrpcMessageQueue.queue_id").tolist(),
        strict=True,
    )
    return [
        QueueName(topic, broker, None if number == heap.MISSING else number)
        for topic, broker, number in columns
    ]
