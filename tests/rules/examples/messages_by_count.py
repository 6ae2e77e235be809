from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap_classes import CountedObjects


def _facts(byte_array_bytes: int) -> Facts:
    heap = HeapFacts(
        objects=None,
        shallow_bytes=None,
        unreachable_objects=None,
        unreachable_bytes=None,
        file_objects=60_000,
        file_shallow_bytes=100_000_000,
        heap_bytes=128 << 20,
        heap_bytes_source="option",
        counted=CountedObjects(
            messages=900, process_queues=16, client_instances=1, byte_array_bytes=byte_array_bytes
        ),
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """900 messages, and byte[] takes 90 % of all bytes."""
    return _facts(90_000_000)


def silent() -> Facts:
    """The same messages, and byte[] takes 49 %."""
    return _facts(49_000_000)
