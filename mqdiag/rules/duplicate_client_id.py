"""Two clients of one group have the same client id."""

from __future__ import annotations

from collections.abc import Iterable

from mqdiag.facts import HeapFacts
from mqdiag.facts.admin import AdminFacts, ConnectedClient
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import between
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.consumers import running

RULE = Rule("duplicate-client-id")


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each id that several instances have for the same group; one shared instance is intended."""
    same: dict[tuple[str, str], list[ConsumerFacts]] = {}
    for consumer in heap.consumers:
        if running(consumer) and consumer.client_id is not None and consumer.instance_id is not None:
            same.setdefault((consumer.group, consumer.client_id), []).append(consumer)
    for (group, client_id), consumers in same.items():
        instances = sorted({one.instance_id for one in consumers if one.instance_id is not None})
        if len(instances) > 1:
            yield RULE.case(
                "duplicate-client-id",
                subject=Subject(group=group),
                evidence={
                    "client_id": client_id,
                    "clients": len(instances),
                    "instances": tuple(instances),
                },
            )


@RULE.admin
def in_admin(admin: AdminFacts, limits: Limits) -> Findings:
    """One finding for each id that consumerConnection lists at several addresses."""
    for connection in admin.consumer_connections:
        by_id: dict[str, list[ConnectedClient]] = {}
        for client in connection.clients:
            by_id.setdefault(client.client_id, []).append(client)
        for client_id, clients in by_id.items():
            addresses = sorted({client.address for client in clients})
            versions = sorted({client.version for client in clients if client.version is not None})
            if len(addresses) > 1:
                yield RULE.case(
                    "listed-for-several-hosts" if _several_hosts(addresses) else "listed-for-one-host",
                    subject=Subject(group=connection.group),
                    evidence={
                        "client_id": client_id,
                        "clients": len(addresses),
                        "addresses": tuple(addresses),
                        "versions": tuple(versions),
                    },
                )


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each id that the broker saw connected twice, or that two clients' logs have at one time."""
    for row in logs.shared_client_ids:
        yield RULE.case(
            "connected-from-several-hosts"
            if _several_hosts(row.addresses)
            else "connected-twice-from-one-host"
            if row.addresses
            else "two-logs",
            row,
            subject=Subject(group=row.group),
            evidence={"clients": len(row.addresses) or len(row.paths)},
            words={"when": between(row.first, row.last)},
            rests_on=row.paths,
            over=[row],
        )


def _several_hosts(addresses: Iterable[str]) -> bool:
    """One process may be connected twice for a moment; two hosts are two processes."""
    return len({address.rpartition(":")[0] for address in addresses}) > 1
