from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.servers import ProxyPool
from tests.rules.examples.proxy import example


def _facts(waiting: int) -> Facts:
    pool = ProxyPool(
        name="GrpcProducerThreadPool",
        threads=2,
        active=2,
        in_wait=2,
        waiting=waiting,
        frames=("org.apache.rocketmq.store.PutMessageReentrantLock.lock(PutMessageReentrantLock.java:29)",),
    )
    return example(pools=(pool,))


def fires() -> Facts:
    """Two threads, and 222 requests wait for them."""
    return _facts(222)


def silent() -> Facts:
    """Two threads, and 12 requests that came at once."""
    return _facts(12)
