"""Store folders of brokers: how each ends, and the queues that differ between a master and its slave."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import StoresFacts
from mqdiag.facts.stores import StoredOffset, StoreFacts, StorePair, StoreQueue
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import NO_VALUE, AnyPart, Bullets, Column, Fold, Paragraph, Section, Table
from mqdiag.render.wording.short_paths import shared_folder
from mqdiag.text import Text, Value, say

_STORES = (20, 2000)
_QUEUES = (12, 2000)


def store_folders_section(report: Report, view: View) -> Iterator[Section]:
    """One section for the stores, one for each pair of a master and its slave."""
    stores = report.stores
    if stores is None or not stores.stores:
        return
    cut = len(shared_folder([store.path for store in stores.stores]))
    parts: list[AnyPart] = [_table(stores, cut)]
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


def _table(stores: StoresFacts, cut: int) -> Table:
    return Table(
        name="stores",
        columns=(
            Column(say("store"), of=lambda one: one.path[cut:]),
            Column(say("listed in"), of="listed_in", none="", wide=True, optional=True),
            Column(say("role"), of="role", whole=True),
            Column(say("role from"), of="role_from", none="", wide=True, optional=True),
            Column(say("version"), of="version", none="", wide=True, optional=True),
            Column(say("topics"), "count", of=_topics, wide=True),
            Column(say("queues"), "count", of=lambda one: len(one.queues)),
            Column(say("stored offsets"), "count", of=lambda one: len(one.offsets)),
            Column(say("commit log"), "bytes", of=_commit_log_bytes),
            Column(say("last message stored"), "time", of="last_stored_at"),
            Column(say("forced to disk"), "time", of="checkpoint_at", wide=True),
        ),
        rows_of=stores.stores,
        shown=_STORES,
    )


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
        yield Fold(say("Queues of {path}", path=store.path), (_queues(store, place),), wide=True)
    if store.offsets:
        summary = say("Stored offsets of {path}", path=store.path)
        yield Fold(summary, (_offsets(store.offsets, place),), wide=True)


def _queues(store: StoreFacts, place: int) -> Table:
    return Table(
        name=f"store-queues-{place}",
        columns=(
            Column(say("topic"), of="topic"),
            Column(say("queue"), of="queue_id", number=True),
            Column(say("first offset"), of="min_offset", number=True),
            Column(say("end"), of=_end, number=True),
            Column(say("lost entries"), "count", of="lost_entries"),
            Column(say("entries to add"), "count", of="added_entries"),
        ),
        rows_of=store.queues,
        note=say('"entries to add": messages of the commit log that a starting broker adds to the queue'),
    )


def _offsets(offsets: tuple[StoredOffset, ...], place: int) -> Table:
    return Table(
        name=f"store-offsets-{place}",
        columns=(
            Column(say("group"), of="group", none=say("(delay level)")),
            Column(say("topic"), of="topic"),
            Column(say("queue"), of="queue_id", number=True),
            Column(say("offset"), of="offset", number=True),
        ),
        rows_of=offsets,
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
