"""What helps a busy broker, with the conditions under which it does; the same words in all rules about it."""

from __future__ import annotations

from mqdiag.facts.broker import BrokerFacts
from mqdiag.text import say

SCALE_OUT = say(
    "Add a broker to the cluster: copy config/topics.json (and"
    " config/subscriptionGroup.json) of one that runs to the store folder of the new one"
    " before its first start, so that it has the topics' queues; clients find it by the"
    " route."
)
STRONGER_HOST = say(
    "Or give this host more memory and SSDs; look at iostat -x 1, and for swapping and"
    " memory reclaim at vmstat 1 (vm.swappiness, vm.min_free_kbytes)."
)
NOT_THESE = say(
    "Do not raise osPageCacheBusyTimeOutMills or sendThreadPoolQueueCapacity and do not"
    " switch brokerFastFailureEnable off: they hide the error and make senders wait."
)
POOL_IF_ASYNC_MASTER = say(
    "For an ASYNC_FLUSH master transientStorePoolEnable=true (restart needed) takes the"
    " appends off the page cache; the price: what is not committed yet is lost if the JVM"
    " dies."
)
LIMIT_BACK = say(
    "Set osPageCacheBusyTimeOutMills back to 1,000, the default: below it a broker in order calls itself busy."
)
BUSY = (SCALE_OUT, STRONGER_HOST, POOL_IF_ASYNC_MASTER, NOT_THESE)
"""of a page cache that is too slow, for a rule's card"""


def busy(broker: BrokerFacts) -> tuple[str, ...]:
    """The same for one broker: the pool only where it would work and is not on already."""
    pool = broker.transient_store_pool
    possible = broker.role != "SLAVE" and broker.flush == "ASYNC_FLUSH"
    fits = pool is not None and not pool.enabled and possible
    return tuple(line for line in BUSY if fits or line is not POOL_IF_ASYNC_MASTER)


POOL_EMPTY = (
    say("Look at the disk (iostat -x 1): buffers come back when their file is committed to the page cache."),
    SCALE_OUT,
    say(
        "A larger transientStorePoolSize (each buffer takes one commit log file of direct"
        " memory, 1 GiB by default) bridges peaks only."
    ),
)
POOL_NOT_FILLED = (
    say(
        "Restart the broker in its present role: the pool is filled at the start, when role and flush type fit."
    ),
    say("Or set transientStorePoolEnable=false: it serves only an ASYNC_FLUSH master."),
)

SEND_THREADS = say(
    "sendMessageThreadPoolNums is 1 by default from 4.0.0 to 4.9.0; more threads need"
    " useReentrantLockWhenPutMessage=true, or they spin on the put lock."
)
TIMEOUTS = (
    say(
        "Look at the broker's collections (GC log), its CPU and, with SYNC_FLUSH or a"
        " SYNC_MASTER, at disk and slave: the page cache need not be slow."
    ),
    SEND_THREADS,
    say("waitTimeMillsInSendQueue may be raised to some hundred ms where short pauses are known and accepted."),
)
PAGE_CACHE_FIRST = say(
    "Cure the page cache first: these sends wait behind its writes, and neither more send threads nor a longer"
    " waitTimeMillsInSendQueue makes those faster."
)

SLAVE_BEHIND = (
    say("Look at the slave's disk, at the network between the two and at haTransferBatchSize."),
    say("Do not make the slave a master while it is behind: what it lacks would be lost."),
)
SLAVE_AHEAD = (
    say(
        "Before any restart copy the slave's store (commitlog, consumequeue, config) to a"
        " safe place: it holds messages that the master has lost."
    ),
    say(
        "Compare the consumers' offsets with the master's queues: offsets beyond their end"
        " are reset, to 0 by brokers up to 4.9.3."
    ),
)
