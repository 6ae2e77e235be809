from __future__ import annotations

from mqdiag.facts import Expectation, Facts, HeapFacts
from mqdiag.facts.heap import ConsumerFacts


def _facts(in_force: int) -> Facts:
    consumer = ConsumerFacts(
        group="CID_wash", kind="push", queues=55, config={"pullThresholdForQueue": in_force}
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        consumers=(consumer,),
        process_queues=55,
    )
    return Facts(heap=heap, expectations=(Expectation(key="pullThresholdForQueue", value=40),))


def fires() -> Facts:
    """The article's wrapper: 40 was set, 100 is in force."""
    return _facts(100)


def silent() -> Facts:
    """What was set is in force."""
    return _facts(40)
