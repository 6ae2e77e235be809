"""A name server took a broker away: no route leads to its topics."""

from __future__ import annotations

from typing import NamedTuple

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts, LogSubject
from mqdiag.findings import Severity, Subject
from mqdiag.log_events import events, files_of, seconds_between
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("broker-forgotten")
EXPIRED, ENDED, REMOVED, REGISTERED = (
    "broker-expired",
    "broker-connection-ended",
    "broker-removed",
    "broker-registered",
)


class _Lost(NamedTuple):
    """A broker that went away without saying so."""

    row: LogSubject
    kind: str
    silent_ms: int | None
    back: str | None
    """when it registered again; None where it did not"""


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each broker."""
    registered = _rows(logs, REGISTERED)
    found_lost = _lost(logs, registered)
    if registered and not found_lost:
        yield RULE.margin("taken-away", 0, 1, brokers=len(registered))
    for broker, lost in found_lost.items():
        found = [
            event
            for event in events(logs, EXPIRED, ENDED)
            if any(row.broker == broker for row in event.subjects)
        ]
        back = lost.back
        yield RULE.case(
            "registrations-stopped" if lost.kind == EXPIRED else "connection-lost",
            subject=Subject(broker=broker),
            events=found,
            evidence={
                "times": lost.row.count,
                "silent_ms": lost.silent_ms,
                "taken_away_at": lost.row.last,
                "back_at": back,
            },
            words={"away": back is None, "address": broker if ":" in broker else None},
            severity=Severity.ERROR if back is None else Severity.WARNING,
            rests_on=files_of(found),
        )


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Findings:
    """One finding where clusterList lists no broker, and no log of a name server says which one it took away."""
    assert facts.admin is not None
    files = facts.admin.without_brokers
    told = facts.logs is not None and events(facts.logs, EXPIRED, ENDED)
    if files and not facts.admin.brokers and not told:
        yield RULE.case("none-registered", evidence={"answers": len(files)}, rests_on=files)


def _lost(logs: LogsFacts, registered: dict[str, LogSubject]) -> dict[str, _Lost]:
    """By broker; one that took itself away in order is none."""
    found: dict[str, _Lost] = {}
    for kind in (EXPIRED, ENDED):
        for event in events(logs, kind):
            for row in event.subjects:
                if row.broker is not None and row.broker not in found:
                    silent = event.values.get("silent_ms") if kind == EXPIRED else None
                    found[row.broker] = _Lost(row, kind, silent, _back(row, registered.get(row.broker)))
    return found


def _back(lost: LogSubject, registered: LogSubject | None) -> str | None:
    """When a broker registered again after its last loss."""
    if registered is None or registered.last is None or lost.last is None:
        return None
    return registered.last if seconds_between(lost.last, registered.last) > 0 else None


def _rows(logs: LogsFacts, kind: str) -> dict[str, LogSubject]:
    found: dict[str, LogSubject] = {}
    for event in events(logs, kind):
        found.update({row.broker: row for row in event.subjects if row.broker is not None})
    return found
