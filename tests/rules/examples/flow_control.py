from __future__ import annotations

from mqdiag.facts import Facts
from tests.rules.examples.consumer import CONSUMER, example


def fires() -> Facts:
    """5,000 held-back pulls in an hour."""
    return example(consumer={"state": {**CONSUMER.state, "queueFlowControlTimes": 5000}})


def silent() -> Facts:
    """A short peak."""
    return example(consumer={"state": {**CONSUMER.state, "queueFlowControlTimes": 900}})
