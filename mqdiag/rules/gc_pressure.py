"""The garbage collector takes the time in which consume threads should work."""

from __future__ import annotations

from mqdiag.facts import StacksFacts
from mqdiag.facts.ratios import ratio
from mqdiag.facts.recordings import Recording
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.standstill import short_frame
from mqdiag.time_ranges import between

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
    """At most one finding; the events tell each pause."""
    found = recording.collections
    if found is None or not recording.budgets or recording.seconds < limits["min_seconds"]:
        return
    if found.pause_share < limits["recorded_share"]:
        yield RULE.margin("recorded", found.pause_share, limits["recorded_share"], path=recording.path)
        return
    yield RULE.case(
        "recorded",
        found,
        recording,
        evidence={"path": recording.path, "heap_share": ratio(found.heap_after_bytes, found.heap_max_bytes)},
        words={"full": (ratio(found.heap_after_bytes, found.heap_max_bytes) or 0.0) >= limits["full_share"]},
        rests_on=(recording.path,),
        when=between(recording.began_at, recording.ended_at),
        weight=found.pause_share,
    )
