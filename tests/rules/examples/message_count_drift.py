from __future__ import annotations

from mqdiag.facts import Facts
from tests.rules.examples.consumer import example


def fires() -> Facts:
    """The counter says 1,040, the map holds 40, and the client is 4.1.0."""
    return example(consumer={"client_version": "4.1.0"}, queue={"msg_count": 1040})


def silent() -> Facts:
    """They differ by one batch: the dump may have been taken between the two changes."""
    return example(queue={"msg_count": 72})
