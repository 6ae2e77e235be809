from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import ConsumerFacts


def _facts(second: int) -> Facts:
    consumers = tuple(
        ConsumerFacts(
            group="CID_wash",
            kind="push",
            object_id=hex(number),
            config={"pullThresholdForQueue": threshold, "instanceName": f"{number}"},
        )
        for number, threshold in enumerate((40, second), start=1)
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        consumers=consumers,
        process_queues=8,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """One instance with 40, one with 100."""
    return _facts(100)


def silent() -> Facts:
    """Both with 40; only the instance names differ."""
    return _facts(40)
