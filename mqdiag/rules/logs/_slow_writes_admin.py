"""slow-writes from brokerStatus: putMessageDistributeTime, the write times of one minute."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.put_buckets import puts_of
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._counters import Counters, counters
from mqdiag.rules.registry import Draft, Limits
from mqdiag.text import say


def in_admin(facts: Facts, limits: Limits, remedy: tuple[str, ...]) -> Iterator[Draft]:
    """One finding for each broker."""
    for broker in counters(facts):
        puts = puts_of(broker.status.put_buckets)
        if (
            puts.total >= limits["puts"]
            and puts.from_100_ms >= limits["slow_puts"]
            and puts.from_100_ms / puts.total >= limits["share"]
        ):
            yield _draft(broker, limits, remedy)


def _draft(broker: Counters, limits: Limits, remedy: tuple[str, ...]) -> Draft:
    puts = puts_of(broker.status.put_buckets)
    share = puts.from_100_ms / puts.total
    longest = broker.number("putMessageEntireTimeMax")
    explained = [
        say(
            (
                "brokerStatus: of {puts:count} writes of one minute {from_100_ms:count} took 100 ms or more"
                " ({share:percent}), {from_1_s:count} a second or more (putMessageDistributeTime)."
            ),
            puts=puts.total,
            from_100_ms=puts.from_100_ms,
            share=share,
            from_1_s=puts.from_1_s,
        )
    ]
    if longest is not None:
        explained.append(
            say(
                "The longest since its start took {longest:count} ms (putMessageEntireTimeMax).",
                longest=longest,
            )
        )
    return Draft(
        severity=Severity.ERROR if share >= limits["error_share"] else Severity.WARNING,
        cause="slow-writes",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("brokerStatus has one minute only; store.log has all of them"),
        title=say(
            "The broker writes slowly: {from_100_ms:count} of {puts:count} writes took 100 ms or more",
            from_100_ms=puts.from_100_ms,
            puts=puts.total,
        ),
        subject=broker.subject,
        evidence={
            "puts": puts.total,
            "from_10_ms": puts.from_10_ms,
            "from_100_ms": puts.from_100_ms,
            "from_1_s": puts.from_1_s,
            "share": round(share, 6),
            "longest_ms": longest,
        },
        explanation=tuple(explained),
        remedy=remedy,
        when=broker.when,
        weight=share,
    )
