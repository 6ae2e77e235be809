from __future__ import annotations

from msgspec import structs

from mqdiag.facts import Facts
from mqdiag.facts.producers import RemotingFacts, SendingFacts
from tests.rules.examples.proxy import example


def _facts(overdue: int) -> Facts:
    remoting = RemotingFacts(
        in_flight=5, overdue=overdue, oldest_in_flight_ms=3_000, channels=2, broker_channels=1
    )
    facts = example(grpc_streams=7)
    assert facts.heap is not None
    heap = structs.replace(facts.heap, sending=SendingFacts(remoting=(remoting,)))
    return structs.replace(facts, heap=heap)


def fires() -> Facts:
    """Four of five requests are older than the time that the proxy waits for an answer."""
    return _facts(4)


def silent() -> Facts:
    """Five requests, which wait for messages."""
    return _facts(0)
