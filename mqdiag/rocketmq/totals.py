"""All messages of the heap by what holds them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.heap import MessageHolder
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq.holders import Holdings, find_holders, holder_name

_MAX_HOLDERS = 10
_MAX_PATHS = 3


@dataclass(frozen=True, kw_only=True)
class Split:
    """Reachable messages, each under the first that applies; int32 node arrays."""

    reachable: Nodes
    unreachable: int
    in_queues: Nodes
    in_executors: Nodes
    in_frames: Nodes
    elsewhere: Nodes
    holdings: Holdings
    """of those elsewhere"""


def split_messages(heap: Heap, messages: Nodes, queued: Nodes, requested: Nodes) -> Split:
    """Sort out all messages.

    Args:
        heap: the graph.
        messages: all MessageExt of the file, reachable or not.
        queued: those in the maps of ProcessQueues.
        requested: those in the requests of executors.
    """
    there = heap.reachable(messages)
    reachable = messages[there]
    is_queued = np.isin(reachable, queued)
    is_requested = np.isin(reachable, requested) & ~is_queued
    rest = reachable[~is_queued & ~is_requested]
    # a local variable is a frame's even when something else holds the message too
    is_local = np.isin(rest, heap.references.extra_to)
    holdings = find_holders(heap, rest[~is_local])
    others = rest[~is_local]
    outside = ~holdings.in_frames
    return Split(
        reachable=reachable,
        unreachable=int((~there).sum()),
        in_queues=reachable[is_queued],
        in_executors=reachable[is_requested],
        in_frames=np.sort(np.concatenate((rest[is_local], others[holdings.in_frames]))),
        elsewhere=others[outside],
        holdings=Holdings(
            owners=holdings.owners[outside],
            children=holdings.children[outside],
            in_frames=holdings.in_frames[outside],
        ),
    )


def message_holders(heap: Heap, split: Split) -> tuple[MessageHolder, ...]:
    """Holders of the messages elsewhere, most messages first."""
    pairs, counts = _pairs(split.holdings)
    order = np.argsort(-counts, kind="stable")[:_MAX_HOLDERS].tolist()
    found = []
    for rank, at in enumerate(order):
        owner, child = (int(node) for node in pairs[at])
        if owner < 0:
            continue
        holder, field = holder_name(heap, owner, child)
        weight = child if field and owner in heap.class_of_node else owner
        found.append(
            MessageHolder(
                holder_class=holder,
                holder_field=field,
                object_id=hex(heap.object_id(child if child >= 0 else owner)),
                messages=int(counts[at]),
                retained_bytes=int(heap.retained_sizes(np.array([weight], np.int32))[0]),
                path=tuple(heap.path_to_root(child if child >= 0 else owner)) if rank < _MAX_PATHS else (),
            )
        )
    return tuple(found)


def _pairs(holdings: Holdings) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Distinct (owner, child), and how many objects each keeps."""
    stacked = np.stack((holdings.owners, holdings.children), axis=1)
    if not stacked.size:
        return stacked, np.empty(0, np.int64)
    pairs, counts = np.unique(stacked, axis=0, return_counts=True)
    return pairs, counts
