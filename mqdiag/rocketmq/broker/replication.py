"""The slaves of a master: HAService with a connection for each."""

from __future__ import annotations

from mqdiag.facts.broker import ConfigValue, Replication, SlaveLink
from mqdiag.graph.collections import items
from mqdiag.rocketmq.broker.controllers import Controller, one

_LIMITS = ("haMaxGapNotInSync", "haSlaveFallbehindMax")
"""the first since 5.0.0"""


def replication(
    broker: Controller, store_config: dict[str, ConfigValue], wrote: int | None
) -> Replication | None:
    """What the master knows of its slaves.

    Args:
        broker: the broker.
        store_config: settings of its store.
        wrote: physical offset behind its last byte.
    """
    service = broker.first(broker.store, "haService")
    if service < 0:
        return None
    connections = items(broker.heap, one(broker.first(service, "connectionList")))[1]
    limit = next((store_config[key] for key in _LIMITS if isinstance(store_config.get(key), int)), None)
    return Replication(
        slaves=tuple(_slave(broker, connection, wrote) for connection in connections.tolist()),
        pushed_offset=broker.number(service, "push2SlaveMaxOffset.value"),
        fall_behind_max_bytes=limit if isinstance(limit, int) else None,
    )


def _slave(broker: Controller, connection: int, wrote: int | None) -> SlaveLink:
    acknowledged = broker.number(connection, "slaveAckOffset")
    # -1 until the slave has confirmed anything
    known = acknowledged is not None and acknowledged >= 0
    return SlaveLink(
        address=broker.heap.string(broker.first(connection, "clientAddr", "clientAddress")),
        acknowledged_offset=acknowledged if known else None,
        behind_bytes=wrote - acknowledged if acknowledged is not None and known and wrote is not None else None,
    )
