from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.broker import RequestQueue
from tests.rules.examples.broker import example


def fires() -> Facts:
    """As many sends wait as the queue takes."""
    return example(send_queue=RequestQueue(size=10_000, capacity=10_000, head_wait_ms=2500))


def silent() -> Facts:
    """A tenth of them."""
    return example(send_queue=RequestQueue(size=1000, capacity=10_000, head_wait_ms=90))
