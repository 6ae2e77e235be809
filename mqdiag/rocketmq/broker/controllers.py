"""BrokerControllers of a heap with the objects that the rest is read from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mqdiag.graph.heap import Heap, Nodes

CONTROLLER = ".broker.BrokerController"


@dataclass(frozen=True, kw_only=True)
class Controller:
    """One broker; nodes are -1 where a reference is null or the version has no such field."""

    heap: Heap
    root: str
    """package root: org.apache.rocketmq, com.alibaba.rocketmq or a relocated one"""
    node: int
    config: int
    store_config: int
    store: int
    commit_log: int

    def first(self, node: int, *paths: str) -> int:
        """The first of several paths that leads to an object."""
        return first_ref(self.heap, node, *paths)

    def number(self, node: int, *paths: str) -> int | None:
        """The first of several paths that ends in a number."""
        return first_number(self.heap, node, *paths)


def broker_roots(heap: Heap) -> list[str]:
    """Package roots with a broker's classes."""
    rows = heap.classes.indices_ending(CONTROLLER)
    return sorted({heap.classes.names[row].removesuffix(CONTROLLER) for row in rows})


def find_controllers(heap: Heap) -> list[Controller]:
    """All reachable brokers, those of a BrokerContainer (5.x) too.

    Loaded classes without an object make no broker: clients and tools have broker jars on their class path as well.
    """
    found = []
    for root in broker_roots(heap):
        nodes = heap.instances(heap.classes.indices_named(root + CONTROLLER))
        found += [_controller(heap, root, node) for node in nodes[heap.reachable(nodes)].tolist()]
    # a store makes a broker: one that was built and not initialized serves nobody
    return sorted(found, key=lambda one: (one.store < 0, one.node))


def _controller(heap: Heap, root: str, node: int) -> Controller:
    store = _plain_store(heap, heap.ref(node, "messageStore"))
    return Controller(
        heap=heap,
        root=root,
        node=node,
        config=heap.ref(node, "brokerConfig"),
        store_config=heap.ref(node, "messageStoreConfig"),
        store=store,
        commit_log=heap.ref(store, "commitLog") if store >= 0 else -1,
    )


def _plain_store(heap: Heap, store: int) -> int:
    """The DefaultMessageStore inside a plugin (AbstractPluginMessageStore.next), as tiered storage and hooks add."""
    for _ in range(8):
        following = heap.ref(store, "next") if store >= 0 else -1
        if following < 0 or heap.ref(store, "commitLog") >= 0:
            break
        store = following
    return store


def first_ref(heap: Heap, node: int, *paths: str) -> int:
    """The first of several paths that leads to an object; -1 when none does."""
    if node >= 0:
        for path in paths:
            found = heap.ref(node, path)
            if found >= 0:
                return found
    return -1


def first_number(heap: Heap, node: int, *paths: str) -> int | None:
    """The first of several paths that ends in a number."""
    if node >= 0:
        for path in paths:
            found = heap.number(node, path)
            if found is not None:
                return found
    return None


def one(node: int) -> Nodes:
    """A single node for methods that take many."""
    return np.array([node], np.int32)
