from __future__ import annotations

import msgspec

from mqdiag.facts import Facts
from tests.rules.examples.consumer import CONSUMER, example


def _facts(client_id: str) -> Facts:
    facts = example()
    other = msgspec.structs.replace(CONSUMER, instance_id="0x20", client_id=client_id)
    assert facts.heap is not None
    heap = msgspec.structs.replace(facts.heap, consumers=(*facts.heap.consumers, other))
    return msgspec.structs.replace(facts, heap=heap)


def fires() -> Facts:
    """Two instances with the same id, both with a consumer of the group."""
    return _facts("10.0.0.7@1")


def silent() -> Facts:
    """Two instances with different ids."""
    return _facts("10.0.0.7@2")
