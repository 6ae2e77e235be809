"""The container's limit of processor time stops the JVM again and again."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.ratios import ratio
from mqdiag.facts.recordings import Recording
from mqdiag.facts.resources import ProcessResources
from mqdiag.findings import Severity
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
        recording=recording,
        evidence={
            "throttled_share": round(share, 4),
            "stopped_share": ratio((found.throttled_ms or 0.0) / 1000, recording.seconds),
        },
        weight=share,
    )


@RULE.sees("resources")
def in_resources(facts: Facts, limits: Limits) -> Findings:
    """One finding for each process whose control group was stopped in many periods."""
    assert facts.resources is not None
    for one in facts.resources.processes:
        numbers = _periods(one)
        if numbers is None:
            yield RULE.skip("periods-unknown")
            continue
        periods, throttled, throttled_ms, over = numbers
        share = throttled / periods if periods else 0.0
        if periods < limits["periods"] or share < limits["throttled_share"]:
            yield RULE.margin(
                "throttled",
                min(share, limits["throttled_share"]),
                limits["throttled_share"],
                path=one.last.path,
            )
            continue
        processors = one.last.processors
        yield RULE.case(
            "group-limit",
            evidence={
                "path": one.last.path,
                "periods": periods,
                "throttled_periods": throttled,
                "throttled_share": share,
                "throttled_ms": throttled_ms,
                "processors": processors,
            },
            words={"over": RULE.word(over), "limit": None if processors is None else f"{processors:g}"},
            severity=Severity.ERROR if share >= limits["most_share"] else None,
            cause="processor-limit",
            rests_on=(one.first.path, one.last.path),
            when=between(one.at, one.at),
            weight=share,
        )


def _periods(one: ProcessResources) -> tuple[int, int, float | None, str] | None:
    """Periods, throttled ones and milliseconds: of the time of the capture, else since the group was made."""
    first, last = one.first, one.last
    if last.periods is None or last.throttled_periods is None:
        return None
    if (
        first is not last
        and first.periods is not None
        and first.throttled_periods is not None
        and last.periods - first.periods > 0
        and last.throttled_periods - first.throttled_periods >= 0
    ):
        spent = None
        if first.throttled_ms is not None and last.throttled_ms is not None:
            spent = last.throttled_ms - first.throttled_ms
        return (
            last.periods - first.periods,
            last.throttled_periods - first.throttled_periods,
            spent,
            "meanwhile",
        )
    return last.periods, last.throttled_periods, last.throttled_ms, "since_start"
