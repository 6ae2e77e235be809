from __future__ import annotations

from mqdiag.facts import Facts
from tests.rules.examples.consumer import example


def fires() -> Facts:
    """Half of 400 cached messages failed before."""
    return example(queue={"messages": 400, "redelivered": 200, "most_redelivered": 3})


def silent() -> Facts:
    """A few of them."""
    return example(queue={"messages": 400, "redelivered": 20, "most_redelivered": 3})
