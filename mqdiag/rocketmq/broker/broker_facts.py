"""Facts of each broker of a heap."""

from __future__ import annotations

import re

from mqdiag.facts.broker import BrokerFacts, ConfigValue
from mqdiag.graph.heap import Heap
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.broker.controllers import Controller
from mqdiag.rocketmq.broker.pop import pop_facts
from mqdiag.rocketmq.broker.put_lock import lock_age_ms, put_lock
from mqdiag.rocketmq.broker.requests import long_polling, request_queues
from mqdiag.rocketmq.broker.store import commit_log_facts, consume_queues, pool_facts, replication
from mqdiag.rocketmq.broker.tables import tables
from mqdiag.rocketmq.client import version_under

_SECRET = lazy_pattern(r"secret|password|token|credential|header|labels", re.IGNORECASE)
"""settings whose text may be a key: metricsGrpcExporterHeader carries Authorization"""
_HIDDEN = "(not shown)"
# RunningFlags: the same bits in all versions, the last two since 5.0.0.
_FLAGS = (
    (1, "not-readable"),
    (1 << 1, "not-writeable"),
    (1 << 2, "logic-queue-error"),
    (1 << 3, "index-file-error"),
    (1 << 4, "disk-full"),
    (1 << 5, "fenced"),
    (1 << 6, "logic-disk-full"),
)


def broker_facts(broker: Controller) -> BrokerFacts:
    """One broker."""
    heap = broker.heap
    config = shown_settings(heap, broker.config)
    store_config = shown_settings(heap, broker.store_config)
    pool = pool_facts(broker, config, store_config)
    log = commit_log_facts(broker, pool_in_force=None if pool is None else pool.in_force)
    queues = request_queues(broker)
    logic = consume_queues(broker)
    return BrokerFacts(
        name=_text(config.get("brokerName")),
        version=version_under(heap, broker.root),
        object_id=f"0x{heap.object_id(broker.node):x}",
        cluster=_text(config.get("brokerClusterName")),
        broker_id=_whole(config.get("brokerId")),
        role=_text(store_config.get("brokerRole")),
        flush=_text(store_config.get("flushDiskType")),
        config=config,
        store_config=store_config,
        transient_store_pool=pool,
        page_cache_lock_ms=lock_age_ms(broker),
        put_lock=put_lock(broker),
        send_queue=queues.get("send"),
        request_queues=queues,
        commit_log=log,
        consume_queue_topics=None if logic is None else logic[0],
        consume_queues=None if logic is None else logic[1],
        long_polling=long_polling(broker),
        replication=replication(broker, store_config, None if log is None else log.wrote_offset),
        store_flags=_flags(fields.number(heap, broker.store, "MessageStore.flags", "RunningFlags.bits")),
        pop=pop_facts(broker),
        tables=tables(broker),
    )


def shown_settings(heap: Heap, node: int) -> dict[str, ConfigValue]:
    """Plain settings of a configuration object; those that may be secrets are not shown."""
    return {
        name: _HIDDEN if isinstance(value, str) and value and _SECRET.search(name) else value
        for name, value in fields.plain_fields(heap, node).items()
    }


def _text(value: ConfigValue) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: ConfigValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _flags(bits: int | None) -> tuple[str, ...]:
    return () if bits is None else tuple(name for bit, name in _FLAGS if bits & bit)
