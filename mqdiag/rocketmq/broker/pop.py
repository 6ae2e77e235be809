"""POP consumption at a broker: check points that wait for acknowledgements, and the threads that give messages back.

Source: PopBufferMergeService, PopReviveService, AckMessageProcessor, 5.0.0 to 5.5.0.
"""

from __future__ import annotations

from mqdiag.facts.servers import PopFacts, ReviveQueue
from mqdiag.graph.array_elements import array_elements
from mqdiag.graph.collections import sizes
from mqdiag.graph.heap import Heap
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.broker.controllers import Controller
from mqdiag.rocketmq.instances import thread_state


def pop_facts(broker: Controller) -> PopFacts | None:
    """None before 5.0.0."""
    heap = broker.heap
    buffer = fields.ref(
        heap, broker.node, "BrokerController.pop_processor", "PopMessageProcessor.buffer_service"
    )
    services = fields.ref(
        heap, broker.node, "BrokerController.acknowledgements", "AckMessageProcessor.revive_services"
    )
    if buffer < 0 and services < 0:
        return None
    return PopFacts(
        check_points=_size(heap, buffer, "PopBufferMergeService.buffer"),
        offset_queues=_size(heap, buffer, "PopBufferMergeService.commit_offsets"),
        buffer_thread=thread_state(heap, fields.ref(heap, buffer, "ServiceThread.thread")),
        revive_queues=tuple(
            _revive(heap, node) for node in array_elements(heap, services).tolist() if node >= 0
        ),
    )


def _size(heap: Heap, node: int, role: str) -> int | None:
    table = fields.ref(heap, node, role)
    return int(sizes(heap, fields.one(table))[0]) if table >= 0 else None


def _revive(heap: Heap, node: int) -> ReviveQueue:
    due = fields.number(heap, node, "PopReviveService.due_ms")
    now = heap.header.captured_at_ms
    return ReviveQueue(
        queue_id=fields.number(heap, node, "PopReviveService.queue_id"),
        running=fields.flag(heap, node, "PopReviveService.runs"),
        # -1 until the first round is done
        behind_ms=max(now - due, 0) if due is not None and due > 0 and now else None,
        unfinished=_size(heap, node, "PopReviveService.unfinished"),
        thread=thread_state(heap, fields.ref(heap, node, "ServiceThread.thread")),
    )
