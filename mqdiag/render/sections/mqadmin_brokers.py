"""Brokers as mqadmin has them: counters and write times, the cluster's list, replication, settings."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.admin import AdminFacts, BrokerListed, BrokerStatus, ReplicationStatus
from mqdiag.facts.logs import PutLatency
from mqdiag.facts.put_buckets import puts_of
from mqdiag.render.parts import NO_VALUE, AnyPart, Bullets, Column, Fold, Pairs, Row, Table
from mqdiag.render.sections.broker_logs import write_times
from mqdiag.text import Text, Value, say

_ROWS = (30, 2000)


def broker_parts(admin: AdminFacts) -> Iterator[AnyPart]:
    """One row for each brokerStatus and for each line of clusterList; what they hold besides."""
    if admin.broker_statuses:
        yield _statuses(admin.broker_statuses)
        lines = [
            say("{broker}: {line}", broker=status.address or status.source, line=line)
            for status in admin.broker_statuses
            for line in _write_times(status)
        ]
        if lines:
            yield Bullets(lines)
    if admin.brokers:
        yield _listed(admin.brokers)
    if admin.broker_totals:
        yield _totals(admin)
    if admin.replication:
        yield _replication(admin.replication)
        yield from _replicas(admin.replication)
    for status in admin.broker_statuses:
        if status.values:
            summary = say("All counters of {broker}", broker=status.address or status.source)
            yield Fold(summary, (_pairs(status.values),), wide=True)
    for config in admin.broker_configs:
        summary = say("Settings of {broker}", broker=config.address or config.source)
        yield Fold(summary, (_pairs(config.settings),), wide=True)


def _pairs(values: dict[str, str]) -> Pairs:
    rows: list[tuple[Text | str, Value]] = [*sorted(values.items())]
    return Pairs(rows)


def _statuses(statuses: tuple[BrokerStatus, ...]) -> Table:
    return Table(
        name="broker-counters",
        caption=say("Counters (brokerStatus)"),
        columns=(
            Column(say("broker")),
            Column(say("version"), whole=True),
            Column(say("asked at"), "time", wide=True, optional=True),
            Column(say("send queue"), "count"),
            Column(say("put lock held"), "ms"),
            Column(say("not dispatched"), "bytes"),
            Column(say("disk used"), "percent"),
            Column(say("writes"), "count", wide=True),
            Column(say("of 100 ms or longer"), "count"),
        ),
        rows=[_status(status) for status in statuses],
        shown=_ROWS,
        note=say('"of 100 ms or longer": writes of one minute'),
    )


def _status(status: BrokerStatus) -> Row:
    puts = puts_of(status.put_buckets)
    return (
        status.address or status.source,
        _version(status.version),
        status.asked_at,
        _number(status.values.get("sendThreadPoolQueueSize")),
        _number(status.values.get("pageCacheLockTimeMills")),
        _number(status.values.get("dispatchBehindBytes")),
        status.disk_ratio,
        puts.total if puts.total else NO_VALUE,
        puts.from_100_ms if puts.total else NO_VALUE,
    )


def _version(printed: str | None) -> str | None:
    """5.3.3 of V5_3_3, as mqadmin prints it."""
    return None if printed is None else printed.removeprefix("V").replace("_", ".")


def _number(text: str | None) -> Value:
    """What mqadmin printed as a number; anything else as it is."""
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        return text


def _write_times(status: BrokerStatus) -> Iterator[Text]:
    """How long the broker's writes took in a minute; nothing where it had none."""
    puts = puts_of(status.put_buckets)
    if puts.total:
        yield from write_times(
            PutLatency(
                lines=1,
                puts=puts.total,
                buckets=status.put_buckets,
                from_10_ms=puts.from_10_ms,
                from_100_ms=puts.from_100_ms,
                from_1_s=puts.from_1_s,
            )
        )


def _listed(brokers: tuple[BrokerListed, ...]) -> Table:
    return Table(
        name="cluster-list",
        caption=say("The cluster (clusterList)"),
        columns=(
            Column(say("cluster"), wide=True, optional=True),
            Column(say("broker")),
            Column(say("id"), number=True),
            Column(say("address")),
            Column(say("version"), whole=True),
            Column(say("in"), "rate"),
            Column(say("out"), "rate"),
            Column(say("send queue"), "count"),
            Column(say("oldest send waits"), "ms", wide=True),
            Column(say("pull queue"), "count", wide=True),
            Column(say("oldest pull waits"), "ms", wide=True),
            Column(say("put lock held"), "ms"),
            Column(say("oldest message, hours"), "decimal", wide=True),
            Column(say("disk used"), "percent"),
            Column(say("activated"), wide=True, optional=True),
            Column(say("file"), whole=True, wide=True),
        ),
        rows=[
            (
                one.cluster or "",
                one.broker,
                one.broker_id,
                one.address,
                say("no answer") if one.version is None else _version(one.version),
                one.in_tps,
                one.out_tps,
                one.send_queue,
                one.send_wait_ms,
                one.pull_queue,
                one.pull_wait_ms,
                one.page_cache_wait_ms,
                one.oldest_hours,
                one.disk_ratio,
                None if one.activated is None else say("yes") if one.activated else say("no"),
                one.source,
            )
            for one in brokers
        ],
        shown=_ROWS,
    )


def _totals(admin: AdminFacts) -> Table:
    return Table(
        name="broker-totals",
        caption=say("Messages by day (clusterList -m)"),
        columns=(
            Column(say("cluster"), optional=True),
            Column(say("broker")),
            Column(say("in yesterday"), "count"),
            Column(say("out yesterday"), "count"),
            Column(say("in today"), "count"),
            Column(say("out today"), "count"),
            Column(say("file"), whole=True),
        ),
        rows=[
            (
                one.cluster or "",
                one.broker,
                one.in_yesterday,
                one.out_yesterday,
                one.in_today,
                one.out_today,
                one.source,
            )
            for one in admin.broker_totals
        ],
        wide=True,
    )


def _replication(statuses: tuple[ReplicationStatus, ...]) -> Table:
    return Table(
        name="ha-status",
        caption=say("Replication (haStatus)"),
        columns=(
            Column(say("source")),
            Column(say("master")),
            Column(say("end of the commit log"), number=True),
            Column(say("slaves"), "count"),
            Column(say("in sync"), "count"),
            Column(say("flushed by the master"), number=True, wide=True, optional=True),
            Column(say("last read"), wide=True, optional=True),
            Column(say("last write"), wide=True, optional=True),
        ),
        rows=[
            (
                one.source,
                one.master,
                one.max_offset,
                NO_VALUE if one.slaves is None else one.slaves,
                NO_VALUE if one.in_sync_slaves is None else one.in_sync_slaves,
                one.master_flush_offset,
                one.last_read or "",
                one.last_write or "",
            )
            for one in statuses
        ],
    )


def _replicas(statuses: tuple[ReplicationStatus, ...]) -> Iterator[Table]:
    rows: list[Row] = [
        (
            replica.address,
            replica.ack_offset,
            replica.diff_bytes,
            replica.kib_per_s,
            None if replica.in_sync is None else say("yes") if replica.in_sync else say("no"),
        )
        for one in statuses
        for replica in one.replicas
    ]
    if rows:
        yield Table(
            name="ha-replicas",
            caption=say("Slaves"),
            columns=(
                Column(say("address")),
                Column(say("confirmed offset"), number=True),
                Column(say("behind"), "bytes"),
                Column(say("KiB/s"), "decimal"),
                Column(say("in sync")),
            ),
            rows=rows,
        )
