from __future__ import annotations

from mqdiag.facts import Facts
from tests.rules.examples.consumer import example


def fires() -> Facts:
    """A running consumer of 4.9.2 whose cleaner has no task."""
    return example(consumer={"client_version": "4.9.2", "cleaner_tasks": 0})


def silent() -> Facts:
    """The task waits for its next run."""
    return example(consumer={"client_version": "4.9.2"})
