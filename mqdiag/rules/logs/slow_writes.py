"""A share of the broker's writes that is too large takes long."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts, PutLatency, PutMinute
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.broker._logs import each_broker, pool_fits
from mqdiag.rules.broker._remedies import POOL_IF_ASYNC_MASTER
from mqdiag.rules.log_events import between, is_set, of_broker, slow_ranges
from mqdiag.rules.logs._slow_writes_admin import in_admin
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say


def _facts(slow: int, puts: int) -> Facts:
    worst = PutMinute(
        at="2026-11-21T20:01:39+08:00", puts=puts, from_10_ms=slow, from_100_ms=slow, from_1_s=slow
    )
    return Facts(
        logs=LogsFacts(
            pagecachert=PutLatency(
                lines=1,
                puts=puts,
                buckets={"<=0ms": puts - slow, "1~2s": slow},
                from_10_ms=slow,
                from_100_ms=slow,
                from_1_s=slow,
                slow_minutes=1,
                worst=worst,
            )
        )
    )


def fires() -> Facts:
    """Of 40,301 writes 232 took a second or more."""
    return _facts(232, 40_301)


def silent() -> Facts:
    """Two of fifty did, at a time with nearly no writes: a share of few says nothing."""
    return _facts(2, 50)


LOOK = say(
    "Look at the disk (iostat -x 1), at memory reclaim and swapping (vmstat 1) and at what else uses them on the"
    " broker's host, at the minutes that the finding names."
)
WAITS = say("With SYNC_FLUSH or a SYNC_MASTER the disk or the slave is in this time; look at both.")
ADD = say("Add brokers, memory or SSDs.")


@rule(
    name="slow-writes",
    title="The broker writes slowly",
    why=(
        "Once a minute the broker logs how long its writes took ([PAGECACHERT] in store.log); mqadmin brokerStatus has"
        " the same of one minute (putMessageDistributeTime). On a sound broker not one of tens of thousands takes"
        " 100 ms. The time is that of the whole put: waiting for the lock, the page cache and, where configured, the"
        " flush and the slave."
    ),
    causes=("slow-writes",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(LOOK, WAITS, ADD, POOL_IF_ASYNC_MASTER),
    references=(
        "article 002: PAGECACHERT as proof that the cluster is sound",
        "StoreStatsService.getPutMessageDistributeTimeStringInfo",
    ),
    any_of=("logs", "admin"),
    limits={"puts": 100, "slow_puts": 10, "share": 0.001, "error_share": 0.01},
    explained_by=("transient-pool-exhausted", "slave-behind:slow-slave"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each broker of the logs or of brokerStatus; it takes counts, not only a share."""
    for own in each_broker(facts):
        yield from _of_one(own, limits)
    fitting = tuple(line for line in check.card.remedy if line != POOL_IF_ASYNC_MASTER or pool_fits(facts))
    yield from in_admin(facts, limits, fitting)


def _of_one(facts: Facts, limits: Limits) -> Iterator[Draft]:
    logs = facts.logs
    assert logs is not None
    put = logs.pagecachert
    if put is None or put.puts < limits["puts"] or put.from_100_ms < limits["slow_puts"]:
        return
    share = put.from_100_ms / put.puts
    if share < limits["share"]:
        return
    worst = put.worst
    explained = [
        say(
            (
                "{from_100_ms:count} of {puts:count} writes took 100 ms or more ({share:percent}),"
                " {from_1_s:count} a second or more, {between} (PAGECACHERT)."
            ),
            from_100_ms=put.from_100_ms,
            puts=put.puts,
            share=share,
            from_1_s=put.from_1_s,
            between=between(put.first, put.last),
        )
    ]
    if worst is not None:
        explained.append(
            say(
                "The worst was the minute before {at}: {from_100_ms:count} of {puts:count}.",
                at=worst.at or say("an unknown time"),
                from_100_ms=worst.from_100_ms,
                puts=worst.puts,
            )
        )
    waits = [
        name
        for name, setting in (("SYNC_FLUSH", "flushDiskType"), ("SYNC_MASTER", "brokerRole"))
        if is_set(logs, setting, name)
    ]
    if waits:
        explained.append(
            say("The broker is {waits}: the wait for that is in the time.", waits=say(" and ").join(waits))
        )
    yield Draft(
        severity=Severity.ERROR if share >= limits["error_share"] else Severity.WARNING,
        cause="slow-writes",
        confidence=Confidence.HIGH,
        title=say(
            "The broker writes slowly: {from_100_ms:count} of {puts:count} writes took 100 ms or more",
            from_100_ms=put.from_100_ms,
            puts=put.puts,
        ),
        subject=of_broker(logs),
        evidence={
            "puts": put.puts,
            "from_10_ms": put.from_10_ms,
            "from_100_ms": put.from_100_ms,
            "from_1_s": put.from_1_s,
            "share": round(share, 6),
            "slow_minutes": put.slow_minutes,
            "minutes": put.lines,
            "worst_at": None if worst is None else worst.at,
        },
        explanation=tuple(explained),
        remedy=tuple(line for line in check.card.remedy if line != POOL_IF_ASYNC_MASTER or pool_fits(facts)),
        when=slow_ranges(put),
        weight=share,
    )
