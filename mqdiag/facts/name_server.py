"""The name servers that a process asks, for the commands that a report shows."""

from __future__ import annotations

from mqdiag.facts.heap import HeapFacts


def name_server_of(heap: HeapFacts | None) -> str | None:
    """The address as a consumer of the heap has it, `host:port;host:port`; None where no evidence has it."""
    consumers = () if heap is None else heap.consumers
    for consumer in consumers:
        address = consumer.config.get("namesrvAddr")
        if isinstance(address, str) and address and address.isprintable():
            return address
    return None
