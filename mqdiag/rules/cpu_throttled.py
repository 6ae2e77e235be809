"""The control group gives the process fewer processors than it needs."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.resources import ProcessResources
from mqdiag.findings import Severity
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("cpu-throttled")


@RULE.sees("resources")
def in_resources(facts: Facts, limits: Limits) -> Findings:
    """One finding for each process that was held back in many periods."""
    assert facts.resources is not None
    for one in facts.resources.processes:
        numbers = _periods(one)
        if numbers is None:
            yield RULE.skip("periods-unknown")
            continue
        periods, throttled, throttled_ms, over = numbers
        share = throttled / periods if periods else 0.0
        limit = one.last.processors
        if periods < limits["periods"] or share < limits["share_warning"]:
            yield RULE.margin("share", share, limits["share_warning"])
            continue
        yield RULE.case(
            "cpu-limit",
            one.last,
            evidence={
                "periods": periods,
                "throttled_periods": throttled,
                "throttled_share": share,
                "throttled_ms": throttled_ms,
                "processors": limit,
            },
            words={"over": RULE.word(over), "limit": None if limit is None else f"{limit:g}"},
            severity=Severity.ERROR if share >= limits["share_error"] else None,
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
