"""The brokers of a dump, or why there is nothing to check."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.broker import BrokerFacts
from mqdiag.findings import Subject
from mqdiag.rules.graph_needed import without_graph
from mqdiag.rules.registry import Skip
from mqdiag.text import say

NO_BROKER = say("the dump is not a broker's")


def no_broker(heap: HeapFacts) -> Skip | None:
    """A reason to skip when no broker was read."""
    skip = without_graph(heap)
    if skip is None and heap.broker is None:
        skip = Skip(reason=NO_BROKER)
    return skip


def brokers(facts: Facts) -> Iterator[BrokerFacts | Skip]:
    """All brokers of the dump, more than one in a BrokerContainer; the reason when there is none to read.

    Nothing where there is no dump: then a rule rests on its other evidence.
    """
    heap = facts.heap
    if heap is None:
        return
    skip = no_broker(heap)
    if skip is not None:
        # Next to other evidence a dump of some consumer is no gap.
        if facts.logs is None:
            yield skip
    elif heap.broker is not None:
        yield heap.broker
        yield from heap.further_brokers


def subject(broker: BrokerFacts) -> Subject:
    """The broker by its name."""
    return Subject(broker=broker.name)


def called(broker: BrokerFacts, *, begins: bool = False) -> str:
    """How a sentence names it, at its beginning or later."""
    name = say("broker {name}", name=broker.name) if broker.name else say("the broker")
    return name[0].upper() + name[1:] if begins else name


def setting(broker: BrokerFacts, name: str) -> int | None:
    """A number of BrokerConfig or MessageStoreConfig; None where the version has no such setting."""
    for settings in (broker.config, broker.store_config):
        value = settings.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None
