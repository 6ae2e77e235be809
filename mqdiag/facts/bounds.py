"""How many bytes a consumer may cache by its own thresholds, and which thresholds a heap can bear.

The remoting client asks before each pull whether a queue's cached count is above `pullThresholdForQueue` or its cached
bodies above `pullThresholdSizeForQueue` MiB, per queue: nothing bounds the sum over queues and consumers.
Source: DefaultMQPushConsumerImpl.pullMessage, clients 3.2.6 to 5.5.0. The gRPC client divides the limits of the
consumer over its queues.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import msgspec

from mqdiag.facts.heap import ConfigValue, ConsumerFacts

MIB = 1024 * 1024
LEAST_MESSAGES = 32
"""messages that must be seen before their mean body says anything"""
BROKER_BATCH_MESSAGES = 32
"""most messages of one pull from memory: broker's maxTransferCountOnMessageInMemory"""
BROKER_BATCH_BYTES = 256 * 1024
"""stored bytes after which a pull from memory ends: broker's maxTransferBytesOnMessageInMemory"""
ESTIMATED_OVERHEAD_BYTES = 2048
"""heap of one cached message besides its body, where it cannot be measured: objects, properties, request"""


class CacheLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What bounds the cache of one consumer."""

    queues: int
    """1 where the settings limit the consumer as a whole"""
    threshold: int
    """messages a queue, or all that the consumer may cache"""
    size_mib: float | None
    """MiB a queue, or of the consumer; None where the client has no size limit (before 4.2.0, and pop)"""
    average_body_bytes: float
    size_slack_mib: int = 1
    """the remoting client compares whole MiB with ">", so a queue may fill up to one MiB more"""

    def bound_bytes(self, *, threshold: int | None = None, size_mib: float | None = None) -> int:
        """Bytes of bodies over all queues, under these limits or under lower ones.

        Args:
            threshold: applies where it is below the consumer's own.
            size_mib: applies where it is below the consumer's own; nothing where it has none.
        """
        count = self.threshold if threshold is None else min(threshold, self.threshold)
        one_queue = count * self.average_body_bytes
        if self.size_mib is not None:
            size = self.size_mib if size_mib is None else min(size_mib, self.size_mib)
            one_queue = min(one_queue, (size + self.size_slack_mib) * MIB)
        return round(self.queues * one_queue)


def whole(value: ConfigValue) -> int | None:
    """The number of a setting, None if it is absent or no number."""
    return None if value is None or isinstance(value, bool | str) else int(value)


def count_limit(consumer: ConsumerFacts) -> int | None:
    """Messages that a queue, or the consumer, may hold; None where the setting is unknown or there is none."""
    return whole(consumer.config.get(consumer.traits.count_setting or ""))


def size_limit_mib(consumer: ConsumerFacts) -> float | None:
    """MiB of bodies that a queue, or the consumer, may hold; None where nothing limits them."""
    limit = whole(consumer.config.get(consumer.traits.size_setting or ""))
    return limit / MIB if limit is not None and consumer.traits.size_in_bytes else limit


def cache_limits(consumer: ConsumerFacts) -> CacheLimits | None:
    """A consumer's limits; None where a part is unknown or it caches nothing (a plain pull consumer)."""
    traits, threshold = consumer.traits, count_limit(consumer)
    if not traits.caches_messages or threshold is None or consumer.bounded_queues is None:
        return None
    if consumer.average_body_bytes is None or consumer.measured_messages < LEAST_MESSAGES:
        return None
    by_queue = traits.limit_scope == "queue"
    return CacheLimits(
        queues=consumer.bounded_queues if by_queue else 1,
        # a limit of the consumer is divided over its queues, and each may hold one message at least
        threshold=threshold if by_queue else max(threshold, consumer.bounded_queues),
        size_mib=size_limit_mib(consumer),
        average_body_bytes=consumer.average_body_bytes,
        size_slack_mib=0 if traits.size_in_bytes else 1,
    )


def largest_bound_bytes(
    limits: CacheLimits,
    *,
    largest_body_bytes: int,
    average_stored_bytes: float | None,
    expansion: float,
    batch: int,
    overhead_bytes: float,
    orphan_body_bytes: int = 0,
) -> int:
    """Most heap the cache can take: largest bodies, one pull of overshoot, the objects around each message.

    Args:
        limits: the consumer's thresholds.
        largest_body_bytes: largest body seen.
        average_stored_bytes: mean storeSize on the broker, which ends a pull; None if unknown.
        expansion: largest body length over stored size, for messages that the producer compressed; at least 1.
        batch: pullBatchSize.
        overhead_bytes: heap of a message besides its body.
        orphan_body_bytes: bodies in dropped queues that are still held; no threshold counts them.
    """
    by_bytes = BROKER_BATCH_MESSAGES
    if average_stored_bytes:
        by_bytes = max(1, int(BROKER_BATCH_BYTES // average_stored_bytes))
    overshoot = max(1, min(batch, BROKER_BATCH_MESSAGES, by_bytes))
    messages = limits.threshold + overshoot
    bodies = messages * largest_body_bytes
    if limits.size_mib is not None:
        one_pull = max(BROKER_BATCH_BYTES * max(1.0, expansion), largest_body_bytes)
        bodies = min(bodies, round((limits.size_mib + 1) * MIB - 1 + one_pull))
    return round(limits.queues * (bodies + messages * overhead_bytes)) + orphan_body_bytes


def largest_divided_bound_bytes(
    limits: CacheLimits, *, queues: int, largest_body_bytes: int, batch: int, overhead_bytes: float
) -> int:
    """The same for limits that are divided over the queues of a consumer, as the gRPC client does.

    A queue never asks for more messages than it still may hold, but for at least one. A queue below its share of the
    size gets one batch more. Source: ProcessQueueImpl.getReceptionBatchSize and isCacheFull of client-java 5.0.0 to
    5.2.0.
    """
    bodies = limits.threshold * largest_body_bytes
    if limits.size_mib is not None:
        bodies = min(bodies, round(limits.size_mib * MIB) + queues * batch * largest_body_bytes)
    return round(bodies + limits.threshold * overhead_bytes)


class Recommendation(msgspec.Struct, frozen=True, kw_only=True):
    """Thresholds under which all consumers of the JVM together stay within a share of the heap."""

    threshold: int
    size_mib: int | None
    allowed_bytes: int


def recommend(consumers: Iterable[CacheLimits], heap_bytes: int, share: float) -> Recommendation | None:
    """The largest thresholds that keep the sum of all bounds within `share` of the heap; at least 1 each.

    Each of the two is enough by itself: the count while messages keep their mean size, the size when they
    grow. Consumers that already have a lower value keep it.
    """
    known = [limits for limits in consumers if limits.queues > 0]
    if not known:
        return None
    allowed = int(heap_bytes * share)
    threshold = _largest(
        max(limits.threshold for limits in known),
        lambda value: sum(limits.bound_bytes(threshold=value) for limits in known) <= allowed,
    )
    sizes = [limits.size_mib for limits in known if limits.size_mib is not None]
    size_mib = None
    if sizes:
        size_mib = _largest(
            math.ceil(max(sizes)),
            lambda value: sum(limits.bound_bytes(size_mib=value) for limits in known) <= allowed,
        )
    return Recommendation(threshold=threshold, size_mib=size_mib, allowed_bytes=allowed)


def _largest(highest: int, fits: Callable[[int], bool]) -> int:
    """Largest value from 1 to `highest` that fits; 1 if none does. `fits` is monotone."""
    low, high = 1, max(1, highest)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low
