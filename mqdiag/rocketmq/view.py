"""The RocketMQ view of one heap: consumers, queues, messages and who keeps them."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.heap import MessageTotals, QueueFacts, RocketMQFacts
from mqdiag.facts.heap_threads import MessageInHand
from mqdiag.facts.servers import ProxyFacts
from mqdiag.facts.vocabulary import ServerKind
from mqdiag.graph.heap import Heap
from mqdiag.read.hprof.distinct import distinct, is_in
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.broker.broker_facts import broker_facts
from mqdiag.rocketmq.broker.controllers import Controller, broker_roots, find_controllers
from mqdiag.rocketmq.client import find_clients
from mqdiag.rocketmq.clients import ClientPart, read_clients
from mqdiag.rocketmq.consumer_owners import with_owners
from mqdiag.rocketmq.grpc.kind import grpc_roots
from mqdiag.rocketmq.messages import distinct_body_bytes
from mqdiag.rocketmq.producers import sending
from mqdiag.rocketmq.retained_by import message_holders, split_messages
from mqdiag.rocketmq.servers.proxy import proxy_facts
from mqdiag.rocketmq.servers.raft import raft_members
from mqdiag.text import Text


class RocketMQView(RocketMQFacts, frozen=True, kw_only=True):
    """What `HeapFacts` says about RocketMQ, and what other readers of the dump need."""

    unknown: dict[str, Text] = msgspec.field(default_factory=dict)
    packages: tuple[str, ...] = ()
    """package roots of the clients, each with a dot behind it"""
    in_hand: dict[int, MessageInHand] = msgspec.field(default_factory=dict)
    """by thread node: the message that a worker is processing"""


def rocketmq_facts(heap: Heap) -> RocketMQView:
    """Read all that a heap holds of RocketMQ: clients of any version and package, and brokers."""
    parts = read_clients(heap)
    messages = _joined([part.messages for part in parts])
    queued = _joined([part.queued for part in parts])
    split = split_messages(heap, messages, queued, _joined([part.requested for part in parts]))
    readings = [reading for part in parts for reading in part.consumers]
    sizes = heap.retained_of_sets(
        [*(reading.retaining for reading in readings), split.elsewhere],
        _joined([reading.workers for reading in readings]),
    )
    consumers = [reading.facts(retained) for reading, (_, retained) in zip(readings, sizes[:-1], strict=True)]
    unknown: dict[str, Text] = {}
    in_hand: dict[int, MessageInHand] = {}
    for part in parts:
        unknown.update(part.unknown)
        in_hand.update(part.in_hand)
    clients = find_clients(heap)
    packages = tuple(dict.fromkeys(f"{root}." for root in (*(one.root for one in clients), *grpc_roots(heap))))
    if consumers:
        consumers = with_owners(heap, consumers, lambda name: name.startswith(packages))
    controllers, proxy = find_controllers(heap), proxy_facts(heap)
    brokers = tuple(map(broker_facts, controllers))
    return RocketMQView(
        consumers=tuple(sorted(consumers, key=lambda one: (-(one.retained_bytes or 0), one.group))),
        queues=tuple(sorted((row for part in parts for row in part.queues), key=_by_name)),
        instances=tuple(one for part in parts for one in part.instances),
        process_queues=sum(part.process_queues for part in parts),
        messages=int(split.reachable.size),
        messages_unreachable=split.unreachable,
        messages_in_queues=int(split.in_queues.size),
        body_bytes=distinct_body_bytes(heap, _bodies_of(parts, split.reachable)),
        message_totals=MessageTotals(
            in_queues=int(split.in_queues.size),
            in_queues_body_bytes=distinct_body_bytes(heap, _bodies_of(parts, queued)),
            in_executors=int(split.in_executors.size),
            in_frames=int(split.in_frames.size),
            elsewhere=int(split.elsewhere.size),
            elsewhere_bytes=sizes[-1][1],
        ),
        message_holders=message_holders(heap, split),
        grpc_client=bool(grpc_roots(heap)),
        sending=sending(heap, clients, broker_roots(heap)),
        broker=brokers[0] if brokers else None,
        further_brokers=brokers[1:],
        servers=_server_kinds(heap, controllers, proxy),
        proxy=proxy,
        raft_members=raft_members(heap),
        unknown=unknown,
        packages=packages,
        in_hand=in_hand,
    )


def _joined(nodes: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    """Distinct nodes of all parts, ascending."""
    return distinct(np.concatenate([np.empty(0, np.int32), *nodes]))


def _bodies_of(parts: list[ClientPart], messages: NDArray[np.int32]) -> NDArray[np.int32]:
    """Bodies of some messages."""
    found = [part.bodies[is_in(part.messages, messages)] for part in parts]
    return np.concatenate([np.empty(0, np.int32), *found])


def _by_name(row: QueueFacts) -> tuple[str, str, str, int, str]:
    return row.group or "", row.topic or "", row.broker or "", row.queue_id or 0, row.object_id


def _server_kinds(heap: Heap, brokers: list[Controller], proxy: ProxyFacts | None) -> tuple[ServerKind, ...]:
    """All kinds: a proxy in local mode has a broker, a name server may have a controller.

    Loaded classes without an object make no server: tools have the jars of servers on their class path as well.
    """
    found: list[ServerKind] = []
    if _runs(heap, "NamesrvController"):
        found.append("name-server")
    if _runs(heap, "ControllerManager"):
        found.append("controller")
    # a broker that was built and not initialized has no store
    serving = [broker for broker in brokers if broker.store >= 0]
    if serving:
        found.append("broker-dledger" if any(map(_keeps_dledger, serving)) else "broker")
    if proxy is not None and proxy.mode is not None:
        found.append("proxy-local" if proxy.mode == "local" else "proxy-cluster")
    return tuple(found)


def _runs(heap: Heap, role: str) -> bool:
    return any(fields.instances(heap, root, role).size for root in fields.package_roots(heap, role))


def _keeps_dledger(broker: Controller) -> bool:
    rows = fields.class_rows(broker.heap, broker.root, "DLedgerCommitLog")
    return broker.commit_log >= 0 and int(broker.heap.index.rows[broker.commit_log]) in rows
