"""Rules over the RocketMQ view say so when a run left the object graph out."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.rules.registry import Skip


def without_graph(heap: HeapFacts) -> Skip | None:
    """A reason to skip when queues and holders were not read, as with `--quick`."""
    if heap.process_queues is None:
        return Skip(reason=heap.unknown.get("process_queues", "the object graph was left out (--quick)"))
    return None
