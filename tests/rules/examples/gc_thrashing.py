from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.collector_logs import GcFacts, GcRun
from mqdiag.facts.logs import LogsFacts


def _facts(share: float) -> Facts:
    run = GcRun(at="2026-11-21T12:00:00+08:00", seconds=40.0, full=120, pause_share=share, freed_share=0.004)
    gc = GcFacts(
        path="gc.log",
        format="unified",
        collections=400,
        full=130,
        pause_ms=39_000.0,
        longest_pause_ms=410.0,
        futile_run=run,
        heap_bytes=512 << 20,
        heap_after_bytes=509 << 20,
    )
    return Facts(logs=LogsFacts(gc=(gc,)))


def fires() -> Facts:
    """For 40 seconds, 97 % of the time, each full collection freed less than half a per cent."""
    return _facts(0.97)


def silent() -> Facts:
    """Full collections that free little but come rarely."""
    return _facts(0.05)
