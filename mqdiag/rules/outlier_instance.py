"""One instance of a group holds far more, or far less, than the others."""

from __future__ import annotations

from mqdiag.facts.fleet import FleetFacts, Outlier
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.text import quantity

RULE = Rule("outlier-instance")


@RULE.fleet
def in_fleet(fleet: FleetFacts, limits: Limits) -> Findings:
    """One finding for each instance; of several metrics the leading one."""
    more, less = RULE.meaning("more"), RULE.meaning("less")
    leading = tuple(more)
    least = {
        "messages": limits["messages"],
        "body_bytes": limits["body_bytes"],
        "retained_bytes": limits["retained_bytes"],
        "lag": limits["lag"],
    }
    chosen: dict[tuple[str, str, str, str], Outlier] = {}
    for outlier in sorted(fleet.outliers, key=lambda one: leading.index(one.metric)):
        times = limits["times"]
        is_far = outlier.value >= times * outlier.median or outlier.value * times <= outlier.median
        is_far &= abs(outlier.value - outlier.median) >= limits["score"] * least[outlier.metric]
        if abs(outlier.score) >= limits["score"] and outlier.instances >= limits["instances"] and is_far:
            key = (outlier.environment, outlier.group, outlier.service, outlier.host)
            chosen.setdefault(key, outlier)
    for one in chosen.values():
        kind = "bytes" if one.metric.endswith("_bytes") else "count"
        yield RULE.case(
            "outlier-above" if one.score > 0 else "outlier-below",
            one,
            subject=Subject(
                group=one.group,
                key=one.metric,
                environment=one.environment or None,
                service=one.service,
                host=one.host,
            ),
            evidence={"score": round(one.score, 2), "distance": round(abs(one.score), 2)},
            words={
                "difference": RULE.word((more if one.score > 0 else less)[one.metric]),
                "amount": quantity(one.value, kind),
                "median_amount": quantity(one.median, kind),
                "deviation_amount": quantity(one.deviation, kind),
            },
        )
