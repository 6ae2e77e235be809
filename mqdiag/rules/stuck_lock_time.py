"""The commit log's lock time is set although nobody holds the lock."""

from __future__ import annotations

from mqdiag.facts.broker import BrokerFacts
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.brokers import subject
from mqdiag.rules.shared.page_cache import FORGIVEN_MS, limit_ms, refuses

RULE = Rule("stuck-lock-time")


@RULE.brokers
def in_heap(broker: BrokerFacts, limits: Limits) -> Findings:
    """One finding for each broker."""
    lock, age = broker.put_lock, broker.page_cache_lock_ms
    free = lock is not None and lock.held is False and not lock.writers
    if age is not None and free and refuses(broker):
        yield RULE.case(
            "broker-bug",
            broker,
            subject=subject(broker),
            evidence={
                "osPageCacheBusyTimeOutMills": limit_ms(broker),
                "lock_held": False,
                "rejects_for_ms": FORGIVEN_MS - age,
                "broker_version": broker.version or None,
            },
        )
