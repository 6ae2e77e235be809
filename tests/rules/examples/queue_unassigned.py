from __future__ import annotations

from mqdiag.facts import Facts
from tests.rules.examples.consumer import example


def fires() -> Facts:
    """An hour after its start, the consumer has none of the 4 queues of a second topic."""
    return example(consumer={"topic_queues": {"segments": 4, "refunds": 4}})


def silent() -> Facts:
    """It has one of the topic's queues."""
    return example()
