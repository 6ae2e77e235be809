"""A heap of 400 MB with some waste."""

from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.waste import Waste

EXAMPLE_BYTES = 400_000_000


def example(waste: Waste) -> Facts:
    """A heap of 400 MB with this waste."""
    return Facts(
        heap=HeapFacts(
            objects=1_000_000,
            shallow_bytes=EXAMPLE_BYTES,
            unreachable_objects=0,
            unreachable_bytes=0,
            process_queues=0,
            messages=0,
            waste=waste,
        )
    )
