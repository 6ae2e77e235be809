"""What helps a busy broker, with the conditions under which it helps; the same words in all rules about it."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.broker import BrokerFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.knowledge.remedies import remedy
from mqdiag.text import Text, say

(POOL_IF_ASYNC_MASTER,) = remedy("pool_if_async_master")
SCALE_OUT = say(
    "Add a broker to the cluster. Before its first start copy config/topics.json and config/subscriptionGroup.json"
    " of a running broker to its store folder, so that it has the queues of the topics; clients find it by the route."
)
STRONGER_HOST = say(
    "Or give this host more memory and SSDs. Check the disk with iostat -x 1, and swapping and memory reclaim with"
    " vmstat 1 (vm.swappiness, vm.min_free_kbytes)."
)
NOT_THESE = say(
    "Do not raise osPageCacheBusyTimeOutMills or sendThreadPoolQueueCapacity, and do not switch"
    " brokerFastFailureEnable off: they hide the error and make senders wait."
)
BUSY = (SCALE_OUT, STRONGER_HOST, POOL_IF_ASYNC_MASTER, NOT_THESE)
"""for a page cache that is too slow"""
SLAVE_BEHIND = (
    say(
        "Check that the slave runs and answers (its process and its store.log), then its disk, the network between"
        " master and slave, and haTransferBatchSize."
    ),
    say("Do not make the slave a master while it is behind: the messages that it lacks would be lost."),
)


def busy(broker: BrokerFacts) -> tuple[Text, ...]:
    """The remedies for a broker of a dump: the pool only where it would work and is not on already."""
    pool = broker.transient_store_pool
    fits = pool is not None and not pool.enabled and broker.role != "SLAVE" and broker.flush == "ASYNC_FLUSH"
    return with_pool_if(fits, BUSY)


def busy_by_logs(logs: LogsFacts | None, heap: HeapFacts | None) -> tuple[Text, ...]:
    """The remedies for a broker of logs or of brokerStatus, with its dump where there is one."""
    return with_pool_if(pool_fits(logs, heap), BUSY)


def with_pool_if(fits: bool, remedy: tuple[Text, ...]) -> tuple[Text, ...]:
    """The remedies, with the transient store pool only where it fits."""
    return tuple(line for line in remedy if fits or line != POOL_IF_ASYNC_MASTER)


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
