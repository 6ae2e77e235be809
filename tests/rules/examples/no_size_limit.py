from __future__ import annotations

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import ConfigValue, ConsumerFacts


def _facts(config: dict[str, ConfigValue]) -> Facts:
    consumer = ConsumerFacts(group="CID_wash", kind="push", client_version="3.2.6", config=config)
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        consumers=(consumer,),
        process_queues=4,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """A client 3.2.6 has pullThresholdForQueue alone."""
    return _facts({"pullThresholdForQueue": 1000})


def silent() -> Facts:
    """Since 4.2.0 there is a limit in MiB too."""
    return _facts({"pullThresholdForQueue": 1000, "pullThresholdSizeForQueue": 100})
