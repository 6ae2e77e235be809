"""page-cache-busy from brokerStatus: for how long the commit log's lock has been held."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._counters import ONE_MOMENT, counters
from mqdiag.rules.broker._page_cache_busy_heap import DEFAULT_LIMIT_MS, FORGIVEN_MS
from mqdiag.rules.broker._remedies import BUSY
from mqdiag.rules.registry import Draft, Limits
from mqdiag.text import say


def in_admin(facts: Facts, limits: Limits) -> Iterator[Draft]:
    """One finding for each broker."""
    for broker in counters(facts):
        held = broker.number("pageCacheLockTimeMills")
        if held is None or not limits["slow_ms"] <= held < FORGIVEN_MS:
            continue
        refuses = held > DEFAULT_LIMIT_MS
        yield Draft(
            severity=Severity.ERROR if refuses else Severity.WARNING,
            cause="page-cache-busy",
            confidence=Confidence.MEDIUM,
            confidence_reason=str(ONE_MOMENT),
            title=say("A message has been appended for {held:ms} on {broker}", held=held, broker=broker.called),
            subject=broker.subject,
            when=broker.when,
            evidence={"page_cache_lock_ms": held, "limit_ms": DEFAULT_LIMIT_MS},
            explanation=(
                say(
                    (
                        "brokerStatus: pageCacheLockTimeMills {held:count}; beyond osPageCacheBusyTimeOutMills, by"
                        " default {limit:count} ms, the broker refuses all sends."
                    ),
                    held=held,
                    limit=DEFAULT_LIMIT_MS,
                ),
            ),
            remedy=BUSY,
        )
