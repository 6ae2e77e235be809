"""Where most consume threads of a group are in one heap dump, and for how long they have had their messages."""

from __future__ import annotations

from collections import defaultdict

import msgspec

from mqdiag.facts.heap import HeapFacts
from mqdiag.facts.heap_threads import HeapThread


class PlaceOfWork(msgspec.Struct, frozen=True, kw_only=True):
    """The frame in which most of the threads are that work on a message."""

    frame: str
    """the application's own frame nearest to the wait, or the listener's"""
    threads: int
    pool_threads: int
    longest_age_ms: int | None
    """age of the messages in hand there; None where no start time is known"""


def place_of_work(heap: HeapFacts, group: str) -> PlaceOfWork | None:
    """The place of work of one group; None where the dump shows no listener at work."""
    places: dict[str, list[HeapThread]] = defaultdict(list)
    frames: dict[str, str] = {}
    for thread in heap.threads:
        if thread.message is not None and thread.message.group == group and thread.call is not None:
            frame = thread.call.frame or thread.call.listener
            method = frame.partition("(")[0]
            frames.setdefault(method, frame)
            places[method].append(thread)
    if not places:
        return None
    method = max(places, key=lambda name: len(places[name]))
    most = places[method]
    ages = [one.message.age_ms for one in most if one.message is not None and one.message.age_ms is not None]
    pools = [one.pool_threads or 0 for one in heap.consumers if one.group == group]
    working = sum(map(len, places.values()))
    return PlaceOfWork(
        frame=frames[method],
        threads=len(most),
        pool_threads=max(sum(pools), working),
        longest_age_ms=max(ages, default=None),
    )
