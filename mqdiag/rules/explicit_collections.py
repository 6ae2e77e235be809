"""Code asks for a collection of the whole heap again and again."""

from __future__ import annotations

from datetime import timedelta

from mqdiag.facts import Facts
from mqdiag.facts.collector_logs import GcFacts
from mqdiag.facts.recordings import Recording
from mqdiag.facts.stacks import CollectionCalls
from mqdiag.findings import Confidence
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.standstill import short_frame
from mqdiag.time_ranges import between

RULE = Rule("explicit-collections")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Findings:
    """One finding for each log of a collector; thread dumps beside a single one show who asks."""
    assert facts.logs is not None
    logs = facts.logs.gc
    calls = None if facts.stacks is None or len(logs) > 1 else facts.stacks.collection_calls
    for gc in logs:
        share = _share(gc)
        if _is_too_much(gc, limits):
            yield RULE.case(
                "direct-memory" if calls is not None and _for_direct_memory(calls) else "asked-in-log",
                gc,
                calls,
                evidence={"pause_share": share},
                words={"frame": None if calls is None else short_frame(calls.frame), "no_times": share is None},
                confidence=Confidence.HIGH if share is not None else None,
                when=between(gc.worst_at, None, longer_by=timedelta(minutes=1)),
                weight=share or 0.0,
            )
        elif gc.asked and share is not None:
            yield RULE.margin("asked", min(share, limits["pause_share"]), limits["pause_share"], path=gc.path)


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Findings:
    """At most one finding, where no log shows what the calls cost."""
    assert facts.stacks is not None
    calls = facts.stacks.collection_calls
    if calls is None or (facts.logs is not None and any(_is_too_much(gc, limits) for gc in facts.logs.gc)):
        return
    if calls.samples >= limits["samples"] and calls.samples >= limits["samples_share"] * facts.stacks.samples:
        yield RULE.case(
            "direct-memory-in-stacks" if _for_direct_memory(calls) else "asked-in-stacks",
            calls,
            evidence={"all_samples": facts.stacks.samples, "calling": len(calls.threads)},
            words={"frame": short_frame(calls.frame)},
            weight=float(len(calls.threads)),
        )


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """At most one finding of a recording, which shows what the calls cost, and from JDK 17 on who makes them."""
    found = recording.collections
    if found is None or not found.asked or not recording.seconds:
        return
    share = min(found.asked_pause_ms / (1000 * recording.seconds), 1.0)
    if found.asked < limits["asked"] or share < limits["pause_share"]:
        yield RULE.margin(
            "asked", min(share, limits["pause_share"]), limits["pause_share"], path=recording.path
        )
        return
    yield RULE.case(
        "direct-memory-in-recording" if 2 * found.asked_for_direct > found.asked else "asked-in-recording",
        found,
        recording=recording,
        evidence={
            "pause_share": round(share, 4),
            "frame": found.asked_frame,
        },
        words={"frame": short_frame(found.asked_frame), "no_times": False},
        weight=share,
    )


def _share(gc: GcFacts) -> float | None:
    """Share of the log's time in pauses that were asked for."""
    return min(gc.asked_pause_ms / (1000 * gc.seconds), 1.0) if gc.seconds else None


def _is_too_much(gc: GcFacts, limits: Limits) -> bool:
    share = _share(gc)
    return gc.asked >= limits["asked"] and (share is None or share >= limits["pause_share"])


def _for_direct_memory(calls: CollectionCalls) -> bool:
    return 2 * calls.for_direct_memory > calls.sightings
