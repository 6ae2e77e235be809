"""Brokers of a heap dump: role, write path, queues, replication, settings."""

from __future__ import annotations

from mqdiag.facts.broker import BrokerFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.page.cells import age_cell, count_cell, offset_cell, size_cell, table
from mqdiag.render.html.page.parts import AnyPart, Fold, Pairs, Section
from mqdiag.render.wording.settings import setting_text
from mqdiag.render.wording.sizes import duration, number, size
from mqdiag.text import say


def broker_section(report: Report, view: View) -> Section | None:
    """Nothing when the dump is no broker's."""
    broker = None if report.heap is None else report.heap.broker
    if broker is None:
        return None
    parts: list[AnyPart] = [Pairs(_card(broker))]
    if broker.request_queues:
        parts.append(
            table(
                "request-queues",
                "Request queues",
                ("queue", "#waiting", "#room for", "#head waits"),
                [
                    (name, count_cell(queue.size), count_cell(queue.capacity), age_cell(queue.head_wait_ms))
                    for name, queue in broker.request_queues.items()
                ],
            )
        )
    if broker.replication is not None and broker.replication.slaves:
        parts.append(
            table(
                "slaves",
                "Slaves",
                ("address", "#confirmed offset", "#behind"),
                [
                    (
                        slave.address or "?",
                        offset_cell(slave.acknowledged_offset),
                        size_cell(slave.behind_bytes),
                    )
                    for slave in broker.replication.slaves
                ],
            )
        )
    if broker.tables:
        parts.append(
            table(
                "broker-tables",
                "Tables that can grow",
                ("table", "#entries", "#retained", "known faults"),
                [
                    (one.name, count_cell(one.entries), size_cell(one.retained_bytes), ", ".join(one.issues))
                    for one in broker.tables
                ],
            )
        )
    for name, settings in (("BrokerConfig", broker.config), ("MessageStoreConfig", broker.store_config)):
        if settings:
            rows = [(key, setting_text(value)) for key, value in sorted(settings.items())]
            parts.append(Fold(summary=say("{name} in force", name=name), parts=[Pairs(rows)]))
    return Section(name="broker", title=say("The broker"), parts=parts)


def _card(broker: BrokerFacts) -> list[tuple[str, str]]:
    rows = [
        (say("name"), broker.name or say("not known")),
        (say("version"), broker.version or say("not known")),
        (say("cluster"), broker.cluster or say("not known")),
        (say("role"), ", ".join(filter(None, (broker.role, broker.flush))) or say("not known")),
    ]
    if broker.page_cache_lock_ms is not None:
        held = duration(broker.page_cache_lock_ms) if broker.page_cache_lock_ms else say("no append under way")
        rows.append((say("append takes"), held))
    lock = broker.put_lock
    if lock is not None and lock.held is not None:
        rows.append(
            (
                say("put lock"),
                say("held by {holder}", holder=lock.holder or say("an unknown thread"))
                if lock.held
                else say("free"),
            )
        )
    pool = broker.transient_store_pool
    if pool is not None:
        free = say(
            ", {available_buffers:count} of {pool_size:count} buffers free",
            available_buffers=pool.available_buffers,
            pool_size=pool.pool_size,
        )
        rows.append((say("transient store pool"), f"on{free}" if pool.enabled else say("off")))
    log = broker.commit_log
    if log is not None:
        rows.append(
            (
                say("commit log"),
                say(
                    "{files:count} files, written to {wrote_offset}",
                    files=log.files,
                    wrote_offset=log.wrote_offset,
                ),
            )
        )
        if log.unflushed_bytes is not None:
            rows.append((say("not yet on disk"), size(log.unflushed_bytes)))
        if log.uncommitted_bytes is not None:
            rows.append((say("in off-heap buffers only"), size(log.uncommitted_bytes)))
    if broker.consume_queues is not None:
        rows.append((say("consume queues"), number(broker.consume_queues)))
    if broker.long_polling is not None:
        rows.append((say("held pull requests"), number(broker.long_polling.requests)))
    if broker.store_flags:
        rows.append((say("store forbids"), ", ".join(broker.store_flags)))
    return rows
