"""Two brokers register under one name and id."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.addresses import port_of
from mqdiag.facts.admin import AdminFacts
from mqdiag.facts.logs import KnownBroker, LogsFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.log_events import events
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.time_ranges import between

RULE = Rule("duplicate-broker-identity")
CHANGED = "broker-address-changed"
MOST_NAMED = 8
"""addresses in the evidence"""


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Findings:
    """One finding for each name and id that clusterList or a route has at several addresses."""
    assert facts.admin is not None
    changes = {} if facts.logs is None else _changes(facts.logs)
    for (cluster, broker, number), addresses in _addresses(facts.admin).items():
        if len(addresses) < 2:
            continue
        often = changes.get(broker or "", 0)
        # the answers show one change more
        sure = often + 1 >= limits["changes"] or _came_back(facts.admin, broker, number)
        yield RULE.case(
            "same-name-and-id",
            subject=Subject(broker=broker),
            evidence={
                "cluster": cluster,
                "broker_id": number,
                "addresses": tuple(addresses),
                "address_changes": often or None,
            },
            words={**_both(addresses[0], addresses[-1]), "may_have_moved": not sure},
            severity=Severity.ERROR if sure else Severity.WARNING,
            confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
            because=None if not sure else RULE.word("seen-in-logs"),
        )


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each broker whose address changes again and again in the routes of clients."""
    for broker, changes in _changes(logs).items():
        if changes >= limits["changes"]:
            found = [
                event for event in events(logs, CHANGED) if any(one.broker == broker for one in event.subjects)
            ]
            yield RULE.case(
                "address-alternates",
                subject=Subject(broker=broker),
                events=found,
                evidence={"address_changes": changes},
                cause="same-name-and-id",
            )


@RULE.logs
def in_logs_of_name_servers(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each name under which masters of several addresses are registered at one name server."""
    found: dict[tuple[str, str], list[KnownBroker]] = {}
    for row in logs.known_brokers:
        if row.is_there and row.master is not None:
            found.setdefault((row.path, row.master), []).append(row)
    for (path, broker), masters in found.items():
        if len(masters) > 1:
            yield RULE.case(
                "two-masters-registered",
                subject=Subject(broker=broker),
                evidence={
                    "addresses": tuple(row.address for row in masters[:MOST_NAMED]),
                    "registered_at": masters[-1].registered,
                },
                words=_both(masters[0].address, masters[-1].address),
                when=between(masters[-1].registered, None),
                cause="same-name-and-id",
                rests_on=(path,),
            )


def _both(first: str, second: str) -> dict[str, str | None]:
    """Both brokers, with their ports: where they share a host, only the port tells them apart there."""
    return {
        "one_port": port_of(first) if port_of(first) == port_of(second) else None,
        "first_address": first,
        "second_address": second,
        "first_port": port_of(first),
        "second_port": port_of(second),
    }


def _addresses(admin: AdminFacts) -> dict[tuple[str | None, str | None, int], list[str]]:
    """Addresses by cluster, name and id, in the order of the answers."""
    found: dict[tuple[str | None, str | None, int], dict[str, None]] = {}
    for row in admin.brokers:
        if row.broker is not None:
            found.setdefault((row.cluster, row.broker, row.broker_id), {})[row.address] = None
    return {key: list(addresses) for key, addresses in found.items()}


def _came_back(admin: AdminFacts, broker: str | None, number: int) -> bool:
    """Whether an address that another one had replaced is there again: a broker that moved does not come back."""
    seen: list[str] = []
    for row in admin.brokers:
        if (row.broker, row.broker_id) == (broker, number) and (not seen or seen[-1] != row.address):
            if row.address in seen:
                return True
            seen.append(row.address)
    return False


def _changes(logs: LogsFacts) -> dict[str, int]:
    """How often the address of each broker changed, by the route of the topic that shows most of it."""
    most: dict[str, int] = {}
    for event in events(logs, CHANGED):
        for row in event.subjects:
            if row.broker is not None:
                most[row.broker] = max(most.get(row.broker, 0), row.count)
    return most
