"""transient-pool-exhausted from the broker's heap: the broker's own test, and where the buffers are."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.broker import BrokerFacts, TransientStorePoolFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._brokers import brokers, called, subject
from mqdiag.rules.broker._remedies import POOL_EMPTY, POOL_NOT_FILLED
from mqdiag.rules.registry import Draft, Skip
from mqdiag.text import say


def in_heap(facts: Facts) -> Iterator[Draft | Skip]:
    """One finding for each broker whose pool is in force and has no buffer left."""
    for broker in brokers(facts):
        if isinstance(broker, Skip):
            yield broker
            continue
        pool = broker.transient_store_pool
        if pool is None or not pool.in_force or pool.available_buffers != 0:
            continue
        yield _empty(broker, pool) if pool.buffers_in_use else _never_filled(broker, pool)


def _evidence(broker: BrokerFacts, pool: TransientStorePoolFacts) -> dict[str, int | str | None]:
    log = broker.commit_log
    return {
        "available_buffers": 0,
        "pool_size": pool.pool_size,
        "buffers_in_use": pool.buffers_in_use,
        "uncommitted_bytes": None if log is None else log.uncommitted_bytes,
        "role": broker.role,
        "flush": broker.flush,
    }


def _empty(broker: BrokerFacts, pool: TransientStorePoolFacts) -> Draft:
    uncommitted = broker.commit_log.uncommitted_bytes if broker.commit_log else None
    waiting = (
        say("; {uncommitted:bytes} wait to be committed", uncommitted=uncommitted)
        if uncommitted is not None
        else ""
    )
    return Draft(
        severity=Severity.ERROR,
        cause="commit-too-slow",
        confidence=Confidence.HIGH,
        title=say(
            "The transient store pool of {called} is empty: every send is refused", called=called(broker)
        ),
        subject=subject(broker),
        evidence=_evidence(broker, pool),
        explanation=(
            say(
                (
                    "No buffer is free; commit log files hold {buffers_in_use:count}{waiting}. With the pool in"
                    " force and empty, senders get [REJECTREQUEST]system busy, however fast the page cache is."
                ),
                buffers_in_use=pool.buffers_in_use,
                waiting=waiting,
            ),
        ),
        remedy=POOL_EMPTY,
        weight=1.0,
    )


def _never_filled(broker: BrokerFacts, pool: TransientStorePoolFacts) -> Draft:
    return Draft(
        severity=Severity.ERROR,
        cause="pool-not-initialised",
        confidence=Confidence.HIGH,
        title=say(
            "The transient store pool of {called} was never filled: every send is refused",
            called=called(broker),
        ),
        subject=subject(broker),
        evidence=_evidence(broker, pool),
        explanation=(
            say(
                "The pool has no buffer, and no commit log file holds one: it was not in force when"
                " the broker started, as for a slave or, up to 4.9.8, with SYNC_FLUSH. Now the broker"
                " is {role} with {flush}, asks the empty pool and refuses every send with"
                " [REJECTREQUEST]system busy.",
                role=broker.role,
                flush=broker.flush,
            ),
        ),
        remedy=POOL_NOT_FILLED,
        weight=1.0,
    )
