from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.facts.store_logs import PutLatency


def _facts(longest_ms: int) -> Facts:
    event = LogEvent(
        kind="quorum-ack-waited",
        side="broker",
        count=1,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:01+08:00",
        values={"longest_ms": longest_ms},
    )
    put = PutLatency(lines=2, puts=9, buckets={}, from_10_ms=1, from_100_ms=1, from_1_s=1)
    return Facts(logs=LogsFacts(events=(event,), pagecachert=put))


def fires() -> Facts:
    """A put waited for half a minute on a broker with five puts a minute."""
    return _facts(31_000)


def silent() -> Facts:
    """Just above the broker's own limit for logging it."""
    return _facts(520)
