"""slave-behind from the master's heap: what each slave has confirmed against what is written."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import BrokerFacts, Replication, SlaveLink
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._brokers import brokers, called, subject
from mqdiag.rules.broker._remedies import SLAVE_AHEAD, SLAVE_BEHIND
from mqdiag.rules.registry import Draft, Skip
from mqdiag.text import say

DEFAULT_MAX_BYTES = 256 << 20


def in_heap(facts: Facts) -> Iterator[Draft | Skip]:
    """One finding for the slave furthest behind, if too far, and one for a slave ahead."""
    for broker in brokers(facts):
        if isinstance(broker, Skip):
            yield broker
            continue
        replication = broker.replication
        known = [
            (slave.behind_bytes, slave)
            for slave in (replication.slaves if replication is not None else ())
            if slave.behind_bytes is not None
        ]
        if replication is None or not known:
            continue
        furthest, slave = max(known, key=lambda pair: pair[0])
        if furthest > _limit(replication):
            yield _behind(broker, replication, slave, furthest)
        least, slave = min(known, key=lambda pair: pair[0])
        if least < 0:
            yield _ahead(broker, slave, -least)


def _limit(replication: Replication) -> int:
    limit = replication.fall_behind_max_bytes
    return DEFAULT_MAX_BYTES if limit is None else limit


def _behind(broker: BrokerFacts, replication: Replication, slave: SlaveLink, behind: int) -> Draft:
    waits = (
        say(" A SYNC_MASTER no longer counts it and answers sends with SLAVE_NOT_AVAILABLE.")
        if broker.role == "SYNC_MASTER"
        else ""
    )
    return Draft(
        severity=Severity.WARNING,
        cause="slow-slave",
        confidence=Confidence.HIGH,
        title=say("A slave of {called} is {behind:bytes} behind", called=called(broker), behind=behind),
        subject=subject(broker),
        evidence={
            "slave": slave.address,
            "behind_bytes": behind,
            "fall_behind_max_bytes": _limit(replication),
            "role": broker.role,
        },
        explanation=(
            say(
                (
                    "Slave {address} has confirmed offset {acknowledged_offset:count}; beyond {limit:bytes} it"
                    " does not count as in sync.{waits}"
                ),
                address=slave.address or say("without an address"),
                acknowledged_offset=slave.acknowledged_offset,
                limit=_limit(replication),
                waits=waits,
            ),
        ),
        remedy=SLAVE_BEHIND,
    )


def _ahead(broker: BrokerFacts, slave: SlaveLink, ahead: int) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="slave-ahead",
        confidence=Confidence.HIGH,
        title=say(
            "A slave of {called} has {ahead:bytes} that the master does not have",
            called=called(broker),
            ahead=ahead,
        ),
        subject=subject(broker),
        evidence={"slave": slave.address, "behind_bytes": -ahead, "role": broker.role},
        explanation=(
            say(
                (
                    "Slave {address} has confirmed offset {acknowledged_offset:count}, beyond the end of the"
                    " master's commit log: the master lost its tail, as after a power loss."
                ),
                address=slave.address or say("without an address"),
                acknowledged_offset=slave.acknowledged_offset,
            ),
        ),
        remedy=SLAVE_AHEAD,
    )
