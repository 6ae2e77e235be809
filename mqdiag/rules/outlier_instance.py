"""One instance of a group holds far more, or far less, than the others."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.fleet import FleetFacts, Outlier
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.text import quantity, say

MORE = {
    "lag": say("a far larger lag"),
    "messages": say("far more cached messages"),
    "body_bytes": say("far larger message bodies in its cache"),
    "retained_bytes": say("far more memory retained by its consumer"),
}
"""by metric, in the order in which one of several that stand out is told"""
LESS = {
    "lag": say("a far smaller lag"),
    "messages": say("far fewer cached messages"),
    "body_bytes": say("far smaller message bodies in its cache"),
    "retained_bytes": say("far less memory retained by its consumer"),
}

RULE = Rule(
    name="outlier-instance",
    title="One instance of a group is far from the others",
    why=(
        "Instances of a group get equal shares of the same messages. If one of them holds many times what the others"
        " hold, it has a fault of its own: a stuck thread, a slow disk, a busy neighbour, or a listener that waits for"
        " one address."
    ),
    causes=("outlier-above", "outlier-below"),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "Look at this host first: at its own findings, then at thread dumps of it and of a healthy host side by side.",
        "If one key or queue carries most messages, look at how producers choose queues.",
    ),
    references=("Iglewicz and Hoaglin, How to detect and handle outliers: median and MAD",),
    limits={"score": 5.0, "instances": 5, "times": 2.0},
    lies_at="any",
)


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


@RULE.sees("fleet")
def in_fleet(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each instance; of several metrics the leading one."""
    assert facts.fleet is not None
    leading = tuple(MORE)
    chosen: dict[tuple[str, str, str, str], Outlier] = {}
    for outlier in sorted(facts.fleet.outliers, key=lambda one: leading.index(one.metric)):
        times = limits["times"]
        is_far = outlier.value >= times * outlier.median or outlier.value * times <= outlier.median
        if abs(outlier.score) >= limits["score"] and outlier.instances >= limits["instances"] and is_far:
            key = (outlier.environment, outlier.group, outlier.service, outlier.host)
            chosen.setdefault(key, outlier)
    yield from map(_draft, chosen.values())


def _draft(one: Outlier) -> Draft:
    is_above = one.score > 0
    kind = "bytes" if one.metric.endswith("_bytes") else "count"
    return Draft(
        severity=Severity.WARNING if is_above else Severity.INFO,
        cause="outlier-above" if is_above else "outlier-below",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("dumps of different moments are compared"),
        title=say(
            "{service}/{host} has {difference} than the other instances of group {group}: {amount}, while the median is"
            " {median_amount}",
            difference=(MORE if is_above else LESS)[one.metric],
            amount=quantity(one.value, kind),
            median_amount=quantity(one.median, kind),
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
            "distance": round(abs(one.score), 2),
            "instances": one.instances,
        },
        explanation=(
            say(
                "The median over {instances:count} instances is {median_amount}, and half of them are within"
                " {deviation_amount} of it. This instance is {distance:decimal} robust standard deviations away.",
                median_amount=quantity(one.median, kind),
                deviation_amount=quantity(one.deviation, kind),
            ),
        ),
        remedy=RULE.remedy,
    )
