"""Which stores are of one broker: a slave's queues are copies of its master's, entry by entry."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import combinations

from mqdiag.facts.stores import StoreFacts, StorePair, StoreQueue
from mqdiag.read.stores.consume_queue import ConsumeQueue
from mqdiag.text import say

MOST_COMPARED = 64
"""queues that are looked into; each tells alone"""
MOST_STORES = 64
"""stores that are compared with each other"""


def pair_stores(stores: Sequence[StoreFacts], opened: Mapping[str, str]) -> tuple[StorePair, ...]:
    """The pairs among the stores.

    Args:
        stores: all that were read.
        opened: where each can be opened, by its path; a listing has no place.
    """
    found = []
    for one, other in combinations(stores[:MOST_STORES], 2):
        if one.role is not None and one.role == other.role:
            continue
        first, second = (other, one) if one.role == "slave" or other.role == "master" else (one, other)
        pair = _pair(first, second, opened)
        if pair is not None:
            found.append(pair)
    return tuple(found)


def _pair(first: StoreFacts, second: StoreFacts, opened: Mapping[str, str]) -> StorePair | None:
    mine = {(queue.topic, queue.queue_id): queue for queue in first.queues}
    theirs = {(queue.topic, queue.queue_id): queue for queue in second.queues}
    shared = sorted(mine.keys() & theirs.keys())
    if first.path not in opened or second.path not in opened:
        return _by_names(first, second, len(shared))
    same = differ = 0
    diverged = False
    for topic, queue_id in shared:
        common = _common(mine[topic, queue_id], theirs[topic, queue_id])
        if common is None:
            continue
        queues = [
            ConsumeQueue(os.path.join(opened[store.path], "consumequeue", topic, str(queue_id)))
            for store in (first, second)
        ]
        begin, end = ([queue.entry(offset) for queue in queues] for offset in common)
        for queue in queues:
            queue.close()
        if begin[0] is not None and begin[0] == begin[1]:
            same += 1
            diverged |= end[0] != end[1]
        else:
            differ += 1
        if same + differ >= MOST_COMPARED:
            break
    if not same or differ > same:
        return None
    proof = say(
        "{same} of {compared} compared queues begin with the same entry", same=same, compared=same + differ
    )
    return StorePair(first=first.path, second=second.path, proof=proof, diverged=diverged)


def _by_names(first: StoreFacts, second: StoreFacts, shared: int) -> StorePair | None:
    """Listings tell only that both have the same queues; who put two of them side by side means them."""
    total = max(len(first.queues), len(second.queues))
    if not shared or shared * 2 < total:
        return None
    return StorePair(
        first=first.path,
        second=second.path,
        proof=say("{shared} of {total} queues are in both, by their names", shared=shared, total=total),
    )


def _common(mine: StoreQueue, theirs: StoreQueue) -> tuple[int, int] | None:
    """First and last offset that both hold."""
    low = max(mine.min_offset or 0, theirs.min_offset or 0)
    high = min(mine.max_at_least or 0, theirs.max_at_least or 0) - 1
    return (low, high) if low <= high else None
