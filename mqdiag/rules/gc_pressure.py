"""The garbage collector takes the time in which consume threads should work."""

from __future__ import annotations

from mqdiag.facts import StacksFacts
from mqdiag.facts.ratios import ratio
from mqdiag.facts.recordings import Recording
from mqdiag.findings import Severity
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.standstill import frame_shown, short_frame

RULE = Rule("gc-pressure")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """At most one finding, of the JVM; none where no consume thread is at work."""
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
        yield RULE.margin("pauses", share, limits["pause_share"])
        return
    pool = max(pools, key=lambda one: len(one.threads))
    frame, allocated = pool.shared_frame, load.allocated_bytes
    yield RULE.case(
        "most-of-the-time" if most_of_time else "more-than-the-application",
        load,
        pool,
        evidence={
            "pause_share": share,
            "allocated_bytes_per_second": None if allocated is None else round(allocated / load.seconds),
            "frame": frame,
        },
        rows={"frames": () if frame is None else ({"frame": short_frame(frame)},)},
        weight=min(share, 1.0),
    )


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """At most one finding; the events tell each pause, what asked for it, and where objects are made."""
    found = recording.collections
    if found is None or recording.seconds < limits["min_seconds"]:
        return
    too_long = found.pause_share >= limits["recorded_share"]
    if not too_long:
        yield RULE.margin("recorded", found.pause_share, limits["recorded_share"], path=recording.path)
    large = found.humongous or 0
    for_large = large >= max(limits["large_per_second"] * recording.seconds, found.collections / 2)
    if not too_long and not for_large:
        return
    most = recording.allocations[0] if recording.allocations else None
    if most is not None and most.share < limits["allocated_share"]:
        most = None
    heap_share = ratio(found.heap_after_bytes, found.heap_max_bytes)
    yield RULE.case(
        "large-objects" if for_large else "recorded",
        found,
        recording=recording,
        evidence={
            "heap_share": heap_share,
            "frame": None if most is None else most.frame,
            "allocated_class": None if most is None else most.class_name,
            "allocated_share": None if most is None else most.share,
        },
        words={
            "full": (heap_share or 0.0) >= limits["full_share"],
            "frame": None if most is None else frame_shown(most.frame),
        },
        severity=Severity.WARNING if too_long else Severity.INFO,
        weight=found.pause_share,
    )
