"""Where most consume threads of a group are in one heap dump, and for how long they have had their messages."""

from __future__ import annotations

from collections import defaultdict

import msgspec

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import HeapThread
from mqdiag.findings import EvidenceValue
from mqdiag.knowledge.words import Words
from mqdiag.text import Text

WORDS = Words("place_of_work")


class PlaceOfWork(msgspec.Struct, frozen=True, kw_only=True):
    """The frame in which most of the threads are that work on a message."""

    frame: str
    """the application's own frame nearest to the wait, or the listener's"""
    threads: int
    pool_threads: int
    longest_age_ms: int | None
    """age of the messages in hand there; None where no start time is known"""

    @property
    def evidence(self) -> dict[str, EvidenceValue]:
        """The keys that `said` reads."""
        return {
            "worker_frame": self.frame,
            "workers_there": self.threads,
            "workers": self.pool_threads,
            "worker_age_ms": self.longest_age_ms,
        }

    @property
    def said(self) -> Text:
        """The sentence."""
        return WORDS.say("place" if self.longest_age_ms is None else "place-and-time")


def place_of_work(heap: HeapFacts, group: str) -> PlaceOfWork | None:
    """The place of work of one group; None where the dump shows no listener at work."""
    places: dict[str, list[HeapThread]] = defaultdict(list)
    for thread in heap.threads:
        if thread.message is not None and thread.message.group == group and thread.call is not None:
            places[_frame(thread).partition("(")[0]].append(thread)
    if not places:
        return None
    most = max(places.values(), key=len)
    ages = [one.message.age_ms for one in most if one.message is not None and one.message.age_ms is not None]
    pools = [one.pool_threads or 0 for one in heap.consumers if one.group == group]
    working = sum(map(len, places.values()))
    return PlaceOfWork(
        frame=_frame(most[0]),
        threads=len(most),
        pool_threads=max(sum(pools), working),
        longest_age_ms=max(ages, default=None),
    )


def _frame(thread: HeapThread) -> str:
    assert thread.call is not None
    return thread.call.frame or thread.call.listener
