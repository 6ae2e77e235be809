"""The caches of all consumers of a JVM against its heap."""

from __future__ import annotations

import msgspec

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.bounds import CacheLimits, cache_limits
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.facts.ratios import ratio


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """The caches of all consumers of the JVM against its heap."""

    consumers: int
    """that cache messages"""
    largest: ConsumerFacts
    """the one that caches most"""
    known: tuple[tuple[ConsumerFacts, CacheLimits], ...]
    """consumers of which it is known how much they may cache"""
    held_bytes: int
    """message bodies that are cached now"""
    bound_bytes: int | None
    """message bodies that the thresholds of the known consumers allow"""
    heap_bytes: int
    """the maximum size of the heap, or the size of all objects in the dump where the maximum is unknown"""
    heap_is_known: bool
    out_of_memory: bool
    """the heap was full when the dump was written"""
    incomplete: bool
    """whether more may be cached than the dump shows"""

    @property
    def held_share(self) -> float | None:
        """Cached bodies, of the heap."""
        return ratio(self.held_bytes, self.heap_bytes)

    @property
    def bound_share(self) -> float | None:
        """Bodies that the thresholds allow, of the heap."""
        return ratio(self.bound_bytes, self.heap_bytes)


def load_of(facts: Facts, heap: HeapFacts) -> Load | None:
    """The sums; None when no consumer caches anything."""
    caching = [consumer for consumer in heap.consumers if consumer.traits.caches_messages]
    if not caching:
        return None
    limits = [(consumer, cache_limits(consumer)) for consumer in caching]
    known = tuple((consumer, found) for consumer, found in limits if found is not None)
    in_executors = sum(consumer.body_bytes for consumer in caching if not consumer.traits.messages_in_queues)
    in_queues = 0 if heap.message_totals is None else heap.message_totals.in_queues_body_bytes
    return Load(
        consumers=len(caching),
        largest=max(caching, key=lambda consumer: (consumer.body_bytes, consumer.bound_bytes or 0)),
        known=known,
        held_bytes=in_queues + in_executors,
        bound_bytes=sum(consumer.bound_bytes or 0 for consumer, _ in known) if known else None,
        heap_bytes=heap.limit_bytes or heap.in_use_bytes,
        heap_is_known=heap.limit is not None,
        out_of_memory=heap.out_of_memory and not heap.had_room(whole=facts.heap_is_whole),
        incomplete=not facts.heap_is_whole,
    )
