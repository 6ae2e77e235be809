"""Whether a broker could use the transient store pool, which helps a busy one under some conditions only."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.broker import BrokerFacts
from mqdiag.facts.logs import LogsFacts


def pool_fits_broker(broker: BrokerFacts) -> bool:
    """Whether a broker of a dump could use the transient store pool, and does not."""
    pool = broker.transient_store_pool
    return pool is not None and not pool.enabled and broker.role != "SLAVE" and broker.flush == "ASYNC_FLUSH"


def pool_fits(logs: LogsFacts | None, heap: HeapFacts | None) -> bool:
    """Whether nothing rules the pool out: it is not on already, no SYNC_FLUSH, no slave."""
    printed = {} if logs is None else logs.settings
    by_logs = (
        printed.get("transientStorePoolEnable") != "true"
        and printed.get("flushDiskType") in (None, "ASYNC_FLUSH")
        and printed.get("brokerRole") != "SLAVE"
        and not (logs is not None and logs.count("pool-empty", "pool-low", "pool-not-enough"))
    )
    broker = None if heap is None else heap.broker
    named = {one.name for one in logs.brokers} if logs is not None else set()
    if broker is None or (named and broker.name not in named):
        return by_logs
    pool = broker.transient_store_pool
    return (
        by_logs
        and broker.flush in (None, "ASYNC_FLUSH")
        and broker.role != "SLAVE"
        and not (pool is not None and pool.enabled)
    )
