"""A name server took a broker away: no route leads to its topics."""

from __future__ import annotations

from typing import NamedTuple

from mqdiag.facts import Facts
from mqdiag.facts.logs import KnownBroker, LogsFacts, LogSubject
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.log_events import events, files_of, seconds_between
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.clock_leaps import leaps

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
    registered = {row.broker for event in events(logs, REGISTERED) for row in event.subjects}
    found_lost = _lost(logs)
    if registered and not found_lost:
        yield RULE.margin("taken-away", 0, 1, brokers=len(registered))
    clock_leaps = list(leaps(logs)) if found_lost else []
    for broker, lost in found_lost.items():
        found = [
            event
            for event in events(logs, EXPIRED, ENDED)
            if any(row.broker == broker for row in event.subjects)
        ]
        back = lost.back
        stayed_s = None if back is None or lost.row.last is None else seconds_between(lost.row.last, back)
        if any(
            seconds_between(leap.begin, lost.row.last) >= 0 <= seconds_between(lost.row.last, leap.event.last)
            for leap in clock_leaps
        ):
            continue  # the clock of its host was put forward, which clock-jumped tells
        by_clock = lost.kind == EXPIRED and stayed_s is not None and stayed_s <= limits["back_s"]
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
            words={
                "away": back is None,
                "by_clock": by_clock,
                "address": broker if ":" in broker else None,
            },
            confidence=Confidence.MEDIUM if by_clock else None,
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


def _lost(logs: LogsFacts) -> dict[str, _Lost]:
    """By broker; neither one that took itself away in order, nor a master that has moved to another address."""
    found: dict[str, _Lost] = {}
    for kind in (EXPIRED, ENDED):
        for event in events(logs, kind):
            for row in event.subjects:
                if row.broker is None or row.broker in found:
                    continue
                known = [one for one in logs.known_brokers if one.named == row.broker]
                if known and all(_moved(logs, one) for one in known):
                    continue
                silent = event.values.get("silent_ms") if kind == EXPIRED else None
                found[row.broker] = _Lost(row, kind, silent, _back(known))
    return found


def _moved(logs: LogsFacts, broker: KnownBroker) -> bool:
    """Whether a master of its name is registered at another address of the same name server."""
    return not broker.is_there and any(
        one.master == broker.master
        and one.is_there
        and one.address != broker.address
        and one.log_place == broker.log_place
        for one in logs.known_brokers
        if broker.master is not None
    )


def _back(known: list[KnownBroker]) -> str | None:
    """When a broker registered again at each name server that had taken it away; None where one has not seen it."""
    by_server: dict[str, list[KnownBroker]] = {}
    for row in known:
        by_server.setdefault(row.log_place, []).append(row)
    last: str | None = None
    for rows in by_server.values():
        left = max((row.left for row in rows if row.left is not None), default=None)
        if left is None:
            continue
        back = max((row.registered for row in rows if row.is_there and row.registered), default=None)
        if back is None or seconds_between(left, back) <= 0:
            return None
        last = back if last is None else max(last, back)
    return last
