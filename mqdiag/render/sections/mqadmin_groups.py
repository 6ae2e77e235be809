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
from mqdiag.render.parts import NO_VALUE, AnyPart, Column, Fold, Nested, Pairs, Row, Table
from mqdiag.text import Text, Value, say

_ROWS = (30, 2000)
_RETRY = "%RETRY%"


def group_parts(admin: AdminFacts) -> Iterator[AnyPart]:
    """Backlogs by group and topic, then by queue; what consumers miss."""
    rows = _backlogs(admin)
    if rows:
        yield Table(
            name="backlogs",
            caption=say("Backlogs"),
            columns=(
                Column(say("group"), whole=True),
                Column(say("topic")),
                Column(say("queues"), "count"),
                Column(say("messages behind"), "count"),
                Column(say("most in a queue"), "count"),
                Column(say("mqadmin's own total"), "count", wide=True, optional=True),
            ),
            rows=rows,
            shown=_ROWS,
        )
    if any(progress.queues for progress in admin.groups):
        yield _queues(admin)
    if admin.overview:
        yield _overview(admin)
    if admin.consumers:
        yield _states(admin.consumers)
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


def _queues(admin: AdminFacts) -> Table:
    return Table(
        name="mqadmin-queues",
        caption=say("Queues of groups"),
        columns=(
            Column(say("group"), of=_group),
            Column(say("topic"), of="inner.topic"),
            Column(say("broker"), of="inner.broker"),
            Column(say("queue"), of="inner.queue_id", number=True),
            Column(say("end of the queue"), of="inner.broker_offset", number=True),
            Column(say("consumed up to"), of="inner.consumer_offset", number=True),
            Column(say("behind"), "count", of="inner.diff"),
            Column(say("delivered, not acknowledged"), "count", of="inner.inflight", optional=True),
            Column(say("client"), of="inner.client", none="", optional=True),
            Column(say("stored at"), "time", of="inner.last_time", none="", optional=True),
        ),
        rows_of=[Nested(progress, queue) for progress in admin.groups for queue in progress.queues],
        note=say(
            '"stored at": of the message that is consumed next, on the clock of the machine that ran mqadmin'
        ),
        wide=True,
    )


def _group(row: Nested) -> Value:
    return _name(row.outer)


def _name(of_group: GroupProgress | ConsumerState | ConsumerConnection | ProducerConnection) -> str:
    """Name of the group, or of the file where the output does not name the group."""
    return of_group.group or of_group.source


def _overview(admin: AdminFacts) -> Table:
    return Table(
        name="mqadmin-overview",
        caption=say("All groups"),
        columns=(
            Column(say("group"), of="group"),
            Column(say("clients"), "count", of="count"),
            Column(say("version"), of="version", none="", optional=True),
            Column(say("type"), of="type", none="", optional=True),
            Column(say("model"), of="model", none="", optional=True),
            Column(say("consumed"), "rate", of="tps", optional=True),
            Column(say("behind"), "count", of="diff_total"),
            Column(say("file"), of="source", whole=True),
        ),
        rows_of=admin.overview,
        wide=True,
    )


def _states(consumers: tuple[ConsumerState, ...]) -> Table:
    return Table(
        name="consumer-status",
        caption=say("Consumers (consumerStatus)"),
        columns=(
            Column(say("group"), of=_name),
            Column(say("clients"), "count", of=lambda one: len(one.clients)),
            Column(say("equal subscriptions"), of="same_subscription", worded=True),
            Column(say("rebalanced"), of="rebalance_ok", worded=True),
            Column(say("blocked"), "count", of=lambda one: len(one.blocked)),
            Column(say("unlocked"), "count", of=lambda one: len(one.unlocked)),
            Column(say("client ids"), of="clients", wide=True),
            Column(say("file"), of="source", whole=True, wide=True),
        ),
        rows_of=consumers,
        note=say(
            '"blocked": queues that stand still; "unlocked": queues that an orderly consumer could not lock'
        ),
    )


