from __future__ import annotations

from mqdiag.facts import Facts
from tests.rules.examples.consumer import example


def fires() -> Facts:
    """No request refers to the queue, last pulled three minutes ago."""
    return example(queue={"next_offset": None, "last_pull_age_ms": 180_000})


def silent() -> Facts:
    """A queue that was pulled long ago, with its request waiting."""
    return example(queue={"last_pull_age_ms": 180_000})
