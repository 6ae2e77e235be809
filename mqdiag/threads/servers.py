"""Which servers of RocketMQ run in a process, by the names of its threads."""

from __future__ import annotations

from collections.abc import Iterable

from mqdiag.facts.vocabulary import Role, ServerKind
from mqdiag.threads import roles

_OF_BROKERS = frozenset({"broker-store", "broker-hold"})
"""roles of threads that no client and no other server has"""


def server_kinds(found: Iterable[Role]) -> tuple[ServerKind, ...]:
    """Kinds of servers, by the roles of all threads; the same order as for a heap dump.

    A member of a group of controllers has threads of DLedger as well as a broker with a DLedger commit log.
    """
    known = frozenset(found)
    kinds: list[ServerKind] = []
    if roles.NAME_SERVER in known:
        kinds.append("name-server")
    if roles.CONTROLLER in known:
        kinds.append("controller")
    broker = not known.isdisjoint(_OF_BROKERS)
    if broker:
        kinds.append("broker-dledger" if roles.DLEDGER in known and roles.CONTROLLER not in known else "broker")
    if roles.PROXY in known:
        kinds.append("proxy-local" if broker else "proxy-cluster")
    return tuple(kinds)
