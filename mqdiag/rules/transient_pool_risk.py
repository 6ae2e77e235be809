"""Messages that only off-heap buffers hold."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.broker import BrokerFacts
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said
from mqdiag.rules.shared.brokers import subject

RULE = Rule("transient-pool-risk")


@RULE.brokers
def in_heap(broker: BrokerFacts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker with bytes that are not committed."""
    pool, log = broker.transient_store_pool, broker.commit_log
    if pool is not None and pool.in_force and log is not None and log.uncommitted_bytes:
        yield RULE.case("transient-store-pool", log, pool, subject=subject(broker))
