from __future__ import annotations

from mqdiag.facts import Facts
from tests.rules.examples.consumer import example


def fires() -> Facts:
    """The queue is not locked, and nothing was consumed for two minutes."""
    return example(consumer={"orderly": True}, queue={"locked": False, "last_consume_age_ms": 120_000})


def silent() -> Facts:
    """The queue was locked five seconds ago."""
    return example(consumer={"orderly": True}, queue={"last_consume_age_ms": 120_000})
