"""The JVM collects garbage most of the time and frees little."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from mqdiag.facts import Facts
from mqdiag.facts.logs import GcFacts, GcRun, LogsFacts
from mqdiag.findings import Confidence, EvidenceValue, Margin, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import between

RULE = Rule(
    name="gc-thrashing",
    title="The JVM spends most of its time in collections that free little",
    why=(
        "A full heap is collected again and again while the application waits. Consumers miss heartbeats and"
        " rebalance, senders time out. In the end the JVM throws an OutOfMemoryError, or the process continues very"
        " slowly."
    ),
    causes=("heap-full",),
    severities=(Severity.WARNING,),
    remedy=(
        "Take a heap dump now and look at what holds the heap: jcmd PID GC.heap_dump FILE, then mqdiag heap FILE.",
        "For a consumer lower pullThresholdForQueue and pullThresholdSizeForQueue; more heap only delays the problem.",
    ),
    references=("article 000: a consumer runs out of memory", "-XX:GCTimeLimit, -XX:GCHeapFreeLimit"),
    limits={
        "full": 10,
        "full_for_room": 3,
        "pause_seconds": 5,
        "pause_share": 0.5,
        "seconds": 1,
        "stalls": 3,
        "old_filled": 2,
    },
    explained_by=("consumer-cache-exceeds-heap", "messages-outside-queues", "heap-held-by-application"),
    lies_at="any",
    in_chain=say("the JVM spends its time in collections"),
)


MINUTE_S = 60


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


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each GC log."""
    logs = facts.logs
    assert logs is not None
    thrashing = [(gc, run) for gc in logs.gc if (run := _thrashing_run(gc, limits)) is not None]
    filled = [gc for gc in logs.gc if _is_filled(gc, limits) and all(gc is not one for one, _ in thrashing)]
    several = len(logs.gc) > 1
    for gc, run in thrashing:
        whole = _is_thrashing(run, limits)
        yield _draft(gc, run, _numbers_of_all(thrashing) if several else {}, several=several, whole=whole)
    for gc in filled:
        yield _filled(gc)
    if thrashing or filled:
        return
    for gc in logs.gc:
        if gc.worst_share is not None and gc.worst_share < limits["pause_share"]:
            label = (
                say("pauses in the {seconds:seconds} of {path}", seconds=gc.seconds, path=gc.path)
                if gc.seconds is not None and gc.seconds < MINUTE_S
                else say("pauses in the worst minute of {path}", path=gc.path)
            )
            yield Margin(
                rule="", label=label, value=gc.worst_share, limit=limits["pause_share"], kind="percent"
            )


def _thrashing_run(gc: GcFacts, limits: Limits) -> GcRun | None:
    if gc.futile_run is not None and _is_thrashing(gc.futile_run, limits):
        return gc.futile_run
    # The log ends in it, so that nobody knows how long it took: many of them that nobody asked for are enough.
    run = gc.open_run
    if run is None or (run.for_room or 0) < limits["full"] or run.pause_share < limits["pause_share"]:
        return None
    return run


def _is_thrashing(run: GcRun, limits: Limits) -> bool:
    """Many of them, or some that take so long that no others are needed; somebody may ask for some in a row."""
    for_room = run.for_room or 0
    paused_s = run.pause_share * run.seconds
    many = run.full >= limits["full"]
    long = for_room >= limits["full_for_room"] and paused_s >= limits["pause_seconds"]
    return (many or long) and run.pause_share >= limits["pause_share"] and run.seconds >= limits["seconds"]


def _is_filled(gc: GcFacts, limits: Limits) -> bool:
    """The last collections left no room: with the next allocations the heap is full, however short the pauses are."""
    waited = gc.full > 0 or gc.allocation_stalls >= limits["stalls"]
    # What survives the next collection goes to the old generation: with no room there, the JVM stands in the next one.
    return (gc.filled >= limits["full_for_room"] and waited) or gc.old_filled >= limits["old_filled"]


