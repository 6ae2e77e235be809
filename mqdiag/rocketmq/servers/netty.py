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
    chunks = _all(heap, roots, "NettyChunk")
    chunk_bytes = _sizes(heap, chunks, "NettyChunk.bytes")
    streams = _all(heap, roots, "Http2Output")
    in_streams = _sizes(heap, streams, "Http2Output.unsent_bytes")
    outputs = _all(heap, roots, "ChannelOutput")
    in_channels = _sizes(heap, outputs, "ChannelOutput.unsent_bytes")
    waiting = in_streams > 0
    by_channel: Counter[int] = Counter()
    for channels, sizes in (
        (_channels_of(heap, streams[waiting]), in_streams[waiting]),
        (fields.refs(heap, outputs, "ChannelOutput.channel"), in_channels),
    ):
        for channel, size in zip(channels.tolist(), sizes.tolist(), strict=True):
            by_channel[channel] += size
    return NettyMemory(
        chunks=int(chunks.size),
        chunk_bytes=int(chunk_bytes.sum()),
        used_bytes=int((chunk_bytes - _sizes(heap, chunks, "NettyChunk.free_bytes")).sum()),
        unsent_bytes=int(in_streams.sum() + in_channels.sum()),
        unsent_streams=int(waiting.sum()),
        unsent=tuple(
            UnsentOutput(peer=_peer(heap, channel), unsent_bytes=size)
            for channel, size in by_channel.most_common(_ROWS)
            if size
        ),
    )


def _all(heap: Heap, roots: list[str], role: str) -> Nodes:
    return np.concatenate([fields.instances(heap, root, role) for root in roots])


def _sizes(heap: Heap, nodes: Nodes, role: str) -> NDArray[np.int64]:
    return np.maximum(fields.numbers(heap, nodes, role), 0)


def _channels_of(heap: Heap, streams: Nodes) -> Nodes:
    return fields.refs(
        heap,
        streams,
        "Http2Output.controller",
        "Http2Controller.context",
        "ChannelContext.pipeline",
        "ChannelPipeline.channel",
    )


def _peer(heap: Heap, channel: int) -> str | None:
    """Address and port; None for IPv6."""
    holder = fields.ref(heap, channel, "Channel.peer", "SocketAddress.holder")
    number = fields.number(heap, holder, "SocketAddress.address", "InetAddress.holder", "InetAddress.number")
    port = fields.number(heap, holder, "SocketAddress.port")
    if number is None or port is None:
        return None
    return f"{IPv4Address(number & _IPV4_MASK)}:{port}"
