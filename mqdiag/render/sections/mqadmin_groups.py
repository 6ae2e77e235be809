"""Groups and their clients as mqadmin has them: backlogs, connections, subscriptions, what clients say themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqdiag.facts.admin import (
    AdminFacts,
    BlockedQueue,
    ClientSettings,
    ConsumerConnection,
    ConsumerState,
    GroupProgress,
    ProcessQueueListed,
    ProducerConnection,
    UnlockedQueue,
)
from mqdiag.render.parts import NO_VALUE, AnyPart, Fold, Nested, Pairs, Row, Table
from mqdiag.render.tables import Tables
from mqdiag.text import Text, Value, say

TABLES = Tables("mqadmin_groups")

_RETRY = "%RETRY%"


def group_parts(admin: AdminFacts) -> Iterator[AnyPart]:
    """Backlogs by group and topic, then by queue; what consumers miss."""
    rows = _backlogs(admin)
    if rows:
        yield TABLES.table("backlogs", rows=rows)
    if any(progress.queues for progress in admin.groups):
        yield TABLES.table(
            "mqadmin-queues",
            [Nested(progress, queue) for progress in admin.groups for queue in progress.queues],
            group=_group,
        )
    if admin.overview:
        yield TABLES.table("mqadmin-overview", admin.overview)
    if admin.consumers:
        yield TABLES.table(
            "consumer-status",
            admin.consumers,
            named=_name,
            clients=lambda one: len(one.clients),
            blocked=lambda one: len(one.blocked),
            unlocked=lambda one: len(one.unlocked),
        )
        yield from _standing_queues(admin.consumers)


def _backlogs(admin: AdminFacts) -> list[Row]:
    """One row for each group and topic, the longest backlog first; one for a group with nothing but a total."""
    found: list[tuple[int, Row]] = []
    for progress in admin.groups:
        for topic in dict.fromkeys(queue.topic for queue in progress.queues):
            diffs = [queue.diff for queue in progress.queues if queue.topic == topic]
            if topic.startswith(_RETRY) and not any(diffs):
                continue
            row = (
                _name(progress),
                topic,
                len(diffs),
                sum(diffs),
                max(diffs),
                progress.diff_total,
            )
            found.append((sum(diffs), row))
    known = {progress.group for progress in admin.groups}
    found += [
        (one.diff_total or 0, (one.group, NO_VALUE, NO_VALUE, one.diff_total, NO_VALUE, NO_VALUE))
        for one in admin.overview
        if one.group not in known
    ]
    return [row for _, row in sorted(found, key=lambda pair: (-pair[0], str(pair[1][0]), str(pair[1][1])))]


def _group(row: Nested) -> Value:
    return _name(row.outer)


def _name(of_group: GroupProgress | ConsumerState | ConsumerConnection | ProducerConnection) -> str:
    """Name of the group, or of the file where the output does not name the group."""
    return of_group.group or of_group.source


def _standing_queues(consumers: tuple[ConsumerState, ...]) -> Iterator[Table]:
    """Queues that consumers themselves name."""
    rows: list[Row] = []
    for one in consumers:
        rows += [(*_place(one, queue), say("nothing consumed"), queue.blocked_ms) for queue in one.blocked]
        rows += [(*_place(one, queue), say("no lock"), queue.unlocked_ms) for queue in one.unlocked]
    if rows:
        yield TABLES.table("standing-queues", rows=rows)


def _place(consumer: ConsumerState, queue: BlockedQueue | UnlockedQueue) -> Row:
    return consumer.group, queue.client, queue.topic, queue.broker, queue.queue_id


def client_parts(admin: AdminFacts) -> Iterator[AnyPart]:
    """Who is connected, with which subscriptions; then each client's own settings, queues and rates."""
    if admin.consumer_connections:
        yield _connections(
            "consumer-connections",
            say("Connected consumers"),
            admin.consumer_connections,
        )
        yield TABLES.table(
            "mqadmin-subscriptions",
            [
                Nested(one, subscription)
                for one in admin.consumer_connections
                for subscription in one.subscriptions
            ],
            group=_group,
        )
    if admin.producer_connections:
        yield _connections(
            "producer-connections",
            say("Connected producers"),
            admin.producer_connections,
        )
    for place, client in enumerate(admin.clients):
        title = say("Client of {source}", source=client.source)
        if client.group is not None:
            title = say("Client of group {group}, {source}", client)
        yield Fold(title, [*_client(client, place)], wide=True)


def _connections(name: str, caption: Text, groups: Sequence[ConsumerConnection | ProducerConnection]) -> Table:
    return TABLES.table(
        "mqadmin-groups",
        [Nested(one, client) for one in groups for client in one.clients],
        name=name,
        caption=caption,
        group=_group,
    )


def _first_offset(queue: ProcessQueueListed) -> Value:
    return queue.min_offset if queue.messages else NO_VALUE


def _last_offset(queue: ProcessQueueListed) -> Value:
    return queue.max_offset if queue.messages else NO_VALUE


def _client(client: ClientSettings, place: int) -> Iterator[AnyPart]:
    if client.queues:
        yield TABLES.table(
            "client-queues",
            client.queues,
            name=f"client-queues-{place}",
            first_offset=_first_offset,
            last_offset=_last_offset,
        )
    if client.rates:
        yield TABLES.table("client-rates", client.rates, name=f"client-rates-{place}")
    if client.subscriptions:
        yield Pairs([(one.topic, one.expression) for one in client.subscriptions])
    if client.settings:
        rows: list[tuple[Text | str, Value]] = [*sorted(client.settings.items())]
        yield Pairs(rows)
