"""One instance of a group holds far more, or far less, than the others."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.fleet import FleetFacts, Outlier
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.wording import mib
from mqdiag.text import say

LEADING = ("lag", "messages", "body_bytes", "retained_bytes")
"""metrics in the order in which one of several that stand out is told"""


def _fleet(value: float, score: float) -> Facts:
    outlier = Outlier(
        group="orders",
        service="orders",
        host="h7",
        metric="messages",
        value=value,
        median=400,
        deviation=30,
        score=score,
        instances=8,
    )
    return Facts(fleet=FleetFacts(run="r1", outliers=(outlier,)))


def fires() -> Facts:
    """One of eight instances holds 9,000 messages, the others about 400."""
    return _fleet(9000, 86)


def silent() -> Facts:
    """It holds a few more than the others."""
    return _fleet(580, 4.0)


@rule(
    name="outlier-instance",
    title="One instance of a group is far from the others",
    why=(
        "Instances of a group get the same share of the same messages. One that holds many times what the others hold"
        " has a fault of its own: a stuck thread, a slow disk or neighbour, a listener that waits for one address."
    ),
    causes=("outlier-above", "outlier-below"),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "Look at this host first: its own findings, then thread dumps of it and of a healthy one side by side.",
        "If one key or queue carries most messages, look at how producers choose queues.",
    ),
    references=("Iglewicz and Hoaglin, How to detect and handle outliers: median and MAD",),
    needs=("fleet",),
    limits={"score": 5.0, "instances": 5, "times": 2.0},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each instance; of several metrics the leading one."""
    assert facts.fleet is not None
    chosen: dict[tuple[str, str, str, str], Outlier] = {}
    for outlier in sorted(facts.fleet.outliers, key=lambda one: LEADING.index(one.metric)):
        times = limits["times"]
        is_far = outlier.value >= times * outlier.median or outlier.value * times <= outlier.median
        if abs(outlier.score) >= limits["score"] and outlier.instances >= limits["instances"] and is_far:
            key = (outlier.environment, outlier.group, outlier.service, outlier.host)
            chosen.setdefault(key, outlier)
    for one in chosen.values():
        yield _draft(one)


def _draft(one: Outlier) -> Draft:
    is_above = one.score > 0
    name = one.metric.removesuffix("_bytes").replace("body", "bodies").replace("retained", "retained memory")
    value, median, deviation = (_amount(one.metric, part) for part in (one.value, one.median, one.deviation))
    return Draft(
        severity=Severity.WARNING if is_above else Severity.INFO,
        cause="outlier-above" if is_above else "outlier-below",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("dumps of different moments are compared"),
        title=(
            say(
                "{service}/{host} is far {above} the other instances of group {group}: {name}"
                " {value}, the median is {median}",
                service=one.service,
                host=one.host,
                above=say("above") if is_above else say("below"),
                group=one.group,
                name=name,
                value=value,
                median=median,
            )
        ),
        subject=Subject(
            group=one.group,
            key=one.metric,
            environment=one.environment or None,
            service=one.service,
            host=one.host,
        ),
        evidence={
            "metric": one.metric,
            "value": one.value,
            "median": one.median,
            "deviation": one.deviation,
            "score": round(one.score, 2),
            "instances": one.instances,
        },
        explanation=(
            say(
                (
                    "Over {instances:count} instances the median is {median}, and half of them are within"
                    " {deviation} of it; this one is {score:count} robust standard deviations away."
                ),
                instances=one.instances,
                median=median,
                deviation=deviation,
                score=abs(one.score),
            ),
        ),
        remedy=check.card.remedy,
    )


def _amount(metric: str, value: float) -> str:
    return mib(value) if metric.endswith("_bytes") else f"{value:,.0f}"
