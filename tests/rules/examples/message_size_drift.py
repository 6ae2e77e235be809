from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.bounds import MIB
from tests.rules.examples.consumer import example


def fires() -> Facts:
    """The counter says 101 MiB, and nothing is cached."""
    return example(queue={"msg_size": 101 * MIB, "messages": 0, "msg_count": 0, "body_bytes": 0})


def silent() -> Facts:
    """The counter says as many bytes as the bodies have."""
    return example()
