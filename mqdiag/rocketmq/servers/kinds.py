"""Which servers run in the process of a heap dump."""

from __future__ import annotations

from mqdiag.facts.servers import ProxyFacts
from mqdiag.facts.vocabulary import ServerKind
from mqdiag.graph.heap import Heap
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.broker.controllers import Controller


def server_kinds(heap: Heap, brokers: list[Controller], proxy: ProxyFacts | None) -> tuple[ServerKind, ...]:
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
