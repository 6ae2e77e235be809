"""The client keeps connections that are closed."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.producers import RemotingFacts, SendingFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import LITERALS, Draft, Limits, Skip, rule
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say


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
    """Six hundred."""
    return _facts(600)


def silent() -> Facts:
    """Two that were closed a moment ago."""
    return _facts(2)


@rule(
    name="dead-channels",
    title="Closed connections stay in the client's table",
    why=(
        "A client takes a connection out of its table when it closes. In some versions one that the other side closed"
        " stays, with its buffers: each broker address that is gone, and each VIP port, leaves one more."
    ),
    causes=("dead-channels",),
    severities=(Severity.WARNING,),
    remedy=(
        "Upgrade the client: the leak of inactive connections is fixed in 5.1.3.",
        "With vipChannelEnabled switch it off if the VIP port (broker port less 2) is not reachable.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/5866",
        "https://github.com/apache/rocketmq/issues/9737",
        "https://github.com/apache/rocketmq/issues/11161",
        "NettyRemotingClient.channelTables",
    ),
    needs=("heap",),
    limits={"channels": 20},
    proven_on=LITERALS,
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding, on the client with the most."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    clients = heap.sending.remoting if heap.sending is not None else ()
    worst = max(clients, key=lambda one: one.dead_channels, default=None)
    if worst is None or worst.dead_channels < limits["channels"]:
        return
    kept = (
        ""
        if worst.retained_bytes is None
        else say(", which keeps {retained_bytes:bytes}", retained_bytes=worst.retained_bytes)
    )
    yield Draft(
        severity=Severity.WARNING,
        cause="dead-channels",
        confidence=Confidence.HIGH,
        title=say(
            "{dead_channels:count} closed connections stay in a client's table",
            dead_channels=worst.dead_channels,
        ),
        evidence={
            "client_id": worst.client_id,
            "dead_channels": worst.dead_channels,
            "channels": worst.channels,
            "addresses": worst.dead_addresses,
            "retained_bytes": worst.retained_bytes,
            "clients": sum(one.dead_channels >= limits["channels"] for one in clients),
        },
        explanation=(
            say(
                (
                    "Of {channels:count} connections in channelTables {dead_channels:count} are closed, such as"
                    " to {dead_addresses}; they belong to a NettyRemotingClient{kept}."
                ),
                channels=worst.channels,
                dead_channels=worst.dead_channels,
                dead_addresses=", ".join(worst.dead_addresses),
                kept=kept,
            ),
        ),
        remedy=check.card.remedy,
    )
