from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.collector_logs import GcFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.stacks import CollectionCalls, StacksFacts


def _facts(pause_ms: float) -> Facts:
    gc = GcFacts(
        path="gc.log",
        format="unified",
        collections=3_400,
        full=3_347,
        pause_ms=pause_ms,
        longest_pause_ms=41.0,
        seconds=60.0,
        asked=3_347,
        asked_pause_ms=pause_ms,
        heap_bytes=512 << 20,
        heap_after_bytes=9 << 20,
    )
    calls = CollectionCalls(
        threads=("ConsumeMessageThread_1",), sightings=5, samples=5, frame="com.example.Book.on(Book.java:22)"
    )
    return Facts(logs=LogsFacts(gc=(gc,)), stacks=StacksFacts(samples=20, collection_calls=calls))


def fires() -> Facts:
    """3,347 collections take 50 of 60 seconds."""
    return _facts(50_000.0)


def silent() -> Facts:
    """They take 2 of 60 seconds, and one sample of four shows a call."""
    return _facts(2_000.0)
