"""The container's limit of processor time stops the JVM again and again."""

from __future__ import annotations

from mqdiag.facts.ratios import ratio
from mqdiag.facts.recordings import Recording
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.time_ranges import between

RULE = Rule("container-throttled")


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """At most one finding of a recording."""
    found = recording.container
    share = None if found is None else ratio(found.throttled_periods, found.periods)
    if found is None or share is None or (found.periods or 0) < limits["periods"]:
        return
    if share < limits["throttled_share"]:
        yield RULE.margin("throttled", share, limits["throttled_share"], path=recording.path)
        return
    yield RULE.case(
        "processor-limit",
        found,
        evidence={
            "path": recording.path,
            "throttled_share": round(share, 4),
            "stopped_share": ratio((found.throttled_ms or 0.0) / 1000, recording.seconds),
            "seconds": recording.seconds,
        },
        rests_on=(recording.path,),
        when=between(recording.began_at, recording.ended_at),
        weight=share,
    )
