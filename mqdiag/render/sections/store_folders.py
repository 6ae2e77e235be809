"""Store folders of brokers: how each ends, and the queues that differ between a master and its slave."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import StoresFacts
from mqdiag.facts.stores import StoreFacts, StorePair, StoreQueue
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import NO_VALUE, AnyPart, Bullets, Column, Fold, Paragraph, Section, Table
from mqdiag.render.tables import Tables
from mqdiag.render.wording.short_paths import shared_folder
from mqdiag.text import Text, Value, say

TABLES = Tables("store_folders")

_QUEUES = (12, 2000)


def store_folders_section(report: Report, view: View) -> Iterator[Section]:
    """One section for the stores, one for each pair of a master and its slave."""
    stores = report.stores
    if stores is None or not stores.stores:
        return
    cut = len(shared_folder([store.path for store in stores.stores]))
    parts: list[AnyPart] = [
        TABLES.table(
            "stores",
            stores.stores,
            store=lambda one: one.path[cut:],
            topics=_topics,
            queues=lambda one: len(one.queues),
            stored_offsets=lambda one: len(one.offsets),
            commit_log_bytes=_commit_log_bytes,
        )
    ]
    if cut:
        parts.append(
            Paragraph(say("All of them are in {folder}", folder=stores.stores[0].path[:cut]), soft=True)
        )
    remarks = [line for store in stores.stores for line in _remarks(store, store.path[cut:])]
    if remarks:
        parts.append(Bullets(remarks))
    for place, store in enumerate(stores.stores):
        parts += _details(store, place)
    yield Section(name="stores", title=say("Store folders"), parts=parts)
    for place, pair in enumerate(stores.pairs):
        title = say("{first} and {second}", first=pair.first[cut:], second=pair.second[cut:])
        yield Section(name=f"stores-{place}", title=title, parts=[*_pair(stores, pair, place, cut)])


def _topics(store: StoreFacts) -> int | None:
    return None if store.topics is None else len(store.topics)


def _commit_log_bytes(store: StoreFacts) -> int | None:
    end = store.commit_log_max if store.commit_log_max is not None else store.commit_log_at_most
    return None if end is None or store.commit_log_min is None else end - store.commit_log_min


def _remarks(store: StoreFacts, name: str) -> Iterator[Text]:
    """What is special about a store, and what could not be read."""
    if store.stopped_in_order is False:
        yield say(
            "{name}: the file abort is there, so the broker was not shut down in order, or is running",
            name=name,
        )
    for part, reason in sorted(store.unreadable.items()):
        yield say("{name}: {part}: {reason}", name=name, part=part, reason=reason)
    lost = sum(queue.lost_entries for queue in store.queues)
    if lost:
        yield say(
            "{name}: {lost:count} {lost:entry|entries} at the ends of queues {lost:leads|lead} to messages that the"
            " commit log does not hold",
            name=name,
            lost=lost,
        )
    if store.unusable_offsets:
        yield say(
            "{name}: {unusable:count} stored {unusable:value is not an offset|values are not offsets}",
            name=name,
            unusable=store.unusable_offsets,
        )


def _details(store: StoreFacts, place: int) -> Iterator[Fold]:
    if store.queues:
        yield Fold(
            say("Queues of {path}", path=store.path),
            (TABLES.table("store-queues", store.queues, name=f"store-queues-{place}", end=_end),),
            wide=True,
        )
    if store.offsets:
        summary = say("Stored offsets of {path}", path=store.path)
        yield Fold(
            summary, (TABLES.table("store-offsets", store.offsets, name=f"store-offsets-{place}"),), wide=True
        )


def _pair(stores: StoresFacts, pair: StorePair, place: int, cut: int) -> Iterator[AnyPart]:
    yield Paragraph(say("Both belong to one broker: {proof}.", proof=pair.proof))
    if pair.diverged:
        yield Paragraph(say("They hold different messages at the same offset of a queue."))
    rows = _differing(stores, pair)
    if not rows:
        yield Paragraph(say("Their queues end at the same offsets."))
        return
    yield Table(
        name=f"pair-{place}",
        caption=say("Queues that end at different offsets"),
        columns=(
            Column(say("topic")),
            Column(say("queue"), number=True),
            Column(say("{path}", path=pair.first[cut:]), number=True),
            Column(say("{path}", path=pair.second[cut:]), number=True),
        ),
        rows=[(topic, queue_id, _end(mine), _end(theirs)) for topic, queue_id, mine, theirs in rows],
        shown=_QUEUES,
        rest=lambda hidden: say("and {hidden:count} more {hidden:queue|queues}", hidden=len(hidden)),
    )


def _differing(
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
        if _end(mine.get((topic, queue_id))) != _end(theirs.get((topic, queue_id)))
    ]
    return sorted(rows, key=lambda row: -abs(_least_end(row[2]) - _least_end(row[3])))


def _end(queue: StoreQueue | None) -> Value:
    """Where it ends, or between which offsets."""
    if queue is None:
        return NO_VALUE
    if queue.max_offset is not None:
        return queue.max_offset
    if queue.max_at_least is None and queue.max_at_most is None:
        return None
    return say("{least} to {most}", least=queue.max_at_least, most=queue.max_at_most)


def _least_end(queue: StoreQueue | None) -> int:
    return 0 if queue is None else queue.max_offset or queue.max_at_least or 0
