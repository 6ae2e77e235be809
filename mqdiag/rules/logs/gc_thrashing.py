"""The JVM collects garbage most of the time and frees little."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from mqdiag.facts import Facts
from mqdiag.facts.logs import GcFacts, GcRun, LogsFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say
from mqdiag.time_ranges import between


def _facts(share: float) -> Facts:
    run = GcRun(at="2026-11-21T12:00:00+08:00", seconds=40.0, full=120, pause_share=share, freed_share=0.004)
    gc = GcFacts(
        path="gc.log",
        format="unified",
        collections=400,
        full=130,
        pause_ms=39_000.0,
        longest_pause_ms=410.0,
        futile_run=run,
        heap_bytes=512 << 20,
        heap_after_bytes=509 << 20,
    )
    return Facts(logs=LogsFacts(gc=(gc,)))


def fires() -> Facts:
    """For 40 seconds, 97 % of the time, each full collection freed less than half a per cent."""
    return _facts(0.97)


def silent() -> Facts:
    """Full collections that free little but come rarely."""
    return _facts(0.05)


@rule(
    name="gc-thrashing",
    title="The JVM spends most of its time in collections that free little",
    why=(
        "A full heap is collected again and again while the application stands still: consumers miss heartbeats and"
        " rebalance, senders time out, and at the end comes an OutOfMemoryError, or it does not and the process just"
        " crawls."
    ),
    causes=("heap-full",),
    severities=(Severity.WARNING,),
    remedy=(
        "Take a heap dump now and see who holds the heap: jcmd PID GC.heap_dump FILE, then mqdiag heap FILE.",
        "For a consumer lower pullThresholdForQueue and pullThresholdSizeForQueue; more heap only bridges it.",
    ),
    references=("article 000: a consumer runs out of memory", "-XX:GCTimeLimit, -XX:GCHeapFreeLimit"),
    needs=("logs",),
    limits={"full": 10, "pause_share": 0.5, "seconds": 1},
    explained_by=("consumer-cache-exceeds-heap", "messages-outside-queues", "heap-held-by-application"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each GC log."""
    logs = facts.logs
    assert logs is not None
    for gc in logs.gc:
        run = gc.futile_run
        if (
            run is not None
            and run.full >= limits["full"]
            and run.pause_share >= limits["pause_share"]
            and run.seconds >= limits["seconds"]
        ):
            yield _draft(gc, run, named=len(logs.gc) > 1)


def _draft(gc: GcFacts, run: GcRun, *, named: bool) -> Draft:
    """Several logs are several JVMs: each sentence says of which it is."""
    whose = f"{gc.path}: " if named else ""
    explained = [
        whose
        + say("{full:count} full collections in {seconds:ms}", full=run.full, seconds=run.seconds * 1000)
        + (say(", at {at}", at=run.at) if run.at else "")
        + say(
            (
                ": {pause_share:percent} of that time went into pauses, and each freed"
                " {freed_share:percent} of the heap on average."
            ),
            pause_share=run.pause_share,
            freed_share=run.freed_share,
        )
    ]
    if gc.heap_bytes is not None and gc.heap_after_bytes is not None:
        explained.append(
            whose
            + say(
                "After the last full collection {heap_after_bytes:bytes} of {heap_bytes:bytes} were in use.",
                heap_after_bytes=gc.heap_after_bytes,
                heap_bytes=gc.heap_bytes,
            )
        )
    return Draft(
        severity=Severity.WARNING,
        cause="heap-full",
        confidence=Confidence.HIGH,
        title=(
            say(
                (
                    "The JVM spent {pause_share:percent} of {seconds:ms} in {full:count} full collections that"
                    " freed {freed_share:percent} of the heap each"
                ),
                pause_share=run.pause_share,
                seconds=run.seconds * 1000,
                full=run.full,
                freed_share=run.freed_share,
            )
        ),
        subject=Subject(),
        evidence={
            "path": gc.path,
            "full": run.full,
            "seconds": run.seconds,
            "pause_share": run.pause_share,
            "freed_share": run.freed_share,
            "heap_bytes": gc.heap_bytes,
            "heap_after_bytes": gc.heap_after_bytes,
            "at": run.at,
        },
        explanation=tuple(explained),
        remedy=check.card.remedy,
        when=between(run.at, None, longer_by=timedelta(seconds=run.seconds)),
        weight=run.pause_share,
    )
