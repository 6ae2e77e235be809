from __future__ import annotations

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.producers import RemotingFacts, SendingFacts
from tests.rules.examples.consumer import example


def _facts(dead: int) -> Facts:
    facts = example()
    assert facts.heap is not None
    remoting = RemotingFacts(
        object_id="0x20",
        client_id="10.0.0.7@1",
        channels=dead + 4,
        dead_channels=dead,
        dead_addresses=("10.0.0.9:10909",),
        retained_bytes=4096 * (dead + 4),
    )
    heap = msgspec.structs.replace(facts.heap, sending=SendingFacts(remoting=(remoting,)))
    return msgspec.structs.replace(facts, heap=heap)


def fires() -> Facts:
    """600 closed connections."""
    return _facts(600)


def silent() -> Facts:
    """Two that were closed a moment ago."""
    return _facts(2)
