"""What is said of a list of which only the first are named: how many are named, and that there are more."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.facts import AdminFacts, Facts
from mqdiag.facts.admin import GroupProgress, QueueProgress
from mqdiag.facts.waste import StringHolder
from mqdiag.rules import consumer_backlog, duplicate_strings, offset_ahead_of_store
from tests.rules import checks
from tests.rules.checks import said
from tests.rules.examples import example_of


def test_three_holders_of_equal_strings_are_named() -> None:
    facts = example_of(duplicate_strings).fires()
    waste = facts.heap.waste
    holders = tuple(StringHolder(held_by=f"com.acme.Order.f{number}", share=0.1) for number in range(5))
    strings = msgspec.structs.replace(waste.duplicate_strings, holders=holders)
    heap = msgspec.structs.replace(facts.heap, waste=msgspec.structs.replace(waste, duplicate_strings=strings))
    (finding,) = checks.findings(duplicate_strings, Facts(heap=heap))
    assert len(finding.evidence["holders"]) == len(finding.evidence["holder_shares"]) == 3


@pytest.mark.parametrize(
    ("queues", "words"), [(8, "no client, by queue id: 0, 1"), (9, "the first, by queue id, are 0, 1")]
)
def test_eight_queues_without_a_client_are_named(queues: int, words: str) -> None:
    progress = tuple(
        QueueProgress(
            topic="orders",
            broker="broker-a",
            queue_id=number,
            broker_offset=50_000,
            consumer_offset=49_000,
            diff=1000,
            client="10.0.0.7@1" if number == queues else None,
        )
        for number in range(queues + 1)
    )
    group = GroupProgress(group="CID", source="x", queues=progress, consume_tps=1.0, clients_shown=True)
    (finding,) = checks.findings(consumer_backlog, Facts(admin=AdminFacts(groups=(group,))))
    assert finding.cause == "queue-without-consumer"
    assert words in said(finding)


def test_eight_queues_that_are_ahead_are_shown() -> None:
    facts = example_of(offset_ahead_of_store).fires()
    stores = facts.stores
    ahead, behind = (
        msgspec.structs.replace(
            store,
            queues=tuple(msgspec.structs.replace(store.queues[0], queue_id=number) for number in range(10)),
            offsets=tuple(msgspec.structs.replace(store.offsets[0], queue_id=number) for number in range(10)),
        )
        for store in stores.stores
    )
    (finding,) = checks.findings(
        offset_ahead_of_store, Facts(stores=msgspec.structs.replace(stores, stores=(ahead, behind)))
    )
    assert (finding.evidence["queues"], finding.evidence["further_rows"]) == (10, 2)
    assert finding.evidence["row_queue_ids"] == tuple(range(8))
