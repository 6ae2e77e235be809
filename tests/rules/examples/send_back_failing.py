from __future__ import annotations

from mqdiag.facts import Facts
from tests.rules.examples.consumer import example


def fires() -> Facts:
    """Two hundred requests wait for a retry."""
    return example(consumer={"resubmits": 200})


def silent() -> Facts:
    """One does."""
    return example(consumer={"resubmits": 1})
