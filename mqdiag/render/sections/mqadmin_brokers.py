"""Brokers as mqadmin has them: counters and write times, the cluster's list, replication, settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mqdiag.facts.admin import AdminFacts, BrokerConfig, BrokerListed, BrokerStatus, ReplicationStatus
from mqdiag.facts.put_buckets import puts_of
from mqdiag.facts.store_logs import PutLatency
from mqdiag.render.parts import NO_VALUE, AnyPart, Bullets, Column, Fold, Pairs, Table
from mqdiag.render.sections.broker_logs import write_times
from mqdiag.text import Text, Value, say

_ROWS = (30, 2000)


def broker_parts(admin: AdminFacts) -> Iterator[AnyPart]:
    """One row for each brokerStatus and for each line of clusterList; what they hold besides."""
    if admin.broker_statuses:
        yield _statuses(admin.broker_statuses)
        lines = [
            say("{broker}: {line}", broker=_broker(status), line=line)
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
            summary = say("All counters of {broker}", broker=_broker(status))
            yield Fold(summary, (_pairs(status.values),), wide=True)
    for config in admin.broker_configs:
        summary = say("Settings of {broker}", broker=_broker(config))
        yield Fold(summary, (_pairs(config.settings),), wide=True)


def _pairs(values: dict[str, str]) -> Pairs:
    rows: list[tuple[Text | str, Value]] = [*sorted(values.items())]
    return Pairs(rows)


def _statuses(statuses: tuple[BrokerStatus, ...]) -> Table:
    return Table(
        name="broker-counters",
        caption=say("Counters (brokerStatus)"),
        columns=(
            Column(say("broker"), of=_broker),
            Column(say("version"), of=_version, whole=True),
            Column(say("asked at"), "time", of="asked_at", wide=True, optional=True),
            Column(say("send queue"), "count", of=_counter("sendThreadPoolQueueSize")),
            Column(say("put lock held"), "ms", of=_counter("pageCacheLockTimeMills")),
            Column(say("not dispatched"), "bytes", of=_counter("dispatchBehindBytes")),
            Column(say("disk used"), "percent", of="disk_ratio"),
            Column(say("writes"), "count", of=lambda one: _puts(one)[0], wide=True),
            Column(say("of 100 ms or longer"), "count", of=lambda one: _puts(one)[1]),
        ),
        rows_of=statuses,
        shown=_ROWS,
        note=say('"of 100 ms or longer": writes of one minute'),
    )


def _broker(one: BrokerStatus | BrokerConfig) -> str:
    return one.address or one.source


def _version(one: BrokerStatus | BrokerListed) -> str | None:
    """5.3.3 of V5_3_3, as mqadmin prints it."""
    return None if one.version is None else one.version.removeprefix("V").replace("_", ".")


def _answered(one: BrokerListed) -> Value:
    return say("no answer") if one.version is None else _version(one)


def _counter(name: str) -> Callable[[BrokerStatus], Value]:
    """What mqadmin printed as a number; anything else as it is."""

    def value(status: BrokerStatus) -> Value:
        printed = status.values.get(name)
        try:
            return None if printed is None else int(printed)
        except ValueError:
            return printed

    return value


def _puts(status: BrokerStatus) -> tuple[Value, Value]:
    """All writes, and those of 100 ms or longer."""
    puts = puts_of(status.put_buckets)
    return (puts.total, puts.from_100_ms) if puts.total else (NO_VALUE, NO_VALUE)


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
            Column(say("cluster"), of="cluster", none="", wide=True, optional=True),
            Column(say("broker"), of="broker"),
            Column(say("id"), of="broker_id", number=True),
            Column(say("address"), of="address"),
            Column(say("version"), of=_answered, whole=True),
            Column(say("in"), "rate", of="in_tps"),
            Column(say("out"), "rate", of="out_tps"),
            Column(say("send queue"), "count", of="send_queue"),
            Column(say("oldest send waits"), "ms", of="send_wait_ms", wide=True),
            Column(say("pull queue"), "count", of="pull_queue", wide=True),
            Column(say("oldest pull waits"), "ms", of="pull_wait_ms", wide=True),
            Column(say("put lock held"), "ms", of="page_cache_wait_ms"),
            Column(say("oldest message, hours"), "decimal", of="oldest_hours", wide=True),
            Column(say("disk used"), "percent", of="disk_ratio"),
            Column(say("activated"), of="activated", worded=True, wide=True, optional=True),
            Column(say("file"), of="source", whole=True, wide=True),
        ),
        rows_of=brokers,
        shown=_ROWS,
    )


def _totals(admin: AdminFacts) -> Table:
    return Table(
        name="broker-totals",
        caption=say("Messages by day (clusterList -m)"),
        columns=(
            Column(say("cluster"), of="cluster", none="", optional=True),
            Column(say("broker"), of="broker"),
            Column(say("in yesterday"), "count", of="in_yesterday"),
            Column(say("out yesterday"), "count", of="out_yesterday"),
            Column(say("in today"), "count", of="in_today"),
            Column(say("out today"), "count", of="out_today"),
            Column(say("file"), of="source", whole=True),
        ),
        rows_of=admin.broker_totals,
        wide=True,
    )


def _replication(statuses: tuple[ReplicationStatus, ...]) -> Table:
    return Table(
        name="ha-status",
        caption=say("Replication (haStatus)"),
        columns=(
            Column(say("source"), of="source"),
            Column(say("master"), of="master"),
            Column(say("end of the commit log"), of="max_offset", number=True),
            Column(say("slaves"), "count", of="slaves", none=NO_VALUE),
            Column(say("in sync"), "count", of="in_sync_slaves", none=NO_VALUE),
            Column(
                say("flushed by the master"), of="master_flush_offset", number=True, wide=True, optional=True
            ),
            Column(say("last read"), of="last_read", none="", wide=True, optional=True),
            Column(say("last write"), of="last_write", none="", wide=True, optional=True),
        ),
        rows_of=statuses,
    )


def _replicas(statuses: tuple[ReplicationStatus, ...]) -> Iterator[Table]:
    replicas = [replica for one in statuses for replica in one.replicas]
    if replicas:
        yield Table(
            name="ha-replicas",
            caption=say("Slaves"),
            columns=(
                Column(say("address"), of="address"),
                Column(say("confirmed offset"), of="ack_offset", number=True),
                Column(say("behind"), "bytes", of="diff_bytes"),
                Column(say("KiB/s"), "decimal", of="kib_per_s"),
                Column(say("in sync"), of="in_sync", worded=True),
            ),
            rows_of=replicas,
        )
