"""What Netty holds for the connections of a proxy: chunks of its arenas, and answers that are not sent.

Source: PoolChunk and DefaultHttp2RemoteFlowController of Netty 4.1.
"""

from __future__ import annotations

from collections import Counter
from ipaddress import IPv4Address

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.servers import NettyMemory, UnsentOutput
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq import fields

_ROWS = 10
_IPV4_MASK = 0xFFFFFFFF


def netty_memory(heap: Heap) -> NettyMemory | None:
    """Over all copies of Netty in the process; None where there is none."""
    roots = sorted(fields.package_roots(heap, "NettyChunk"))
    if not roots:
        return None
    chunks = np.concatenate([fields.instances(heap, root, "NettyChunk") for root in roots])
    chunk_bytes = np.maximum(fields.numbers(heap, chunks, "NettyChunk.bytes"), 0)
    free_bytes = np.maximum(fields.numbers(heap, chunks, "NettyChunk.free_bytes"), 0)
    streams = np.concatenate([fields.instances(heap, root, "Http2Output") for root in roots])
    unsent_bytes = np.maximum(fields.numbers(heap, streams, "Http2Output.unsent_bytes"), 0)
    waiting = unsent_bytes > 0
    return NettyMemory(
        chunks=int(chunks.size),
        chunk_bytes=int(chunk_bytes.sum()),
        used_bytes=int((chunk_bytes - free_bytes).sum()),
        unsent_bytes=int(unsent_bytes.sum()),
        unsent_streams=int(waiting.sum()),
        unsent=_by_peer(heap, streams[waiting], unsent_bytes[waiting]),
    )


def _by_peer(heap: Heap, streams: Nodes, unsent_bytes: NDArray[np.int64]) -> tuple[UnsentOutput, ...]:
    channels = fields.refs(
        heap,
        streams,
        "Http2Output.controller",
        "Http2Controller.context",
        "ChannelContext.pipeline",
        "ChannelPipeline.channel",
    )
    sums: Counter[int] = Counter()
    counts: Counter[int] = Counter()
    for channel, size in zip(channels.tolist(), unsent_bytes.tolist(), strict=True):
        sums[channel] += size
        counts[channel] += 1
    return tuple(
        UnsentOutput(peer=_peer(heap, channel), unsent_bytes=size, streams=counts[channel])
        for channel, size in sums.most_common(_ROWS)
    )


def _peer(heap: Heap, channel: int) -> str | None:
    """Address and port; None for IPv6."""
    holder = fields.ref(heap, channel, "Channel.peer", "SocketAddress.holder")
    number = fields.number(heap, holder, "SocketAddress.address", "InetAddress.holder", "InetAddress.number")
    port = fields.number(heap, holder, "SocketAddress.port")
    if number is None or port is None:
        return None
    return f"{IPv4Address(number & _IPV4_MASK)}:{port}"
