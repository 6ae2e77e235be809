"""Stores of brokers: how each ends, and the queues that differ between a master and its slave."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import StoresFacts
from mqdiag.facts.stores import StoreFacts, StorePair, StoreQueue
from mqdiag.render.text.page import Column, Page
from mqdiag.render.wording.sizes import number, size
from mqdiag.text import say

STORES_SHOWN = 20
QUEUES_SHOWN = 12


def show_stores(page: Page, stores: StoresFacts) -> None:
    """The stores, what could not be read of them, and each pair."""
    page.heading(say("The stores"))
    page.table(
        [
            Column(head=say("store")),
            Column(head=say("role"), whole=True),
            Column(head=say("queues"), right=True),
            Column(head=say("offsets"), right=True),
            Column(head=say("commit log"), right=True),
            Column(head=say("last message stored"), whole=True),
        ],
        [
            (
                store.path,
                store.role or say("unknown"),
                number(len(store.queues)),
                number(len(store.offsets)),
                commit_log(store),
                store.last_stored_at or "",
            )
            for store in stores.stores[:STORES_SHOWN]
        ],
    )
    page.bullets(line for store in stores.stores[:STORES_SHOWN] for line in remarks(store))
    for pair in stores.pairs[:STORES_SHOWN]:
        _pair(page, stores, pair)


def commit_log(store: StoreFacts) -> str:
    """How much it holds."""
    end = store.commit_log_max if store.commit_log_max is not None else store.commit_log_at_most
    return "" if end is None or store.commit_log_min is None else size(end - store.commit_log_min)


def remarks(store: StoreFacts) -> Iterator[str]:
    """What is special about a store, and what could not be read."""
    if store.stopped_in_order is False:
        yield say(
            "{path}: its file abort is there: the broker was not shut down in order, or is running",
            path=store.path,
        )
    for part, why in sorted(store.unreadable.items()):
        yield f"{store.path}: {part}: {why}"
    lost = sum(queue.lost_entries for queue in store.queues)
    if lost:
        yield say(
            (
                "{path}: {lost:count} entries at the ends of queues lead to messages that the commit log"
                " does not hold"
            ),
            path=store.path,
            lost=lost,
        )


def _pair(page: Page, stores: StoresFacts, pair: StorePair) -> None:
    page.paragraph(
        say(
            "{first} and {second} are of one broker: {proof}.",
            first=pair.first,
            second=pair.second,
            proof=pair.proof,
        )
    )
    rows = differing(stores, pair)
    if not rows:
        page.paragraph(say("Their queues end at the same offsets."))
        return
    page.table(
        [
            Column(head=say("topic")),
            Column(head=say("queue"), right=True),
            Column(head=pair.first.rpartition("/")[2] or pair.first, right=True),
            Column(head=pair.second.rpartition("/")[2] or pair.second, right=True),
        ],
        [
            (topic, str(queue), end_of(mine), end_of(theirs))
            for topic, queue, mine, theirs in rows[:QUEUES_SHOWN]
        ],
    )
    if len(rows) > QUEUES_SHOWN:
        page.paragraph(say("and {queues:count} more queues", queues=len(rows) - QUEUES_SHOWN), style="dim")


def differing(
    stores: StoresFacts, pair: StorePair
) -> list[tuple[str, int, StoreQueue | None, StoreQueue | None]]:
    """The queues that do not end alike, the most different first."""
    by_path = {store.path: store for store in stores.stores}
    mine, theirs = (
        {(queue.topic, queue.queue_id): queue for queue in by_path[path].queues}
        for path in (pair.first, pair.second)
    )
    rows = [
        (topic, queue_id, mine.get((topic, queue_id)), theirs.get((topic, queue_id)))
        for topic, queue_id in sorted(mine.keys() | theirs.keys())
        if end_of(mine.get((topic, queue_id))) != end_of(theirs.get((topic, queue_id)))
    ]
    return sorted(rows, key=lambda row: -abs(_end(row[2]) - _end(row[3])))


def end_of(queue: StoreQueue | None) -> str:
    """Where it ends, or between which offsets."""
    if queue is None:
        return "-"
    if queue.max_offset is not None:
        return number(queue.max_offset)
    return f"{number(queue.max_at_least)}-{number(queue.max_at_most)}"


def _end(queue: StoreQueue | None) -> int:
    return 0 if queue is None else queue.max_offset or queue.max_at_least or 0
