"""Answers of a proxy wait in its memory, because clients do not read them."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.ratios import ratio
from mqdiag.facts.servers import NettyMemory, UnsentOutput
from mqdiag.findings import Confidence, Margin, Severity
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.example_proxy import example
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import Text, say

MIB = 1 << 20

RULE = Rule(
    name="proxy-output-waits",
    title="Answers of the proxy wait in its memory, because clients do not read them",
    why=(
        "A server can send no more than the client makes room for. The rest waits in buffers of the proxy: messages"
        " that it received from the broker, and that the client did not take yet. So a slow network or a client that"
        " stands still fills the direct memory of the proxy, for all other clients too."
    ),
    causes=("client-does-not-read",),
    severities=(Severity.WARNING,),
    remedy=(
        "Look at the clients that the finding names: whether they stand still (thread dumps, pauses of their JVM), and"
        " how fast the network is between them and the proxy.",
        "Let clients receive less at once: setMaxCacheMessageSizeInBytes of a push consumer, the number of messages of"
        " SimpleConsumer.receive.",
        "Give the proxy more direct memory (-XX:MaxDirectMemorySize), or start more proxies.",
    ),
    references=(
        "DefaultHttp2RemoteFlowController and ChannelOutboundBuffer of Netty",
        "ReceiveMessageResponseStreamWriter of the proxy",
    ),
    limits={"unsent_bytes": 16 * MIB, "share_of_limit": 0.1},
    lies_at="client",
    in_chain=say("clients do not read what the proxy sends"),
)


def _facts(unsent_bytes: int) -> Facts:
    peer = UnsentOutput(peer="10.0.0.7:50412", unsent_bytes=unsent_bytes)
    return example(
        netty=NettyMemory(
            chunks=40,
            chunk_bytes=160 * MIB,
            used_bytes=150 * MIB,
            unsent_bytes=unsent_bytes,
            unsent_streams=3,
            unsent=(peer,),
        )
    )


def fires() -> Facts:
    """140 MiB wait, where heap and direct memory may take 1 GiB each."""
    return _facts(140 * MIB)


def silent() -> Facts:
    """2 MiB wait, as for a moment in any large answer."""
    return _facts(2 * MIB)


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for the proxy."""
    heap = facts.heap
    assert heap is not None
    netty = None if heap.proxy is None else heap.proxy.netty
    if netty is None or netty.unsent_bytes is None:
        return
    share = ratio(netty.unsent_bytes, _limit_bytes(heap))
    if netty.unsent_bytes >= limits["unsent_bytes"] and (share is None or share >= limits["share_of_limit"]):
        yield _draft(netty, share)
    else:
        yield Margin(
            rule="",
            label=say("answers of the proxy that wait to be sent"),
            value=netty.unsent_bytes,
            limit=limits["unsent_bytes"],
            kind="bytes",
        )


def _limit_bytes(heap: HeapFacts) -> int | None:
    """Of direct memory, which is that of the heap unless it is set."""
    direct = None if heap.waste is None else heap.waste.direct_buffers
    return heap.heap_bytes if direct is None or direct.limit_bytes is None else direct.limit_bytes


def _draft(netty: NettyMemory, share: float | None) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="client-does-not-read",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("one dump does not tell how long they have waited"),
        title=say("{unsent_bytes:bytes} of answers wait in the proxy, because its clients do not take them"),
        evidence={
            "unsent_bytes": netty.unsent_bytes,
            "unsent_streams": netty.unsent_streams,
            "share_of_limit": None if share is None else round(share, 4),
            "peers": tuple(one.peer for one in netty.unsent if one.peer is not None),
            "chunk_bytes": netty.chunk_bytes,
            "used_bytes": netty.used_bytes,
        },
        explanation=tuple(_explained(netty, share)),
        remedy=RULE.remedy,
    )


def _explained(netty: NettyMemory, share: float | None) -> Iterator[Text]:
    if any(one.peer is not None for one in netty.unsent):
        yield say("Most of them wait for {peers}.")
    if share is not None:
        yield say("They take {share_of_limit:percent} of the direct memory that the JVM allows.")
    if netty.chunk_bytes is not None and netty.used_bytes is not None:
        yield say("Netty has {chunk_bytes:bytes} for its buffers, and {used_bytes:bytes} of it are in use.")
