from __future__ import annotations

from mqdiag.facts import Facts
from tests.rules.examples.consumer import CONSUMER, example


def fires() -> Facts:
    """Paused, with 500 messages on the broker."""
    return example(consumer={"state": {**CONSUMER.state, "pause": True}})


def silent() -> Facts:
    """A consumer that is not paused."""
    return example()
