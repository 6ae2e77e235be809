"""The clock of a host was put forward or back while its processes ran."""

from __future__ import annotations

from mqdiag.facts import StacksFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.log_events import files_of
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.clock_leaps import leaps
from mqdiag.time_ranges import between

RULE = Rule("clock-jumped")
SUMMER_TIME_S = 3600
"""local times go on or back by it twice a year, while the clock itself does not"""
ZONE_STEP_S = 900
"""zones differ by whole quarters of an hour, and a time without its zone shows another one as a jump"""
MOST_ZONES_S = 26 * 3600
"""what the first and the last zone of the day differ by"""
NEAR_S = 5
MINUTE_MS = 60_000


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for the largest jump of each JVM between two of its thread dumps."""
    for process in {sample.process for sample in stacks.series}:
        own = (sample for sample in stacks.series if sample.process == process)
        jumps = (one for one in own if _is_jump(one.jumped_s, limits) and not _is_zone(one.jumped_s))
        largest = max(jumps, key=lambda sample: abs(sample.jumped_s or 0), default=None)
        if largest is not None:
            at = largest.captured_at or largest.captured_local
            yield _case(largest.jumped_s or 0, at, largest.path)


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each log of a collector whose lines have both times."""
    for row in logs.gc:
        if _is_jump(row.jumped_s, limits) and not _is_zone(row.jumped_s):
            yield _case(row.jumped_s or 0, row.jumped_at, row.path)


@RULE.logs
def in_logs_of_brokers(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each broker whose timer and clock went on by different amounts."""
    for leap in leaps(logs):
        # half of what lies between two registrations: nobody knows when in between the clock was put
        jump_ms = leap.leap_ms - limits["due_s"] * 500
        if _is_jump(jump_ms / 1000, limits):
            yield RULE.case(
                "forward-at-broker",
                events=[leap.event],
                evidence={"jump_ms": round(jump_ms / MINUTE_MS) * MINUTE_MS, "jumped_at": leap.end},
                cause="forward",
                when=between(leap.begin, leap.event.last),
                rests_on=files_of([leap.event]),
            )


def _is_jump(jumped_s: float | None, limits: Limits) -> bool:
    size = abs(jumped_s or 0)
    return size >= limits["jump_s"] and abs(size - SUMMER_TIME_S) > NEAR_S


def _is_zone(jumped_s: float | None) -> bool:
    """Whether the times before and after may be those of two zones."""
    size = abs(jumped_s or 0)
    return size <= MOST_ZONES_S + NEAR_S and abs(size - ZONE_STEP_S * round(size / ZONE_STEP_S)) <= NEAR_S


def _case(jumped_s: float, at: str | None, path: str) -> Draft:
    return RULE.case(
        "forward" if jumped_s > 0 else "back",
        evidence={"jump_ms": round(abs(jumped_s) * 1000), "jumped_at": at, "path": path},
        rests_on=(path,),
    )
