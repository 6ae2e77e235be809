"""The client instances of a heap: who shares one, whether it is still managed, whether its pull thread lives."""

from __future__ import annotations

import numpy as np

from mqdiag.facts.heap import ClientInstance
from mqdiag.graph.collections import map_entries
from mqdiag.graph.heap import Heap
from mqdiag.graph.plain import enum_name
from mqdiag.rocketmq.bind import Client
from mqdiag.rocketmq.queue_names import texts
from mqdiag.rocketmq.version import client_version

_ALIVE, _TERMINATED = 0x1, 0x2
"""bits of Thread.threadStatus"""


def client_instances(client: Client) -> list[ClientInstance]:
    """All reachable MQClientInstances (3.x: the same name), in address order."""
    heap = client.heap
    nodes = client.objects(".client.impl.factory.MQClientInstance")
    managers = client.objects(".client.impl.MQClientManager")
    _, _, managed = map_entries(heap, heap.refs(managers, "factoryTable"))
    known = set(managed.tolist())
    version = client_version(client) if nodes.size else None
    return [
        ClientInstance(
            object_id=hex(heap.object_id(node)),
            client_id=heap.string(heap.ref(node, "clientId")),
            service_state=enum_name(heap, heap.ref(node, "serviceState")),
            client_version=version,
            managed=node in known if managers.size else None,
            consumer_groups=_groups(heap, node, "consumerTable"),
            producer_groups=_groups(heap, node, "producerTable"),
            pull_thread=_thread(heap, heap.ref(node, "pullMessageService.thread")),
            pull_stopped=_stopped(heap, heap.ref(node, "pullMessageService")),
        )
        for node in nodes.tolist()
    ]


def _groups(heap: Heap, node: int, field: str) -> tuple[str, ...]:
    keys = map_entries(heap, np.array([heap.ref(node, field)], np.int32))[1]
    return tuple(sorted(name for name in texts(heap, keys) if name))


def _thread(heap: Heap, thread: int) -> str | None:
    """What its status says; None when there is no thread object, or its status is not in the dump."""
    if thread < 0:
        return None
    status = heap.number(thread, "threadStatus")
    if status is None:  # JDK 19 and later
        status = heap.number(thread, "holder.threadStatus")
    if status is None:
        return None
    if status & _TERMINATED:
        return "terminated"
    return "alive" if status & _ALIVE else "new"


def _stopped(heap: Heap, service: int) -> bool | None:
    """ServiceThread.stopped; "stoped" in 3.x."""
    for name in ("stopped", "stoped"):
        value = heap.number(service, name) if service >= 0 else None
        if value is not None:
            return bool(value)
    return None
