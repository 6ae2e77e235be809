"""What Netty holds for the connections of a proxy: chunks of its arenas, and answers that are not sent.

Over HTTP/2 answers wait in the flow control of their stream, over other connections in the outbound buffer.

Source: PoolChunk, DefaultHttp2RemoteFlowController and ChannelOutboundBuffer of Netty 4.1.
"""

from __future__ import annotations

from collections import Counter
from ipaddress import IPv4Address

import numpy as np

from mqdiag.facts.servers import NettyMemory, UnsentOutput
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq import fields

_ROWS = 10
_IPV4_MASK = 0xFFFFFFFF


def netty_memory(heap: Heap) -> NettyMemory | None:
    """Over all copies of Netty in the process; None where there is none.

    For each message in an outbound buffer, the unsent bytes have the 96 bytes that Netty adds for its entry
    (`CHANNEL_OUTBOUND_BUFFER_ENTRY_OVERHEAD`).
    """
    roots = sorted(fields.package_roots(heap, "NettyChunk"))
    if not roots:
        return None
    chunks = _all(heap, roots, "NettyChunk")
    chunk_bytes = _sum(heap, chunks, "NettyChunk.bytes")
    free_bytes = _sum(heap, chunks, "NettyChunk.free_bytes")
    streams = _all(heap, roots, "Http2Output")
    buffers = _accepted(heap, _all(heap, roots, "OutboundBuffer"))
    in_streams = _sum(heap, streams, "Http2Output.unsent_bytes")
    in_buffers = _sum(heap, buffers, "OutboundBuffer.unsent_bytes")
    of_streams = fields.numbers(heap, streams, "Http2Output.unsent_bytes")
    sizes = np.concatenate((of_streams, fields.numbers(heap, buffers, "OutboundBuffer.unsent_bytes")))
    channels = np.concatenate(
        (_channels_of(heap, streams), fields.refs(heap, buffers, "OutboundBuffer.channel"))
    )
    waiting = sizes > 0
    by_channel: Counter[int] = Counter()
    for channel, size in zip(channels[waiting].tolist(), sizes[waiting].tolist(), strict=True):
        by_channel[channel] += size
    return NettyMemory(
        chunks=int(chunks.size),
        chunk_bytes=chunk_bytes,
        used_bytes=None if chunk_bytes is None or free_bytes is None else chunk_bytes - free_bytes,
        unsent_bytes=None if in_streams is None or in_buffers is None else in_streams + in_buffers,
        unsent_streams=None if in_streams is None else int((of_streams > 0).sum()),
        unsent=tuple(
            UnsentOutput(peer=_peer(heap, channel), unsent_bytes=size)
            for channel, size in by_channel.most_common(_ROWS)
        ),
    )


def _all(heap: Heap, roots: list[str], role: str) -> Nodes:
    return np.concatenate([fields.instances(heap, root, role) for root in roots])


def _sum(heap: Heap, nodes: Nodes, role: str) -> int | None:
    """The sum of a field over all nodes; None where one of them does not have it."""
    sizes = fields.numbers(heap, nodes, role)
    return None if (sizes == heap.MISSING).any() else int(np.maximum(sizes, 0).sum())


def _accepted(heap: Heap, buffers: Nodes) -> Nodes:
    """Those of connections that clients opened: in the others requests wait for a broker."""
    return buffers[fields.refs(heap, buffers, "OutboundBuffer.channel", "Channel.parent") >= 0]


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
