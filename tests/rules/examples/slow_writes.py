from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.store_logs import PutLatency, PutMinute


def _facts(slow: int, puts: int) -> Facts:
    worst = PutMinute(at="2026-11-21T20:01:39+08:00", puts=puts, from_100_ms=slow)
    return Facts(
        logs=LogsFacts(
            pagecachert=PutLatency(
                lines=1,
                puts=puts,
                buckets={"<=0ms": puts - slow, "1~2s": slow},
                from_10_ms=slow,
                from_100_ms=slow,
                from_1_s=slow,
                slow_minutes=1,
                worst=worst,
            )
        )
    )


def fires() -> Facts:
    """Of 40,301 writes 232 took a second or longer."""
    return _facts(232, 40_301)


def silent() -> Facts:
    """Two of fifty did, while the broker wrote nearly nothing: a share of so few proves nothing."""
    return _facts(2, 50)