def _filled(gc: GcFacts) -> Draft:
    explained = [
        say("{path}: {collections:count} {collections:collection|collections}, {full:count} of them full."),
        say("What they left is alive: the next allocations have to wait for the next of them, or fail."),
    ]
    if gc.allocation_stalls:
        explained.append(say("{stalls:count} {stalls:time|times} a thread had to wait for memory."))
    return Draft(
        severity=Severity.WARNING,
        cause="heap-full",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("the log ends in them"),
        title=say("The last {old_filled:count} full collections of {path} left the old generation full")
        if gc.old_filled
        else say("The last {filled:count} collections of {path} left {used_share:percent} of the heap in use"),
        subject=Subject(),
        evidence={
            "path": gc.path,
            "collections": gc.collections,
            "full": gc.full,
            "filled": gc.filled,
            "old_filled": gc.old_filled or None,
            "used_share": gc.used_share,
            "stalls": gc.allocation_stalls,
            "heap_bytes": gc.heap_bytes,
            "heap_after_bytes": gc.heap_after_bytes,
        },
        explanation=tuple(explained),
        remedy=RULE.remedy,
        weight=gc.used_share or 0.0,
    )


def _numbers_of_all(thrashing: list[tuple[GcFacts, GcRun]]) -> dict[str, EvidenceValue]:
    """The numbers of all logs: their findings have no subject and are shown as one."""
    return {
        "full_by_log": tuple(run.full for _, run in thrashing),
        "seconds_by_log": tuple(run.seconds for _, run in thrashing),
        "pause_share_by_log": tuple(run.pause_share for _, run in thrashing),
        "freed_share_by_log": tuple(run.freed_share for _, run in thrashing),
        "heap_bytes_by_log": tuple(gc.heap_bytes for gc, _ in thrashing if gc.heap_bytes is not None),
        "heap_after_bytes_by_log": tuple(
            gc.heap_after_bytes for gc, _ in thrashing if gc.heap_after_bytes is not None
        ),
    }


def _draft(gc: GcFacts, run: GcRun, of_all: dict[str, EvidenceValue], *, several: bool, whole: bool) -> Draft:
    fills_old = run.old_full == run.full
    explained = [_run_told(run, fills_old=fills_old)]
    if gc.heap_bytes is not None and gc.heap_after_bytes is not None:
        explained.append(
            say("After the last full collection {heap_after_bytes:bytes} of {heap_bytes:bytes} were in use.")
        )
    title = (
        say(
            "The JVM spent {pause_share:percent} of {seconds:seconds} in {full:count} full collections that left the"
            " old generation full"
        )
        if fills_old
        else say(
            "The JVM spent {pause_share:percent} of {seconds:seconds} in {full:count} full collections that freed"
            " {freed_share:percent} of the heap each"
        )
    )
    return Draft(
        severity=Severity.WARNING,
        cause="heap-full",
        confidence=Confidence.HIGH if whole else Confidence.MEDIUM,
        confidence_reason=NOTHING if whole else say("the log ends in them"),
        title=_of_log(title) if several else title,
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
            **of_all,
        },
        explanation=tuple(_of_log(line) for line in explained) if several else tuple(explained),
        remedy=RULE.remedy,
        when=between(run.at, None, longer_by=timedelta(seconds=run.seconds)),
        weight=run.pause_share,
    )


def _run_told(run: GcRun, *, fills_old: bool) -> Text:
    if fills_old:
        return say(
            "{full:count} full {full:collection|collections} in {seconds:seconds}: {pause_share:percent} of that time"
            " went into pauses, and after each the old generation was full."
        )
    if run.at:
        return say(
            "{full:count} full {full:collection|collections} in {seconds:seconds} from {at:time} on:"
            " {pause_share:percent} of that time went into pauses, and each freed {freed_share:percent} of the heap on"
            " average."
        )
    return say(
        "{full:count} full {full:collection|collections} in {seconds:seconds}: {pause_share:percent} of that time went"
        " into pauses, and each freed {freed_share:percent} of the heap on average."
    )


def _of_log(sentence: Text) -> Text:
    """Several logs are of several JVMs, so each sentence names its log."""
    return say("{path}: {sentence}", sentence=sentence)
