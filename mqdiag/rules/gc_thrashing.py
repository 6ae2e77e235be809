"""The JVM collects garbage most of the time and frees little."""

from __future__ import annotations

from datetime import timedelta

from msgspec import structs

from mqdiag.facts.collector_logs import GcFacts, GcRun
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Confidence, EvidenceValue
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.time_ranges import between

RULE = Rule("gc-thrashing")
MINUTE_S = 60


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each GC log."""
    thrashing = [(gc, run) for gc in logs.gc if (run := _thrashing_run(gc, limits)) is not None]
    filled = [gc for gc in logs.gc if _is_filled(gc, limits) and all(gc is not one for one, _ in thrashing)]
    for gc, run in thrashing:
        whole = _is_thrashing(run, limits)
        if len(logs.gc) > 1:
            yield _of_log(_thrashes(gc, run, _numbers_of_all(thrashing), whole=whole))
        else:
            yield _thrashes(gc, run, {}, whole=whole)
    for gc in filled:
        yield RULE.case(
            "old-generation-full-at-end" if gc.old_filled else "heap-full-at-end",
            gc,
            evidence={"old_filled": gc.old_filled or None, "stalls": gc.allocation_stalls},
            weight=gc.used_share or 0.0,
        )
    if thrashing or filled:
        return
    for gc in logs.gc:
        if gc.worst_share is not None and gc.worst_share < limits["pause_share"]:
            if gc.seconds is not None and gc.seconds < MINUTE_S:
                yield RULE.margin(
                    "whole-log", gc.worst_share, limits["pause_share"], seconds=gc.seconds, path=gc.path
                )
            else:
                yield RULE.margin("worst-minute", gc.worst_share, limits["pause_share"], path=gc.path)


def _thrashing_run(gc: GcFacts, limits: Limits) -> GcRun | None:
    if gc.futile_run is not None and _is_thrashing(gc.futile_run, limits):
        return gc.futile_run
    # the log ends in it, so that nobody knows how long it took: many of them that nobody asked for are enough
    run = gc.open_run
    if run is None or (run.for_room or 0) < limits["full"] or run.pause_share < limits["pause_share"]:
        return None
    return run


def _is_thrashing(run: GcRun, limits: Limits) -> bool:
    """Many of them, or some that take so long that no others are needed; somebody may ask for some in a row."""
    for_room = run.for_room or 0
    paused_s = run.pause_share * run.seconds
    many = run.full - run.asked >= limits["full"]
    long = for_room >= limits["full_for_room"] and paused_s >= limits["pause_seconds"]
    return (many or long) and run.pause_share >= limits["pause_share"] and run.seconds >= limits["seconds"]


def _is_filled(gc: GcFacts, limits: Limits) -> bool:
    """The last collections left no room: with the next allocations the heap is full, however short the pauses are."""
    waited = gc.full > 0 or gc.allocation_stalls >= limits["stalls"]
    # what survives the next collection goes to the old generation: with no room there, the JVM stands in the next one
    return (gc.filled >= limits["full_for_room"] and waited) or gc.old_filled >= limits["old_filled"]


def _thrashes(gc: GcFacts, run: GcRun, of_all: dict[str, EvidenceValue], *, whole: bool) -> Draft:
    return RULE.case(
        "old-generation-stays-full" if run.old_full == run.full else "little-is-freed",
        run,
        gc,
        evidence=of_all,
        words={"log_ends": not whole},
        confidence=Confidence.HIGH if whole else Confidence.MEDIUM,
        when=between(run.at, None, longer_by=timedelta(seconds=run.seconds)),
        weight=run.pause_share,
    )


def _numbers_of_all(thrashing: list[tuple[GcFacts, GcRun]]) -> dict[str, EvidenceValue]:
    """The numbers of all logs: their findings have no subject and are shown as one."""
    heaps = [(gc.heap_bytes, gc.heap_after_bytes) for gc, _ in thrashing]
    return {
        "full_by_log": tuple(run.full for _, run in thrashing),
        "seconds_by_log": tuple(run.seconds for _, run in thrashing),
        "pause_share_by_log": tuple(run.pause_share for _, run in thrashing),
        "freed_share_by_log": tuple(run.freed_share for _, run in thrashing),
        "heap_bytes_by_log": tuple(size for size, _ in heaps if size is not None),
        "heap_after_bytes_by_log": tuple(after for _, after in heaps if after is not None),
    }


def _of_log(draft: Draft) -> Draft:
    """Several logs are of several JVMs, so each sentence names its log."""
    return structs.replace(
        draft,
        title=RULE.word("of-log", sentence=draft.title),
        explanation=tuple(RULE.word("of-log", sentence=line) for line in draft.explanation),
    )
