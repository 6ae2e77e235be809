"""A slave does not keep up, or has more than its master."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import Replication, SlaveLink
from mqdiag.findings import Severity
from mqdiag.rules.broker._example import example
from mqdiag.rules.broker._remedies import SLAVE_AHEAD, SLAVE_BEHIND
from mqdiag.rules.broker._slave_behind_heap import in_heap
from mqdiag.rules.broker._slave_behind_logs import in_logs
from mqdiag.rules.registry import Draft, Limits, Skip, rule


def _facts(behind: int) -> Facts:
    slave = SlaveLink(address="10.0.0.8:40122", acknowledged_offset=(4 << 30) - behind, behind_bytes=behind)
    return example(replication=Replication(slaves=(slave,), fall_behind_max_bytes=256 << 20))


def fires() -> Facts:
    """Half a GiB is missing."""
    return _facts(512 << 20)


def silent() -> Facts:
    """A MiB is on its way."""
    return _facts(1 << 20)


@rule(
    name="slave-behind",
    title="Master and slave do not hold the same",
    why=(
        "A slave that is far behind is no replacement: what it lacks is lost if the master is. A slave that is ahead"
        " says that the master lost messages which consumers may have read already."
    ),
    causes=("slow-slave", "slave-ahead"),
    severities=(Severity.WARNING,),
    remedy=(*SLAVE_BEHIND, *SLAVE_AHEAD),
    references=(
        "article 003: power loss of a master",
        "HAConnection.slaveAckOffset, MessageStoreConfig.haSlaveFallbehindMax",
    ),
    any_of=("heap", "logs"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each slave of a heap, and for the logs."""
    yield from in_heap(facts)
    yield from in_logs(facts)
