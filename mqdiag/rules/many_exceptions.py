"""The JVM makes very many exceptions."""

from __future__ import annotations

from mqdiag.facts.ratios import ratio
from mqdiag.facts.recordings import Recording
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.standstill import frame_shown

RULE = Rule("many-exceptions")


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """At most one finding of a recording, with the class that was made most often where it is known."""
    per_second = recording.thrown_per_second
    if per_second is None or recording.seconds < limits["least_seconds"]:
        return
    if per_second < limits["per_second"]:
        yield RULE.margin("made", round(per_second), limits["per_second"], path=recording.path)
        return
    top = recording.errors[0] if recording.exceptions_recorded and recording.errors else None
    recorded = sum(one.count for one in recording.errors)
    yield RULE.case(
        "unknown-class" if top is None else "recorded",
        top,
        recording=recording,
        subject=Subject(thread=None if top is None else top.thread),
        evidence={
            "thrown": recording.thrown,
            "per_second": per_second,
            "class_share": None if top is None else ratio(top.count, recorded),
        },
        words={"frame": None if top is None else frame_shown(top.frame)},
        weight=0.1,
    )
