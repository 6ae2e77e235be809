"""Finds the RocketMQ clients of a heap, and the version family of each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq.layout import Layout
from mqdiag.rocketmq.layouts import FAMILIES
from mqdiag.rocketmq.tell_tale import PROCESS_QUEUE, TELL_TALE
from mqdiag.text import Text, say

GRPC_TELL_TALE = ".client.java.impl.consumer.ProcessQueueImpl", ".client.java.impl.ClientImpl"


@dataclass(frozen=True, kw_only=True)
class Client:
    """All that one package root holds: org.apache.rocketmq, com.alibaba.rocketmq, or a relocated copy."""

    heap: Heap
    root: str
    layout: Layout
    unknown: dict[str, Text] = field(default_factory=dict)

    def rows(self, suffix: str) -> list[int]:
        """Classes of this client by the end of their name, one for each loader."""
        return self.heap.classes.indices_named(self.root + suffix)

    def objects(self, suffix: str, *, subclasses: bool = True) -> Nodes:
        """Reachable instances, ascending."""
        nodes = self.heap.instances(self.rows(suffix), subclasses=subclasses)
        return nodes[self.heap.reachable(nodes)]

    def role(self, nodes: Nodes, role: str) -> Nodes:
        """What plays a role of the layout in each node; -1 where nothing does."""
        found = np.full(nodes.size, -1, np.int32)
        for name in self.layout.candidates(role):
            missing = found < 0
            if missing.any():
                found[missing] = self.heap.refs(nodes[missing], name)
        return found

    def has_role(self, suffix: str, role: str) -> bool:
        """True when a class of the client has a field for the role."""
        names = self.layout.candidates(role)
        return any(self.heap.classes.has_field(row, name) for row in self.rows(suffix) for name in names)


def bind(heap: Heap) -> list[Client]:
    """The clients of a heap, by package root."""
    roots: set[str] = set()
    for suffix in TELL_TALE:
        roots.update(
            heap.classes.names[row].removesuffix(suffix) for row in heap.classes.indices_ending(suffix)
        )
    return [_bind(heap, root) for root in sorted(roots)]


def _bind(heap: Heap, root: str) -> Client:
    for layout in FAMILIES:
        if layout.matches(heap, root):
            return Client(heap=heap, root=root, layout=layout)
    nearest = max(FAMILIES, key=lambda layout: _known_names(heap, root, layout))
    unknown = {}
    if heap.classes.indices_named(root + PROCESS_QUEUE):
        unknown["layout"] = say(
            "the classes of {root} are of no known version family; read as the nearest, {name}",
            root=root,
            name=nearest.name,
        )
    return Client(heap=heap, root=root, layout=nearest, unknown=unknown)


def _known_names(heap: Heap, root: str, layout: Layout) -> int:
    """How many of a family's own names for ProcessQueue fields the class has."""
    rows = heap.classes.indices_named(root + PROCESS_QUEUE)
    found = 0
    ancestor: Layout | None = layout
    while ancestor is not None:
        for role, name in ancestor.names.items():
            if role.startswith("ProcessQueue."):
                found += any(heap.classes.has_field(row, name) for row in rows)
        ancestor = ancestor.parent
    return found


def has_grpc_client(heap: Heap) -> bool:
    """True when classes of rocketmq-client-java are loaded, relocated or not."""
    return any(heap.classes.indices_ending(suffix) for suffix in GRPC_TELL_TALE) or any(
        name.startswith("org.apache.rocketmq.client.java.") for name in heap.classes.names
    )
