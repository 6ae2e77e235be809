"""The brokers that the facts know: those of a heap dump, and those of logs."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.broker import BrokerFacts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Subject
from mqdiag.knowledge.words import Words
from mqdiag.log_events import busiest, by_broker, of_broker
from mqdiag.rules.draft import Skip
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import Text

WORDS = Words("brokers")


def brokers_of_heap(facts: Facts) -> Iterator[BrokerFacts | Skip]:
    """All brokers of the dump, more than one in a BrokerContainer; the reason where there is none.

    Beside logs the dump of a consumer is no gap, and nothing is skipped.
    """
    heap = facts.heap
    if heap is None:
        return
    skip = _no_broker(heap)
    if skip is not None:
        if facts.logs is None:
            yield skip
    elif heap.broker is not None:
        yield heap.broker
        yield from heap.further_brokers


def _no_broker(heap: HeapFacts) -> Skip | None:
    skip = without_graph(heap)
    if skip is None and heap.broker is None:
        skip = Skip(reason=WORDS.say("not-a-broker"))
    return skip


def subject(broker: BrokerFacts) -> Subject:
    """The broker of a dump by its name."""
    return Subject(broker=broker.name)


def called(broker: str | None) -> Text:
    """How a sentence names a broker, anywhere but at its beginning."""
    return WORDS.say("named", broker=broker) if broker else WORDS.say("nameless")


def setting(broker: BrokerFacts, name: str) -> int | None:
    """A number of BrokerConfig or MessageStoreConfig; None where the version has no such setting."""
    for settings in (broker.config, broker.store_config):
        value = settings.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def brokers_of_logs(facts: Facts) -> Iterator[LogsFacts]:
    """The logs of each broker by themselves; nothing without logs."""
    if facts.logs is not None:
        yield from by_broker(facts.logs)


def subject_of_logs(logs: LogsFacts, found: list[LogEvent]) -> Subject:
    """The broker of these logs; where no line tells, the one that most of the events name."""
    if logs.brokers:
        return of_broker(logs)
    named = next((name for event in found if (name := busiest(event, "broker"))), None)
    return Subject(broker=named) if named else of_broker(logs)
