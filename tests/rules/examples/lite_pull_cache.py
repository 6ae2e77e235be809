from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.heap_classes import KindTraits
from tests.rules.examples.consumer import example

_TRAITS = KindTraits(polled=True, pull_loop=False, sends_back=False)


def fires() -> Facts:
    """1,000 messages cached, and none polled for five minutes."""
    return example(
        consumer={"kind": "lite-pull", "traits": _TRAITS, "queued_requests": 100},
        queue={"messages": 1000, "last_consume_age_ms": 300_000},
    )


def silent() -> Facts:
    """The same, polled a moment ago."""
    return example(
        consumer={"kind": "lite-pull", "traits": _TRAITS, "queued_requests": 100}, queue={"messages": 1000}
    )
