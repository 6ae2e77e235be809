"""The client instances of a heap: who shares one, whether it is still managed, whether its pull thread lives."""

from __future__ import annotations

from mqdiag.facts.heap import ClientInstance
from mqdiag.facts.vocabulary import ServiceThreadState
from mqdiag.graph.heap import Heap
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.client import Client, version_under

_ALIVE, _TERMINATED = 0x1, 0x2
"""bits of Thread.threadStatus"""


def client_instances(client: Client) -> list[ClientInstance]:
    """All reachable MQClientInstances, in address order."""
    heap = client.heap
    nodes = client.objects("MQClientInstance")
    version = version_under(heap, client.root) if nodes.size else None
    return [
        ClientInstance(
            object_id=hex(heap.object_id(node)),
            client_id=fields.text(heap, node, "MQClientInstance.client_id"),
            service_state=fields.constant(heap, node, "MQClientInstance.state"),
            client_version=version,
            consumer_groups=_groups(heap, node, "MQClientInstance.consumers"),
            producer_groups=_groups(heap, node, "MQClientInstance.producers"),
            pull_thread=thread_state(
                heap, fields.ref(heap, node, "MQClientInstance.pull_service", "ServiceThread.thread")
            ),
            pull_stopped=fields.flag(heap, node, "MQClientInstance.pull_service", "ServiceThread.stopped"),
        )
        for node in nodes.tolist()
    ]


def _groups(heap: Heap, node: int, role: str) -> tuple[str, ...]:
    _, keys, _ = fields.entries(heap, fields.one(node), role)
    return tuple(sorted(name for name in fields.texts(heap, keys) if name))


def thread_state(heap: Heap, thread: int) -> ServiceThreadState | None:
    """What its status says; None when there is no thread object, or its status is not in the dump."""
    status = fields.number(heap, thread, "Thread.status")
    if status is None:  # JDK 19 and later
        status = fields.number(heap, thread, "Thread.holder", "FieldHolder.status")
    if status is None:
        return None
    if status & _TERMINATED:
        return "terminated"
    return "alive" if status & _ALIVE else "new"
