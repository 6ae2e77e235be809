from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.fleet import FleetFacts, Outlier


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
