from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts


def _facts(live_bytes: int) -> Facts:
    return Facts(
        heap=HeapFacts(
            objects=9, shallow_bytes=live_bytes, unreachable_objects=0, unreachable_bytes=0, heap_bytes=1000
        )
    )


def fires() -> Facts:
    """Live objects that take 97 % of the heap, none of which holds much."""
    return _facts(970)


def silent() -> Facts:
    """The same objects with a third of the heap to spare."""
    return _facts(640)
