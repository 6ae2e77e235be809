"""The message that each worker of a gRPC push consumer is processing."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mqdiag.facts.heap import MessageInHand
from mqdiag.graph.heap import Heap
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.grpc.messages import message_ids, queue_names
from mqdiag.rocketmq.grpc.tasks import Tasks


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
