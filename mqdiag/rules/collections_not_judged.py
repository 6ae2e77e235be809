"""A GC log shows a heap that may be full, and too little of it to say so."""

from __future__ import annotations

from mqdiag.facts.collector_logs import GcFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.ratios import ratio
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("collections-not-judged")


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding, for the first GC log of a heap that seems to be full, or of a JVM that stands in collections."""
    for gc in logs.gc:
        case = _case(gc, limits)
        if case is not None:
            evidence = {
                "pause_share": _paused(gc),
                "worst_minute_share": max(_paused(gc), gc.worst_share or 0.0),
            }
            yield RULE.case(case, gc, evidence=evidence, rests_on=(gc.path,))
            return
    unread = next((file for file in logs.files if file.kind == "gc"), None)
    if unread is not None and not logs.gc and not logs.safepoints:
        yield RULE.case(
            "nothing-read", evidence={"path": unread.path, "lines": unread.lines}, rests_on=(unread.path,)
        )


def _case(gc: GcFacts, limits: Limits) -> str | None:
    if _ends_in_pauses(gc, limits):
        return "log-too-short"
    if (gc.used_share or 0.0) >= limits["filled_share"]:
        return "full-at-end"
    if gc.pause_ms >= limits["seconds_paused"] * 1000:
        if gc.seconds is None:
            return "times-missing"
        if max(_paused(gc), gc.worst_share or 0.0) >= limits["paused_share"]:
            return "long-pauses"
    if _fills(gc, limits):
        return "heap-fills"
    if gc.to_space_exhausted:
        return "room-was-short"
    if gc.allocation_stalls:
        return "threads-waited"
    few = gc.collections < limits["few_collections"] and (gc.used_share or 0.0) >= limits["much_share"]
    if few or _has_one_of_few(gc, limits) or (gc.seconds is not None and gc.seconds < limits["moment_seconds"]):
        return "a-moment"
    return None


def _paused(gc: GcFacts) -> float:
    """The share of the log's time in pauses; collections that somebody asks for stop the JVM as long as others."""
    return 0.0 if gc.seconds is None else min(ratio(gc.pause_ms / 1000, gc.seconds) or 0.0, 1.0)


def _ends_in_pauses(gc: GcFacts, limits: Limits) -> bool:
    if gc.seconds is None or gc.seconds >= limits["short_log_seconds"]:
        return False
    used = ratio(gc.heap_after_bytes, gc.heap_bytes) or 0.0
    futile = gc.open_run is not None and bool(gc.open_run.for_room)
    return futile or (_paused(gc) >= limits["paused_share"] and used >= limits["full_share"])


def _has_one_of_few(gc: GcFacts, limits: Limits) -> bool:
    """Whether one of few collections of a short log is a full one for want of room: does that go on?"""
    is_short = gc.seconds is None or gc.seconds < limits["short_log_seconds"]
    return is_short and gc.full_for_room > 0 and gc.collections < limits["few_with_full"]


def _fills(gc: GcFacts, limits: Limits) -> bool:
    return (
        gc.seconds is not None
        and gc.seconds < limits["short_log_seconds"]
        and gc.seconds_to_full is not None
        and gc.seconds_to_full < limits["seconds_to_full"]
        and (gc.used_share or 0.0) >= limits["grown_share"]
    )
