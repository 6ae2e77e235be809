"""Two clients of one group have the same client id."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.admin import ConnectedClient, ConsumerConnection
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.facts.logs import SharedClientId
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import running
from mqdiag.rules.shared.example_consumer import CONSUMER, example
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.rules.shared.log_events import between
from mqdiag.text import Text, say
from mqdiag.time_ranges import between as range_between

RULE = Rule(
    name="duplicate-client-id",
    title="Two clients of a group have the same client id",
    why=(
        "Brokers and the rebalance know a consumer by its client id. If two consumers of a group have the same id, they"
        " count as one. Both get the same queues and consume every message twice, and other queues may have no"
        " consumer."
    ),
    causes=("duplicate-client-id",),
    severities=(Severity.WARNING,),
    remedy=(
        "Call setInstanceName with a different name on each consumer.",
        "Upgrade clients of 4.8.0 and earlier. Their default name is the process id, which is 1 in every container."
        " 4.9.0 and later add a time.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/2760",
        "https://github.com/apache/rocketmq/issues/1547",
        "https://github.com/apache/rocketmq/issues/667",
    ),
)


def _facts(client_id: str) -> Facts:
    facts = example()
    other = msgspec.structs.replace(CONSUMER, instance_id="0x20", client_id=client_id)
    assert facts.heap is not None
    heap = msgspec.structs.replace(facts.heap, consumers=(*facts.heap.consumers, other))
    return msgspec.structs.replace(facts, heap=heap)


def fires() -> Facts:
    """Two instances with the same id, both with a consumer of the group."""
    return _facts("10.0.0.7@1")


def silent() -> Facts:
    """Two instances with different ids."""
    return _facts("10.0.0.7@2")


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each id that several instances have for the same group; one shared instance is intended."""
    heap = facts.heap
    assert heap is not None
    same: dict[tuple[str, str], list[ConsumerFacts]] = {}
    for consumer in heap.consumers:
        if running(consumer) and consumer.client_id is not None and consumer.instance_id is not None:
            same.setdefault((consumer.group, consumer.client_id), []).append(consumer)
    for (group, client_id), consumers in same.items():
        instances = sorted({one.instance_id for one in consumers if one.instance_id is not None})
        if len(instances) > 1:
            yield Draft(
                severity=Severity.WARNING,
                cause="duplicate-client-id",
                confidence=Confidence.HIGH,
                title=say("{clients:count} clients of group {group} in this process have the id {client_id}"),
                subject=Subject(group=group),
                evidence={
                    "client_id": client_id,
                    "clients": len(instances),
                    "instances": tuple(instances),
                },
                explanation=(
                    say(
                        "Each of the instances runs a consumer of the group, and the broker cannot tell them apart."
                        " They come from different class loaders, or from two copies of the client."
                    ),
                ),
                remedy=RULE.remedy,
            )


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each id that consumerConnection lists at several addresses."""
    assert facts.admin is not None
    for connection in facts.admin.consumer_connections:
        by_id: dict[str, list[ConnectedClient]] = {}
        for client in connection.clients:
            by_id.setdefault(client.client_id, []).append(client)
        for client_id, clients in by_id.items():
            addresses = sorted({client.address for client in clients})
            if len(addresses) > 1:
                yield _connected_twice(connection, client_id, clients, addresses)


def _host(address: str) -> str:
    """One process may be connected twice for a moment; two hosts are two processes."""
    return address.rpartition(":")[0]


def _connected_twice(
    connection: ConsumerConnection, client_id: str, clients: list[ConnectedClient], addresses: list[str]
) -> Draft:
    versions = tuple(sorted({client.version for client in clients if client.version is not None}))
    several_hosts = len({_host(address) for address in addresses}) > 1
    return Draft(
        severity=Severity.WARNING,
        cause="duplicate-client-id",
        confidence=Confidence.HIGH if several_hosts else Confidence.LOW,
        confidence_reason=say("the addresses are of different hosts")
        if several_hosts
        else say("a process that has just connected again looks the same; ask again after a minute"),
        title=(
            say("{clients:count} processes of group {group} have the client id {client_id}")
            if connection.group is not None
            else say("{clients:count} processes of one group have the client id {client_id}")
        ),
        subject=Subject(group=connection.group),
        evidence={
            "client_id": client_id,
            "clients": len(addresses),
            "addresses": tuple(addresses),
            "versions": versions,
        },
        explanation=(
            say("consumerConnection lists this id at the addresses {addresses}."),
            say(
                "The share-out of queues counts them as one consumer. Both get the same queues, and the queues that"
                " would be the other's have no consumer."
            ),
        ),
        remedy=RULE.remedy,
    )


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each id that the broker saw connected twice, or that two clients' logs have at one time."""
    assert facts.logs is not None
    for row in facts.logs.shared_client_ids:
        yield _in_lines(row)


def _in_lines(row: SharedClientId) -> Draft:
    several_hosts = len({_host(address) for address in row.addresses}) > 1
    return Draft(
        severity=Severity.WARNING,
        cause="duplicate-client-id",
        confidence=Confidence.HIGH if several_hosts else Confidence.MEDIUM,
        confidence_reason=say("the addresses are of different hosts")
        if several_hosts
        else say("a process that connected again, and of whose old connection no end is logged, looks the same")
        if row.addresses
        else say("the clocks of two hosts may differ"),
        title=say("{clients:count} processes of group {group} have the client id {client_id}"),
        subject=Subject(group=row.group),
        evidence={
            "client_id": row.client_id,
            "clients": len(row.addresses) or len(row.paths),
            "addresses": row.addresses,
            "paths": row.paths,
            "seconds": row.seconds,
        },
        explanation=(
            _seen(row),
            say(
                "The share-out of queues counts them as one consumer. Both get the same queues, and the queues that"
                " would be the other's have no consumer."
            ),
        ),
        remedy=RULE.remedy,
        rests_on=row.paths,
        when=range_between(row.first, row.last),
    )


def _seen(row: SharedClientId) -> Text:
    when = between(row.first, row.last)
    if row.addresses:
        return say("The broker had consumers with this id connected from {addresses}, {when}.", when=when)
    return say("The client started in the logs {paths}, and both ran {when}.", when=when)
