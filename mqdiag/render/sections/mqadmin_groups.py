"""Groups and their clients as mqadmin has them: backlogs, connections, subscriptions, what clients say themselves."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.admin import AdminFacts, ClientSettings, ConnectedClient, ConsumerConnection, ConsumerState
from mqdiag.render.parts import NO_VALUE, AnyPart, Column, Fold, Pairs, Row, Table
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
                progress.group or progress.source,
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
            Column(say("group")),
            Column(say("topic")),
            Column(say("broker")),
            Column(say("queue"), number=True),
            Column(say("end of the queue"), number=True),
            Column(say("consumed up to"), number=True),
            Column(say("behind"), "count"),
            Column(say("delivered, not acknowledged"), "count", optional=True),
            Column(say("client"), optional=True),
            Column(say("stored at"), "time", optional=True),
        ),
        rows=[
            (
                progress.group or progress.source,
                queue.topic,
                queue.broker,
                queue.queue_id,
                queue.broker_offset,
                queue.consumer_offset,
                queue.diff,
                queue.inflight,
                queue.client or "",
                queue.last_time or "",
            )
            for progress in admin.groups
            for queue in progress.queues
        ],
        note=say(
            '"stored at": of the message that is consumed next, on the clock of the machine that ran mqadmin'
        ),
        wide=True,
    )


def _overview(admin: AdminFacts) -> Table:
    return Table(
        name="mqadmin-overview",
        caption=say("All groups"),
        columns=(
            Column(say("group")),
            Column(say("clients"), "count"),
            Column(say("version"), optional=True),
            Column(say("type"), optional=True),
            Column(say("model"), optional=True),
            Column(say("consumed"), "rate", optional=True),
            Column(say("behind"), "count"),
            Column(say("file"), whole=True),
        ),
        rows=[
            (
                one.group,
                one.count,
                one.version or "",
                one.type or "",
                one.model or "",
                one.tps,
                one.diff_total,
                one.source,
            )
            for one in admin.overview
        ],
        wide=True,
    )


def _states(consumers: tuple[ConsumerState, ...]) -> Table:
    return Table(
        name="consumer-status",
        caption=say("Consumers (consumerStatus)"),
        columns=(
            Column(say("group")),
            Column(say("clients"), "count"),
            Column(say("equal subscriptions")),
            Column(say("rebalanced")),
            Column(say("blocked"), "count"),
            Column(say("unlocked"), "count"),
            Column(say("client ids"), wide=True),
            Column(say("file"), whole=True, wide=True),
        ),
        rows=[
            (
                one.group or one.source,
                len(one.clients),
                _yes_or_no(one.same_subscription),
                _yes_or_no(one.rebalance_ok),
                len(one.blocked),
                len(one.unlocked),
                one.clients,
                one.source,
            )
            for one in consumers
        ],
        note=say(
            '"blocked": queues that stand still; "unlocked": queues that an orderly consumer could not lock'
        ),
    )


def _yes_or_no(value: bool | None) -> Text | None:
    if value is None:
        return None
    return say("yes") if value else say("no")


def _standing_queues(consumers: tuple[ConsumerState, ...]) -> Iterator[Table]:
    """Queues that consumers themselves name."""
    rows: list[Row] = []
    for one in consumers:
        rows += [
            (
                one.group,
                queue.client,
                queue.topic,
                queue.broker,
                queue.queue_id,
                say("nothing consumed"),
                queue.blocked_ms,
            )
            for queue in one.blocked
        ]
        rows += [
            (
                one.group,
                queue.client,
                queue.topic,
                queue.broker,
                queue.queue_id,
                say("no lock"),
                queue.unlocked_ms,
            )
            for queue in one.unlocked
        ]
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


def client_parts(admin: AdminFacts) -> Iterator[AnyPart]:
    """Who is connected, with which subscriptions; then each client's own settings, queues and rates."""
    if admin.consumer_connections:
        yield _connections(
            "consumer-connections",
            say("Connected consumers"),
            [(one.group or one.source, client) for one in admin.consumer_connections for client in one.clients],
        )
        yield _subscriptions(admin.consumer_connections)
    if admin.producer_connections:
        yield _connections(
            "producer-connections",
            say("Connected producers"),
            [(one.group or one.source, client) for one in admin.producer_connections for client in one.clients],
        )
    for place, client in enumerate(admin.clients):
        title = say("Client of {source}", source=client.source)
        if client.group is not None:
            title = say("Client of group {group}, {source}", group=client.group, source=client.source)
        yield Fold(title, [*_client(client, place)], wide=True)


