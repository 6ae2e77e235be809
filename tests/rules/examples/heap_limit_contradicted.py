from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts


def fires() -> Facts:
    """2 GiB were given, and the JVM's arguments say 256 MiB."""
    return _facts(2 << 30, 256 << 20)


def silent() -> Facts:
    """The dump does not contradict."""
    return _facts(2 << 30, None)


def _facts(given: int, in_dump: int | None) -> Facts:
    heap = HeapFacts(
        objects=200_000,
        shallow_bytes=100 << 20,
        unreachable_objects=0,
        unreachable_bytes=0,
        heap_bytes=given,
        heap_bytes_source="option",
        contradicting_heap_bytes=in_dump,
        contradicting_heap_bytes_source=None if in_dump is None else "jvm-arguments",
    )
    return Facts(heap=heap)
