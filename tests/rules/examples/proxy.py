"""A dump of one healthy proxy; the examples of rules change some of its values."""

from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.servers import ProxyFacts


def example(**changes: object) -> Facts:
    """A proxy in cluster mode with these changes."""
    proxy = {"version": "5.3.3", "mode": "cluster", "name": "proxy-a", "clients": 12, "handles": 0}
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1 << 28,
        unreachable_objects=0,
        unreachable_bytes=0,
        heap_bytes=1 << 30,
        heap_bytes_source="option",
        process_queues=0,
        servers=("proxy-cluster",),
        proxy=ProxyFacts(**{**proxy, **changes}),  # type: ignore[arg-type]
    )
    return Facts(heap=heap)
