"""The garbage collector takes the time in which consume threads should work."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import CollectorLoad
from mqdiag.findings import Confidence, Margin, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consume_pools import BUSY
from mqdiag.rules.shared.standstill import short_frame
from mqdiag.text import NOTHING, Text, say

RULE = Rule(
    name="gc-pressure",
    title="The garbage collector slows the consume threads",
    why=(
        "In a pause no thread of the application runs. If the heap is nearly full, or listeners make very many objects,"
        " one pause follows another: each message takes long, although the listener itself does little."
    ),
    causes=("garbage-collection",),
    severities=(Severity.WARNING,),
    remedy=(
        "Tell a full heap from fast allocation by the log of the collector (-Xlog:gc*): full collections that free"
        " little mean a full heap. Then take a heap dump, and give it to mqdiag heap.",
        "If collections free much, make fewer objects in the listener: reuse buffers, read in parts, and log less. A"
        " larger young generation (-Xmn, -XX:NewSize) makes pauses rarer.",
    ),
    references=("jstack, JDK 11 and later: cpu= of the threads of the JVM itself (JDK-8200720)",),
    limits={"pause_share": 0.5, "least_share": 0.1, "min_seconds": 5.0},
    lies_at="any",
    in_chain=say("the collector takes the time"),
)


def _facts(cpu_ms: float) -> Facts:
    load = CollectorLoad(thread="GC Thread#0", collector_cpu_ms=cpu_ms, others_cpu_ms=9_000.0, seconds=10.0)
    return Facts(
        stacks=StacksFacts(samples=5, seconds=10.0, judged=True, has_cpu=True, pools=(BUSY,), collector=load)
    )


def fires() -> Facts:
    """Pauses for 6 of 10 seconds."""
    return _facts(6_000.0)


def silent() -> Facts:
    """For 4 seconds, while the application used 9 s of processor time."""
    return _facts(4_000.0)


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """At most one finding, of the JVM; none where no consume thread is at work."""
    stacks = facts.stacks
    assert stacks is not None
    load = stacks.collector
    pools = [pool for pool in stacks.pools if pool.role == "consume-worker" and any(pool.busy)]
    # in a shorter series one pause is a large share
    if load is None or not pools or load.seconds < limits["min_seconds"]:
        return
    share = load.collector_cpu_ms / (1000 * load.seconds)
    most_of_time = share >= limits["pause_share"]
    # on a machine that is short of processors even a collector that always works gets a part of the time only
    more_than_others = share >= limits["least_share"] and load.collector_cpu_ms > load.others_cpu_ms
    if not most_of_time and not more_than_others:
        label = say("pauses of the collector over the samples")
        yield Margin(rule="", label=label, value=share, limit=limits["pause_share"], kind="percent")
        return
    pool = max(pools, key=lambda one: len(one.threads))
    rate = None if load.allocated_bytes is None else round(load.allocated_bytes / load.seconds)
    yield Draft(
        severity=Severity.WARNING,
        cause="garbage-collection",
        confidence=Confidence.HIGH if most_of_time else Confidence.MEDIUM,
        confidence_reason=NOTHING
        if most_of_time
        else say(
            "the collector got {pause_share:percent} of the time only; other processes may use the processors"
        ),
        title=_title(most_of_time=most_of_time),
        evidence={
            "thread": load.thread,
            "collector_cpu_ms": load.collector_cpu_ms,
            "others_cpu_ms": load.others_cpu_ms,
            "seconds": load.seconds,
            "pause_share": share,
            "allocated_bytes_per_second": rate,
            "frame": pool.shared_frame,
            "pool": pool.pool,
        },
        explanation=tuple(_explanation(rate, pool.shared_frame)),
        remedy=RULE.remedy,
        weight=min(share, 1.0),
    )


def _title(*, most_of_time: bool) -> Text:
    if most_of_time:
        return say("The collector stops the application for at least {pause_share:percent} of the time")
    return say("The collector uses more processor time than all threads of the application together")


def _explanation(rate: int | None, frame: str | None) -> Iterator[Text]:
    yield say(
        "Over {seconds:seconds}, {thread} used {collector_cpu_ms:ms} of processor time in pauses, and the threads of"
        " the application used {others_cpu_ms:ms} together."
    )
    if rate is not None:
        yield say("The consume threads make {allocated_bytes_per_second:bytes} of new objects a second.")
    if frame is not None:
        yield say("Consume threads of {pool} are most often at {frame}.", frame=short_frame(frame))
