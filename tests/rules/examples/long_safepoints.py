from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.collector_logs import SafepointPauses
from mqdiag.facts.logs import LogsFacts


def _facts(longest_ms: float) -> Facts:
    row = SafepointPauses(
        path="gc.log",
        pauses=2,
        total_ms=longest_ms + 40,
        reaching_ms=longest_ms,
        long=1,
        longest_ms=longest_ms,
        longest_reaching_ms=longest_ms - 2,
        longest_at="2026-11-21T20:00:01+08:00",
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:09+08:00",
    )
    return Facts(logs=LogsFacts(safepoints=(row,)))


def fires() -> Facts:
    """A pause of 21 seconds, of which the collection took 2 ms."""
    return _facts(21_000)


def silent() -> Facts:
    """A pause of half a second."""
    return _facts(500)
