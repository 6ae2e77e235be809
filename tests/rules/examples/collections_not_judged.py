from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.collector_logs import GcFacts
from mqdiag.facts.logs import LogsFacts


def _facts(pause_ms: float) -> Facts:
    gc = GcFacts(
        path="gc.log",
        format="unified",
        collections=40,
        full=30,
        pause_ms=pause_ms,
        longest_pause_ms=410.0,
        seconds=12.0,
        heap_bytes=512 << 20,
        heap_after_bytes=440 << 20,
    )
    return Facts(logs=LogsFacts(gc=(gc,)))


def fires() -> Facts:
    """A log of twelve seconds, ten of them in pauses, with a full heap at its end."""
    return _facts(10_000.0)


def silent() -> Facts:
    """The same log with half a second of pauses."""
    return _facts(500.0)