def _connections(name: str, caption: Text, clients: list[tuple[str, ConnectedClient]]) -> Table:
    return Table(
        name=name,
        caption=caption,
        columns=(
            Column(say("group")),
            Column(say("client")),
            Column(say("address")),
            Column(say("language")),
            Column(say("version")),
        ),
        rows=[
            (group, client.client_id, client.address, client.language, client.version)
            for group, client in clients
        ],
        shown=_ROWS,
    )


def _subscriptions(connections: tuple[ConsumerConnection, ...]) -> Table:
    return Table(
        name="mqadmin-subscriptions",
        caption=say("Subscriptions"),
        columns=(
            Column(say("group")),
            Column(say("topic")),
            Column(say("expression")),
            Column(say("type"), wide=True),
            Column(say("model"), wide=True),
            Column(say("begins from"), wide=True),
        ),
        rows=[
            (
                one.group or one.source,
                subscription.topic,
                subscription.expression,
                one.consume_type,
                one.message_model,
                one.consume_from_where,
            )
            for one in connections
            for subscription in one.subscriptions
        ],
        shown=_ROWS,
    )


def _client(client: ClientSettings, place: int) -> Iterator[AnyPart]:
    if client.queues:
        yield Table(
            name=f"client-queues-{place}",
            columns=(
                Column(say("topic")),
                Column(say("broker")),
                Column(say("queue"), number=True),
                Column(say("messages"), "count"),
                Column(say("MiB"), "count"),
                Column(say("first offset"), number=True),
                Column(say("last offset"), number=True),
                Column(say("committed"), number=True),
                Column(say("locked"), optional=True),
                Column(say("dropped"), optional=True),
                Column(say("last lock"), optional=True),
                Column(say("last pull"), optional=True),
                Column(say("last consumed"), optional=True),
            ),
            rows=[
                (
                    queue.topic,
                    queue.broker,
                    queue.queue_id,
                    queue.messages,
                    queue.size_mib,
                    queue.min_offset if queue.messages else NO_VALUE,
                    queue.max_offset if queue.messages else NO_VALUE,
                    queue.commit_offset,
                    _yes_or_no(queue.locked),
                    _yes_or_no(queue.dropped),
                    queue.last_lock or "",
                    queue.last_pull or "",
                    queue.last_consume or "",
                )
                for queue in client.queues
            ],
            note=say("times as YYYYMMDDhhmmssSSS, on the clock of the machine that ran mqadmin"),
        )
    if client.rates:
        yield Table(
            name=f"client-rates-{place}",
            columns=(
                Column(say("topic")),
                Column(say("a pull takes"), "ms"),
                Column(say("pulled"), "rate"),
                Column(say("a message takes"), "ms"),
                Column(say("consumed"), "rate"),
                Column(say("failed"), "rate"),
                Column(say("failed in an hour"), "count"),
            ),
            rows=[
                (
                    rate.topic,
                    rate.pull_ms,
                    rate.pull_tps,
                    rate.consume_ms,
                    rate.consume_ok_tps,
                    rate.consume_failed_tps,
                    rate.failed_in_hour,
                )
                for rate in client.rates
            ],
        )
    if client.subscriptions:
        yield Pairs([(one.topic, one.expression) for one in client.subscriptions])
    if client.settings:
        rows: list[tuple[Text | str, Value]] = [*sorted(client.settings.items())]
        yield Pairs(rows)
