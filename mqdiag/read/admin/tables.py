"""The tables that mqadmin and consoles print: what tells each by its head, and what its rows become."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from mqdiag.read.admin import rows
from mqdiag.read.admin.cells import Head, Row
from mqdiag.read.admin.output import Output

Take = Callable[[Output, Row], bool]
"""reads a row; whether it was one"""
_T = TypeVar("_T")


class Table(msgspec.Struct, frozen=True):
    """One kind of table."""

    columns: frozenset[str]
    """those that its head must have; the first kind in the list that fits is taken"""
    take: Take
    optional: frozenset[str] = frozenset()
    """columns that are left blank, those to the right first"""
    begins: bool = True
    """a new answer begins with its head"""
    by_blanks: bool = False
    """its head is known without signs, tabs and bars too"""
    lists_brokers: bool = False
    """an answer without a row of it says that there is no broker"""


def table_of(head: Head) -> Table | None:
    """The kind of table that begins with a head."""
    names = frozenset(head.columns)
    return next((table for table in TABLES if table.columns <= names), None)


def _kept(places: Callable[[Output], list[_T]], one: Callable[[Output, Row], _T | None]) -> Take:
    def take(out: Output, row: Row) -> bool:
        read = one(out, row)
        if read is not None:
            places(out).append(read)
        return read is not None

    return take


def _client_id(out: Output, row: Row) -> str | None:
    """A client in the answer to `consumerStatus`, which writes a file for each."""
    path = row.text("consumerrunninginfofile")
    return row.text("clientid") if path is not None and "/" in path else None


def _nothing(out: Output, row: Row) -> bool:
    return True


TABLES: tuple[Table, ...] = (
    # consumerProgress -g
    Table(
        frozenset({"qid", "brokeroffset", "consumeroffset"}),
        _kept(lambda out: out.answer.queues, lambda out, row: rows.progress_row(row, out.title)),
    ),
    # consumerProgress
    Table(
        frozenset({"group", "count", "diff"}),
        _kept(lambda out: out.overview, lambda out, row: rows.overview_row(row, out.source)),
        optional=frozenset({"version", "type", "model"}),
    ),
    # clusterList
    Table(
        frozenset({"bid", "address"}),
        _kept(lambda out: out.brokers, lambda out, row: rows.broker_row(row, out.source, out.title)),
        optional=frozenset({"version"}),
        lists_brokers=True,
    ),
    # clusterList -m
    Table(
        frozenset({"broker", "intotalyest", "outtotaltoday"}),
        _kept(lambda out: out.totals, lambda out, row: rows.totals_row(row, out.source)),
    ),
    # topicStatus
    Table(
        frozenset({"qid", "minoffset", "maxoffset"}),
        _kept(
            lambda out: out.topic_queues,
            lambda out, row: rows.topic_row(row, out.source, out.named, out.name_server),
        ),
        optional=frozenset({"last"}),
    ),
    # consumerStatus
    Table(
        frozenset({"clientid", "consumerrunninginfofile"}),
        _kept(lambda out: out.answer.client_ids, _client_id),
        optional=frozenset({"version"}),
    ),
    # consumerConnection
    Table(
        frozenset({"clientid", "clientaddr"}),
        _kept(lambda out: out.answer.connected, lambda out, row: rows.connection_row(row)),
        by_blanks=True,
    ),
    Table(
        frozenset({"topic", "subexpression"}),
        _kept(lambda out: out.answer.subscriptions, lambda out, row: rows.subscription_row(row)),
        begins=False,
        by_blanks=True,
    ),
    # topicRoute -l
    Table(
        frozenset({"broker", "brokeraddrs"}),
        _kept(lambda out: out.routes, lambda out, row: rows.route_row(row, out.source, out.named)),
    ),
    # statsAll
    Table(
        frozenset({"topic", "intps", "inmsg24hour"}),
        _kept(lambda out: out.topic_rates, lambda out, row: rows.topic_rates_row(row, out.source)),
        optional=frozenset({"group", "outtps"}),
    ),
    # haStatus
    Table(
        frozenset({"slaveaddr", "slaveackoffset"}),
        _kept(lambda out: out.answer.replicas, lambda out, row: rows.replica_row(row)),
        begins=False,
    ),
    # the file of a client: "#Consumer MQ Detail#", "#Consumer RT&TPS#", "#Consumer Offset#"
    Table(
        frozenset({"topic", "qid", "processqueueinfo"}),
        _kept(lambda out: out.answer.process_queues, lambda out, row: rows.process_queue_row(row)),
        begins=False,
    ),
    Table(
        frozenset({"topic", "pullrt", "consumert"}),
        _kept(lambda out: out.answer.rates, lambda out, row: rows.rates_row(row)),
        begins=False,
    ),
    Table(frozenset({"topic", "broker", "qid", "consumeroffset"}), _nothing, begins=False),
)
