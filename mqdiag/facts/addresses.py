"""Addresses and names that commands of mqadmin need, where the evidence tells them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from mqdiag.facts.admin import AdminFacts
from mqdiag.facts.heap import HeapFacts
from mqdiag.facts.logs import LogsFacts

MASTER_ID = 0


class Addresses(msgspec.Struct, frozen=True):
    """None where nothing tells it, or where the evidence tells several."""

    name_server: str | None
    """`host:port;host:port`"""
    cluster: str | None
    brokers: dict[str, str]
    """`host:port` of masters, by the broker's name"""
    store: str | None = None
    """the folder of a broker's store"""
    slaves: dict[str, str] = {}
    """`host:port` of the only slave, by the broker's name"""


def addresses(heap: HeapFacts | None, logs: LogsFacts | None, admin: AdminFacts | None) -> Addresses:
    """What consumers, brokers' settings and lists of brokers tell."""
    settings = list(_settings(heap, logs, admin))
    own = None if heap is None else heap.name_server
    given = () if logs is None else (file.name_server for file in logs.files)
    clusters = [] if admin is None else [one.cluster for one in admin.brokers]
    clusters += [one.get("brokerClusterName") for one in settings]
    return Addresses(
        name_server=own or _only((*(one.get("namesrvAddr") for one in settings), *given)),
        cluster=_only(clusters),
        store=_only(one.get("storePathRootDir") for one in settings),
        brokers=_by_name(_masters(logs, admin)),
        slaves=_by_name(
            (one.broker, one.address)
            for one in (() if admin is None else admin.brokers)
            if one.broker_id != MASTER_ID
        ),
    )


def _by_name(listed: Iterable[tuple[str | None, str | None]]) -> dict[str, str]:
    """The address of each name that has only one."""
    found: dict[str, set[str]] = {}
    for name, address in listed:
        if name is not None and address is not None:
            found.setdefault(name, set()).add(address)
    return {name: next(iter(own)) for name, own in found.items() if len(own) == 1}


def _masters(logs: LogsFacts | None, admin: AdminFacts | None) -> Iterator[tuple[str | None, str | None]]:
    """Names of masters with their addresses."""
    if admin is not None:
        yield from ((one.broker, one.address) for one in admin.brokers if one.broker_id == MASTER_ID)
    if logs is not None:
        yield from (
            (one.name, one.address) for one in logs.brokers if one.settings.get("brokerRole") != "SLAVE"
        )
        yield from logs.masters.items()
        yield _printed(logs.settings)


def _printed(settings: dict[str, str]) -> tuple[str | None, str | None]:
    """Name and address of the one broker whose start the logs show; a value of several starts has commas."""
    name, host, port = (settings.get(key) for key in ("brokerName", "brokerIP1", "listenPort"))
    if settings.get("brokerRole") == "SLAVE" or not host or not port or not port.isdigit() or "," in host:
        return None, None
    return name, f"{host}:{port}"


def _settings(
    heap: HeapFacts | None, logs: LogsFacts | None, admin: AdminFacts | None
) -> Iterator[dict[str, str]]:
    """Settings of brokers, as dumps, logs and `getBrokerConfig` have them."""
    if heap is not None and heap.broker is not None:
        yield {key: value for key, value in heap.broker.config.items() if isinstance(value, str)}
    if logs is not None:
        yield logs.settings
        yield from (broker.settings for broker in logs.brokers)
    if admin is not None:
        yield from (one.settings for one in admin.broker_configs)


def _only(values: Iterable[str | None]) -> str | None:
    # Settings of a log that differ from start to start have a comma and a space between them.
    told = {value for value in values if value and value.isprintable() and ", " not in value}
    return told.pop() if len(told) == 1 else None


def port_of(address: str) -> str:
    """The port of `host:port`, as it stands there."""
    return address.rpartition(":")[2]
