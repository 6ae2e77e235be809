"""The client keeps connections that are closed."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.facts import Facts
from mqdiag.facts.producers import RemotingFacts, SendingFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import Text, say

RULE = Rule(
    name="dead-channels",
    title="Closed connections stay in the client's table",
    why=(
        "A client removes a connection from its table when it closes the connection. In some versions a connection that"
        " the other side closed stays in the table, with its buffers. Each broker address that no longer exists leaves"
        " one more, and so does each VIP port."
    ),
    causes=("dead-channels",),
    severities=(Severity.WARNING,),
    remedy=(
        "Upgrade the client: the leak of inactive connections is fixed in 5.1.3.",
        "If the VIP port (broker port minus 2) is not reachable, set vipChannelEnabled=false.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/5866",
        "https://github.com/apache/rocketmq/issues/9737",
        "https://github.com/apache/rocketmq/issues/11161",
        "NettyRemotingClient.channelTables",
    ),
    limits={"channels": 20},
    proven_on=LITERALS,
)


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


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding, on the client with the most closed connections."""
    heap = facts.heap
    assert heap is not None
    clients = heap.sending.remoting if heap.sending is not None else ()
    worst = max(clients, key=lambda one: one.dead_channels, default=None)
    if worst is None or worst.dead_channels < limits["channels"]:
        return
    yield Draft(
        severity=Severity.WARNING,
        cause="dead-channels",
        confidence=Confidence.HIGH,
        title=say("{dead_channels:count} closed connections stay in a client's table"),
        evidence={
            "client_id": worst.client_id,
            "dead_channels": worst.dead_channels,
            "channels": worst.channels,
            "addresses": worst.dead_addresses,
            "retained_bytes": worst.retained_bytes,
            "clients": sum(one.dead_channels >= limits["channels"] for one in clients),
        },
        explanation=tuple(_explanation(worst)),
        remedy=RULE.remedy,
    )


def _explanation(client: RemotingFacts) -> Iterator[Text]:
    yield say(
        "channelTables of a NettyRemotingClient has {channels:count} connections, and {dead_channels:count} of them"
        " are closed."
    )
    if client.dead_addresses:
        yield say("Closed connections are for example to {addresses}.")
    if client.retained_bytes is not None:
        yield say("This NettyRemotingClient retains {retained_bytes:bytes}.")
