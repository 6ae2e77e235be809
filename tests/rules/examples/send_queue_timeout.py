from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.broker import RequestQueue
from tests.rules.examples.broker import example


def fires() -> Facts:
    """A long queue, and its first send has waited for a second."""
    return example(send_queue=RequestQueue(size=700, capacity=10_000, head_wait_ms=1000))


def silent() -> Facts:
    """Three requests that look old after a collection of a third of a second."""
    return example(send_queue=RequestQueue(size=3, capacity=10_000, head_wait_ms=330))
