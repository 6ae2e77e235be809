from __future__ import annotations

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.producers import ProducerFacts, RemotingFacts, SendingFacts
from tests.rules.examples.consumer import example


def _facts(waiting: int) -> Facts:
    facts = example()
    assert facts.heap is not None
    sending = SendingFacts(
        producers=(
            ProducerFacts(
                group="PID_orders", client_id="10.0.0.7@1", async_queue=waiting, async_queue_capacity=50_000
            ),
        ),
        remoting=(RemotingFacts(client_id="10.0.0.7@1", async_permits=65_500, async_permits_max=65_535),),
        messages=waiting,
        body_bytes=1024 * waiting,
    )
    return msgspec.structs.replace(facts, heap=msgspec.structs.replace(facts.heap, sending=sending))


def fires() -> Facts:
    """40,000 of 50,000 places in the queue of asynchronous sends are taken."""
    return _facts(40_000)


def silent() -> Facts:
    """400 of them are taken."""
    return _facts(400)
