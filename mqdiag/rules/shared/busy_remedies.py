"""What helps a busy broker, with the conditions under which it helps; the same words in all rules about it."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.broker import BrokerFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.knowledge.remedies import remedy
from mqdiag.text import Text

(SCALE_OUT,) = remedy("scale_out")
(STRONGER_HOST,) = remedy("stronger_host")
(POOL_IF_ASYNC_MASTER,) = remedy("pool_if_async_master")
(NOT_THESE,) = remedy("do_not_hide_busy")
BUSY = (SCALE_OUT, STRONGER_HOST, POOL_IF_ASYNC_MASTER, NOT_THESE)
"""for a page cache that is too slow"""
SLAVE_BEHIND = remedy("slave_behind")


def busy(broker: BrokerFacts) -> tuple[Text, ...]:
    """The remedies for a broker of a dump: the pool only where it would work and is not on already."""
    return with_pool_if(pool_fits_broker(broker), BUSY)


def busy_by_logs(logs: LogsFacts | None, heap: HeapFacts | None) -> tuple[Text, ...]:
    """The remedies for a broker of logs or of brokerStatus, with its dump where there is one."""
    return with_pool_if(pool_fits(logs, heap), BUSY)


def with_pool_if(fits: bool, remedy: tuple[Text, ...]) -> tuple[Text, ...]:
    """The remedies, with the transient store pool only where it fits."""
    return tuple(line for line in remedy if fits or line != POOL_IF_ASYNC_MASTER)


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
