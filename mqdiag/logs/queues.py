"""Queues and requests as RocketMQ prints them, the same in all versions."""

from __future__ import annotations

from functools import lru_cache

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.tally import NOBODY, Subject

_QUEUE = lazy_pattern(
    r"MessageQueue ?\[topic=([^,\]]{1,300}), brokerName=([^,\]]{1,200}), queueId=(-?\d{1,9})\]"
)
_GROUP = lazy_pattern(r"PullRequest \[consumerGroup=([^,\]]{1,300}),")
_POP_GROUP = lazy_pattern(r"PopRequest \[topic=[^,]{1,300}, consumerGroup=([^,\]]{1,300}),")
_NEXT = lazy_pattern(r"nextOffset=(-?\d{1,19})")


@lru_cache(maxsize=16)
def queue_in(text: str) -> Subject:
    """The first MessageQueue of a line, with the group of the request around it."""
    found = _QUEUE.search(text)
    group = group_in(text)
    if found is None:
        return NOBODY if group is None else Subject(group=group)
    return Subject(group=group, topic=found[1], broker=found[2], queue_id=int(found[3]))


def group_in(text: str) -> str | None:
    """The group of a PullRequest or PopRequest."""
    found = _GROUP.search(text) or _POP_GROUP.search(text)
    return None if found is None else found[1]


def next_offset(text: str) -> int | None:
    """The offset that a request asks for."""
    found = _NEXT.search(text)
    return None if found is None else int(found[1])
