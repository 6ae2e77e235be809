"""Plain fields of many ProcessQueues, None where a version has no such field."""

from __future__ import annotations

import numpy as np

from mqdiag.graph.heap import Nodes
from mqdiag.rocketmq.bind import Client
from mqdiag.rocketmq.tell_tale import PROCESS_QUEUE


class QueueColumns:
    """Plain fields of the ProcessQueues; None where the version has no such field."""

    def __init__(self, client: Client, nodes: Nodes) -> None:
        heap = client.heap
        self._missing = heap.MISSING
        self._now = heap.header.captured_at_ms
        self._columns = {
            name: heap.numbers(nodes, name)
            for name in (
                "dropped",
                "locked",
                "lastPullTimestamp",
                "lastConsumeTimestamp",
                "lastLockTimestamp",
                "queueOffsetMax",
                "msgAccCnt",
            )
        }
        for name in ("count", "size"):
            self._columns[name] = heap.numbers(client.role(nodes, f"ProcessQueue.{name}"), "value")
        locks = heap.refs(client.role(nodes, "ProcessQueue.tree_lock"), "sync")
        writers = heap.refs(locks, "exclusiveOwnerThread")
        self._columns["writer"] = np.where(locks >= 0, writers >= 0, heap.MISSING).astype(np.int64)
        if not client.has_role(PROCESS_QUEUE, "ProcessQueue.size"):
            self._columns["size"][:] = heap.MISSING

    def number(self, name: str, place: int) -> int | None:
        """An integer field of one queue."""
        value = int(self._columns[name][place])
        return None if value == self._missing else value

    def flag(self, name: str, place: int) -> bool | None:
        """A boolean field of one queue."""
        value = self.number(name, place)
        return None if value is None else bool(value)

    def age(self, name: str, place: int) -> int | None:
        """Against the dump's time; None where either is unknown."""
        value = self.number(name, place)
        return None if value is None or value <= 0 or self._now <= 0 else self._now - value