def _standing_queues(consumers: tuple[ConsumerState, ...]) -> Iterator[Table]:
    """Queues that consumers themselves name."""
    rows: list[Row] = []
    for one in consumers:
        rows += [(*_place(one, queue), say("nothing consumed"), queue.blocked_ms) for queue in one.blocked]
        rows += [(*_place(one, queue), say("no lock"), queue.unlocked_ms) for queue in one.unlocked]
    if rows:
        yield Table(
            name="standing-queues",
            caption=say("Queues that consumers report"),
            columns=(
                Column(say("group")),
                Column(say("client"), wide=True),
                Column(say("topic")),
                Column(say("broker")),
                Column(say("queue"), number=True),
                Column(say("what")),
                Column(say("for how long"), "ms"),
            ),
            rows=rows,
        )


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
        yield _subscriptions(admin.consumer_connections)
    if admin.producer_connections:
        yield _connections(
            "producer-connections",
            say("Connected producers"),
            admin.producer_connections,
        )
    for place, client in enumerate(admin.clients):
        title = say("Client of {source}", source=client.source)
        if client.group is not None:
            title = say("Client of group {group}, {source}", group=client.group, source=client.source)
        yield Fold(title, [*_client(client, place)], wide=True)


def _connections(name: str, caption: Text, groups: Sequence[ConsumerConnection | ProducerConnection]) -> Table:
    return Table(
        name=name,
        caption=caption,
        columns=(
            Column(say("group"), of=_group),
            Column(say("client"), of="inner.client_id"),
            Column(say("address"), of="inner.address"),
            Column(say("language"), of="inner.language"),
            Column(say("version"), of="inner.version"),
        ),
        rows_of=[Nested(one, client) for one in groups for client in one.clients],
        shown=_ROWS,
    )


def _subscriptions(connections: tuple[ConsumerConnection, ...]) -> Table:
    return Table(
        name="mqadmin-subscriptions",
        caption=say("Subscriptions"),
        columns=(
            Column(say("group"), of=_group),
            Column(say("topic"), of="inner.topic"),
            Column(say("expression"), of="inner.expression"),
            Column(say("type"), of="outer.consume_type", wide=True),
            Column(say("model"), of="outer.message_model", wide=True),
            Column(say("begins from"), of="outer.consume_from_where", wide=True),
        ),
        rows_of=[Nested(one, subscription) for one in connections for subscription in one.subscriptions],
        shown=_ROWS,
    )


def _first_offset(queue: ProcessQueueListed) -> Value:
    return queue.min_offset if queue.messages else NO_VALUE


def _last_offset(queue: ProcessQueueListed) -> Value:
    return queue.max_offset if queue.messages else NO_VALUE


def _client(client: ClientSettings, place: int) -> Iterator[AnyPart]:
    if client.queues:
        yield Table(
            name=f"client-queues-{place}",
            columns=(
                Column(say("topic"), of="topic"),
                Column(say("broker"), of="broker"),
                Column(say("queue"), of="queue_id", number=True),
                Column(say("messages"), "count", of="messages"),
                Column(say("MiB"), "count", of="size_mib"),
                Column(say("first offset"), of=_first_offset, number=True),
                Column(say("last offset"), of=_last_offset, number=True),
                Column(say("committed"), of="commit_offset", number=True),
                Column(say("locked"), of="locked", worded=True, optional=True),
                Column(say("dropped"), of="dropped", worded=True, optional=True),
                Column(say("last lock"), of="last_lock", none="", optional=True),
                Column(say("last pull"), of="last_pull", none="", optional=True),
                Column(say("last consumed"), of="last_consume", none="", optional=True),
            ),
            rows_of=client.queues,
            note=say("times as YYYYMMDDhhmmssSSS, on the clock of the machine that ran mqadmin"),
        )
    if client.rates:
        yield Table(
            name=f"client-rates-{place}",
            columns=(
                Column(say("topic"), of="topic"),
                Column(say("a pull takes"), "ms", of="pull_ms"),
                Column(say("pulled"), "rate", of="pull_tps"),
                Column(say("a message takes"), "ms", of="consume_ms"),
                Column(say("consumed"), "rate", of="consume_ok_tps"),
                Column(say("failed"), "rate", of="consume_failed_tps"),
                Column(say("failed in an hour"), "count", of="failed_in_hour"),
            ),
            rows_of=client.rates,
        )
    if client.subscriptions:
        yield Pairs([(one.topic, one.expression) for one in client.subscriptions])
    if client.settings:
        rows: list[tuple[Text | str, Value]] = [*sorted(client.settings.items())]
        yield Pairs(rows)
