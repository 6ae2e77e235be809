"""How long a broker's writes took, by its own counts."""

from __future__ import annotations

from datetime import timedelta

from mqdiag.facts.store_logs import PutLatency
from mqdiag.findings import TimeRange
from mqdiag.time_ranges import between, joined

FAST_PUTS = 1000
"""fewer writes do not show how fast a broker is under load"""
FAST_SHARE = 0.0001
"""at most this share of a healthy broker's writes takes 100 ms: none of tens of thousands in article 002"""


def writes_fast(put: PutLatency | None) -> bool:
    """Whether the broker's counts prove that it writes fast; False where they are too few."""
    return put is not None and put.puts >= FAST_PUTS and put.from_100_ms <= FAST_SHARE * put.puts


def slow_ranges(put: PutLatency | None) -> tuple[TimeRange, ...]:
    """The minutes in which a write took 100 ms or longer."""
    if put is None:
        return ()
    width = timedelta(minutes=put.step_minutes)
    slow = [point.at for point in put.series if point.from_100_ms and point.at]
    return joined(minute for at in slow for minute in between(at, None, longer_by=width))
