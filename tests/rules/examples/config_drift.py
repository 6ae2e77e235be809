from __future__ import annotations

from mqdiag.facts import Facts
from tests.rules.examples.differing_instances import example


def fires() -> Facts:
    """Two of five instances hold 1,000 messages a queue, the others 100."""
    return example("setting", "pullThresholdForQueue", ("100", 3), ("1000", 2))


def silent() -> Facts:
    """All five hold 100."""
    return example("setting", "pullThresholdForQueue", ("100", 5))
