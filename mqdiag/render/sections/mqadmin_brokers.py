"""Brokers as mqadmin has them: counters and write times, the cluster's list, replication, settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mqdiag.facts.admin import AdminFacts, BrokerConfig, BrokerListed, BrokerStatus, ReplicationStatus
from mqdiag.facts.put_buckets import puts_of
from mqdiag.facts.store_logs import PutLatency
from mqdiag.render.parts import NO_VALUE, AnyPart, Bullets, Fold, Pairs, Table
from mqdiag.render.sections.broker_logs import write_times
from mqdiag.render.tables import Tables
from mqdiag.text import Text, Value, say

TABLES = Tables("mqadmin_brokers")


def broker_parts(admin: AdminFacts) -> Iterator[AnyPart]:
    """One row for each brokerStatus and for each line of clusterList; what they hold besides."""
    if admin.broker_statuses:
        yield TABLES.table(
            "broker-counters",
            admin.broker_statuses,
            broker=_broker,
            version=_version,
            send_queue=_counter("sendThreadPoolQueueSize"),
            put_lock_held=_counter("pageCacheLockTimeMills"),
            not_dispatched=_counter("dispatchBehindBytes"),
            writes=lambda one: _puts(one)[0],
            of_100_ms_or_longer=lambda one: _puts(one)[1],
        )
        lines = [
            say("{broker}: {line}", broker=_broker(status), line=line)
            for status in admin.broker_statuses
            for line in _write_times(status)
        ]
        if lines:
            yield Bullets(lines)
    if admin.brokers:
        yield TABLES.table("cluster-list", admin.brokers, answered=_answered)
    if admin.broker_totals:
        yield TABLES.table("broker-totals", admin.broker_totals)
    if admin.replication:
        yield TABLES.table("ha-status", admin.replication)
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


def _replicas(statuses: tuple[ReplicationStatus, ...]) -> Iterator[Table]:
    replicas = [replica for one in statuses for replica in one.replicas]
    if replicas:
        yield TABLES.table("ha-replicas", replicas)
