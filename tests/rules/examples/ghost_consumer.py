from __future__ import annotations

from mqdiag.facts import Facts
from tests.rules.examples.consumer import example


def fires() -> Facts:
    """Running, pulled a second ago, and not in the table of its client."""
    return example(consumer={"registered": False})


def silent() -> Facts:
    """A registered consumer."""
    return example()
