from __future__ import annotations

from mqdiag.facts import Facts
from tests.rules.examples.differing_instances import example


def fires() -> Facts:
    """One of three instances subscribes to another topic."""
    return example("subscription", "subscriptions", ("orders", 2), ("orders, refunds", 1))


def silent() -> Facts:
    """All subscribe to the same topic."""
    return example("subscription", "subscriptions", ("orders", 3))
