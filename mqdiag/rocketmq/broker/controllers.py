"""BrokerControllers of a heap with the objects that the rest is read from."""

from __future__ import annotations

import msgspec

from mqdiag.graph.heap import Heap
from mqdiag.rocketmq import fields

_MOST_PLUGINS = 8


class Controller(msgspec.Struct, frozen=True, kw_only=True):
    """One broker; nodes are -1 where a reference is null or the version has no such field."""

    heap: Heap
    root: str
    """package root: org.apache.rocketmq, com.alibaba.rocketmq or a relocated one"""
    node: int
    config: int
    store_config: int
    store: int
    commit_log: int


def broker_roots(heap: Heap) -> list[str]:
    """Package roots with a broker's classes."""
    return sorted(fields.package_roots(heap, "BrokerController"))


def find_controllers(heap: Heap) -> list[Controller]:
    """All reachable brokers, those of a BrokerContainer (5.x) too.

    Loaded classes without an object make no broker: clients and tools have broker jars on their class path as well.
    """
    found = []
    for root in broker_roots(heap):
        found += [
            _controller(heap, root, node) for node in fields.instances(heap, root, "BrokerController").tolist()
        ]
    # a store makes a broker: one that was built and not initialized serves nobody
    return sorted(found, key=lambda broker: (broker.store < 0, broker.node))


def _controller(heap: Heap, root: str, node: int) -> Controller:
    store = _plain_store(heap, fields.ref(heap, node, "BrokerController.store"))
    return Controller(
        heap=heap,
        root=root,
        node=node,
        config=fields.ref(heap, node, "BrokerController.config"),
        store_config=fields.ref(heap, node, "BrokerController.store_config"),
        store=store,
        commit_log=fields.ref(heap, store, "MessageStore.commit_log"),
    )


def _plain_store(heap: Heap, store: int) -> int:
    """The DefaultMessageStore inside plugins (AbstractPluginMessageStore), as tiered storage and hooks add them."""
    for _ in range(_MOST_PLUGINS):
        following = fields.ref(heap, store, "PluginMessageStore.next")
        if following < 0 or fields.ref(heap, store, "MessageStore.commit_log") >= 0:
            break
        store = following
    return store
