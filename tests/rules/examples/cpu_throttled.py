from __future__ import annotations

from mqdiag.facts import Facts, ResourcesFacts
from mqdiag.facts.resources import ProcessResources, ResourceReading


def _held_back(first: int, last: int) -> Facts:
    readings = (
        ResourceReading(
            path=f"resources/0{number}.txt",
            processors=0.08,
            periods=periods,
            throttled_periods=throttled,
            throttled_ms=80.0 * throttled,
        )
        for number, periods, throttled in ((1, 900, first), (2, 1021, last))
    )
    return Facts(
        resources=ResourcesFacts(processes=(ProcessResources(first=next(readings), last=next(readings)),))
    )


def fires() -> Facts:
    """118 of 121 periods were throttled with a limit of 0.08 processors."""
    return _held_back(800, 918)


def silent() -> Facts:
    """It was throttled at its start, and four times since."""
    return _held_back(800, 804)
