"""What is said of a list of which only the first are named: how many are named, and that there are more."""

from __future__ import annotations

import msgspec
import pytest

from mqdiag.facts import AdminFacts, Facts
from mqdiag.facts.admin import GroupProgress, QueueProgress
from mqdiag.facts.waste import StringHolder
from mqdiag.rules import (
    consumer_backlog,
    duplicate_strings,
    messages_outside_queues,
    offset_ahead_of_store,
    workers_saturated,
)
from tests.rules import checks
from tests.rules.checks import said
from tests.rules.examples import example_of
from tests.rules.examples.consume_pools import BUSY


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


def test_five_holders_of_messages_are_explained_and_ten_listed() -> None:
    facts = example_of(messages_outside_queues).fires()
    (holder,) = facts.heap.message_holders
    holders = tuple(
        msgspec.structs.replace(holder, holder_class=f"com.acme.Audit{number}", messages=2000 - number)
        for number in range(12)
    )
    heap = msgspec.structs.replace(facts.heap, message_holders=holders)
    (finding,) = checks.findings(messages_outside_queues, Facts(heap=heap))
    told = said(finding)
    assert [number for number in range(12) if f"Audit{number}." in told] == [0, 1, 2, 3, 4]


def test_where_the_threads_of_a_pool_were_found_is_told_where_it_is_known() -> None:
    for frame, told in ((BUSY.shared_frame, True), (None, False)):
        pool = msgspec.structs.replace(BUSY, shared_frame=frame)
        stacks = example_of(workers_saturated).fires().stacks
        (finding,) = checks.findings(
            workers_saturated, Facts(stacks=msgspec.structs.replace(stacks, pools=(pool,)))
        )
        assert ("of the samples found them at" in said(finding)) is told
