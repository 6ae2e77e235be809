"""Messages that consumers cache, or may cache by their thresholds, do not fit the heap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.bounds import (
    CacheLimits,
    Recommendation,
    cache_limits,
    count_limit,
    recommend,
    size_limit_mib,
    whole,
)
from mqdiag.facts.heap import ConsumerFacts, MessageTotals
from mqdiag.findings import Confidence, EvidenceValue, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.rules.wording import mib
from mqdiag.text import say


def fires() -> Facts:
    """The article's dump: 55 queues x 100 messages x 428,311 bytes in a heap of 2 GiB, 70 of 100 there."""
    messages = 55 * 70
    consumer = ConsumerFacts(
        group="CID_wash",
        kind="push",
        config={"pullThresholdForQueue": 100, "pullThresholdSizeForQueue": 100},
        queues=56,
        messages=messages,
        body_bytes=messages * 428_311,
        bounded_queues=55,
        bound_bytes=55 * 100 * 428_311,
        average_body_bytes=428_311.0,
        largest_body_bytes=500_000,
        measured_messages=messages,
    )
    heap = HeapFacts(
        objects=200_000,
        shallow_bytes=1_750_000_000,
        unreachable_objects=0,
        unreachable_bytes=0,
        heap_bytes=2 * 1024**3,
        heap_bytes_source="option",
        consumers=(consumer,),
        process_queues=56,
        messages=messages,
        messages_in_queues=messages,
        message_totals=MessageTotals(in_queues=messages, in_queues_body_bytes=messages * 428_311),
        out_of_memory=True,
    )
    return Facts(heap=heap)


def silent() -> Facts:
    """The same consumer with the recommended threshold, its queues one pull above it."""
    heap = fires().heap
    assert heap is not None
    messages = 55 * 28
    consumer = msgspec.structs.replace(
        heap.consumers[0],
        config={"pullThresholdForQueue": 27, "pullThresholdSizeForQueue": 100},
        messages=messages,
        body_bytes=messages * 428_311,
        bound_bytes=55 * 27 * 428_311,
        measured_messages=messages,
    )
    replaced = msgspec.structs.replace(
        heap,
        consumers=(consumer,),
        messages=messages,
        messages_in_queues=messages,
        message_totals=MessageTotals(in_queues=messages, in_queues_body_bytes=messages * 428_311),
        out_of_memory=False,
    )
    return Facts(heap=replaced)


@dataclass(frozen=True, kw_only=True)
class Load:
    """The caches of all consumers of the JVM against its heap."""

    consumer: ConsumerFacts
    """the one that weighs most"""
    known: tuple[tuple[ConsumerFacts, CacheLimits], ...]
    held_bytes: int
    bound_bytes: int | None
    heap_bytes: int
    total_serves: bool
    """the heap's size is unknown and the dump's total stands for it"""
    out_of_memory: bool

    @property
    def held_share(self) -> float:
        """Bodies held, of the heap."""
        return self.held_bytes / self.heap_bytes if self.heap_bytes else 0.0

    @property
    def bound_share(self) -> float:
        """Bodies allowed, of the heap."""
        return (self.bound_bytes or 0) / self.heap_bytes if self.heap_bytes else 0.0


def load(heap: HeapFacts) -> Load | None:
    """Sum up; None when no consumer caches anything."""
    caching = [consumer for consumer in heap.consumers if consumer.traits.caches_messages]
    if not caching:
        return None
    limits = [(consumer, cache_limits(consumer)) for consumer in caching]
    known = tuple((consumer, found) for consumer, found in limits if found is not None)
    in_executors = sum(consumer.body_bytes for consumer in caching if not consumer.traits.messages_in_queues)
    total = (heap.shallow_bytes or 0) + (heap.unreachable_bytes or 0)
    return Load(
        consumer=max(caching, key=lambda consumer: (consumer.body_bytes, consumer.bound_bytes or 0)),
        known=known,
        held_bytes=(0 if heap.message_totals is None else heap.message_totals.in_queues_body_bytes)
        + in_executors,
        bound_bytes=sum(consumer.bound_bytes or 0 for consumer, _ in known) if known else None,
        heap_bytes=heap.heap_bytes or total,
        total_serves=heap.heap_bytes is None,
        out_of_memory=heap.out_of_memory,
    )


@rule(
    name="consumer-cache-exceeds-heap",
    title="The consumers' message cache does not fit the heap",
    why=(
        "pullThresholdForQueue and pullThresholdSizeForQueue bound one local queue, not the consumer. A"
        " consumer with many queues, large messages and a listener slower than the producer fills every queue"
        " to its threshold, and queues x threshold x body is more than the heap. The defaults (1,000 messages"
        " and 100 MiB a queue) protect no ordinary heap."
    ),
    causes=("oversized-thresholds",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Lower pullThresholdForQueue and pullThresholdSizeForQueue so that the sum over all queues stays within"
        " about a third of the heap.",
        "Or give the JVM more heap, or spread the queues over more instances.",
        "Find out why the listener is slower than the producer: the cache only fills behind a slow listener.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/5262",
        "DefaultMQPushConsumerImpl.pullMessage: cached count and size are compared per ProcessQueue",
    ),
    needs=("heap",),
    limits={
        "held_share_error": 0.5,
        "held_share_with_bound_error": 0.25,
        "bound_share_error": 1.0,
        "bound_share_warning": 0.6,
        "recommended_share": 0.3,
    },
    explained_by=("config-not-in-force",),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """At most one finding for the JVM, about the consumer that weighs most."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    found = load(heap)
    if found is None:
        return
    full = found.held_share >= limits["held_share_error"]
    too_large = found.bound_share > limits["bound_share_error"] and (
        found.held_share >= limits["held_share_with_bound_error"] or found.out_of_memory
    )
    could = found.bound_share > limits["bound_share_warning"]
    if not (full or too_large or could):
        return
    if found.total_serves and not found.out_of_memory:
        yield Skip(
            reason=say(
                "the heap's size is in no static of this dump and no OutOfMemoryError wrote it:"
                " give --heap-limit with the JVM's -Xmx"
            )
        )
        return
    severity = Severity.ERROR if full or too_large else Severity.WARNING
    advice = recommend((limit for _, limit in found.known), found.heap_bytes, limits["recommended_share"])
    yield Draft(
        severity=severity,
        cause="oversized-thresholds",
        confidence=_confidence(severity, found),
        confidence_reason=_confidence_reason(severity, found),
        title=_title(severity, found),
        subject=Subject(group=found.consumer.group),
        evidence=_evidence(heap, found, advice),
        explanation=tuple(_explanation(found, advice, limits["recommended_share"])),
        remedy=tuple(_remedy(found, advice, limits["recommended_share"])),
        weight=found.held_share,
    )


def _confidence(severity: Severity, found: Load) -> Confidence:
    return Confidence.MEDIUM if found.total_serves or severity is Severity.WARNING else Confidence.HIGH


def _confidence_reason(severity: Severity, found: Load) -> str:
    if found.total_serves:
        return say("the JVM's -Xmx is unknown; the dump's own total, a lower bound, stands for it")
    if severity is Severity.WARNING:
        return say("this is what the thresholds allow; the queues hold less at this moment")
    return say("held bytes and thresholds were read from the live objects of the dump")


def _title(severity: Severity, found: Load) -> str:
    group = say("consumer group {group}", group=found.consumer.group)
    if severity is Severity.WARNING:
        return say(
            (
                "Consumer group {group} may cache {bound_bytes:bytes} of messages, {bound_share:percent} of"
                " the heap, if its listener falls behind"
            ),
            group=found.consumer.group,
            bound_bytes=found.bound_bytes or 0,
            bound_share=found.bound_share,
        )
    held = say(
        "{held_bytes:bytes} ({held_share:percent} of the heap)",
        held_bytes=found.held_bytes,
        held_share=found.held_share,
    )
    if found.bound_bytes is None or found.bound_share <= 1:
        return say("Messages cached for {group} take {held}", group=group, held=held)
    return say(
        (
            "The message cache of {group} does not fit the heap: it may grow to {bound_bytes:bytes} and"
            " already takes {held}"
        ),
        group=group,
        bound_bytes=found.bound_bytes,
        held=held,
    )


def _evidence(heap: HeapFacts, found: Load, advice: Recommendation | None) -> dict[str, EvidenceValue]:
    consumer = found.consumer
    size = size_limit_mib(consumer)
    return {
        "process_queues": consumer.bounded_queues,
        "threshold": count_limit(consumer),
        "threshold_bytes": None if size is None else size * 1024 * 1024,
        "average_body_bytes": consumer.average_body_bytes,
        "largest_body_bytes": consumer.largest_body_bytes,
        "held_bytes": found.held_bytes,
        "held_share": round(found.held_share, 4),
        "bound_bytes": found.bound_bytes,
        "heap_bytes": heap.heap_bytes,
        "heap_bytes_source": heap.heap_bytes_source,
        "dump_total_bytes": found.heap_bytes if found.total_serves else None,
        "recommended_threshold": None if advice is None else advice.threshold,
        "recommended_threshold_mib": None if advice is None else advice.size_mib,
        "consumers": len(found.known),
    }


def _explanation(found: Load, advice: Recommendation | None, share: float) -> Iterator[str]:
    size = say("the heap is {heap_bytes:bytes}", heap_bytes=found.heap_bytes)
    if found.total_serves:
        size = say(
            "the dump holds {heap_bytes:bytes} in all, and the heap is at least that",
            heap_bytes=found.heap_bytes,
        )
    for consumer, limit in found.known:
        of = say(" of {group}", group=consumer.group) if len(found.known) > 1 else ""
        line = say(
            "{queues}{of} x {messages} x {average_body_bytes:count} bytes",
            queues=say("{number:count} {number:queue|queues}", number=limit.queues),
            of=of,
            messages=say("{number:count} {number:message|messages}", number=limit.threshold),
            average_body_bytes=limit.average_body_bytes,
        )
        by_count = round(limit.queues * limit.threshold * limit.average_body_bytes)
        bound = limit.bound_bytes()
        if bound < by_count and limit.size_mib is not None:
            line += say(
                (
                    " would be {by_count:bytes}, but pullThresholdSizeForQueue stops each queue below"
                    " {size_mib:count} MiB: {bound:bytes}"
                ),
                by_count=by_count,
                size_mib=limit.size_mib + 1,
                bound=bound,
            )
        else:
            line += f" = {mib(bound)}"
        yield line + (f"; {size}" if len(found.known) == 1 else "") + say(".")
    if len(found.known) > 1:
        yield say("Together {bound_bytes:bytes}; {size}.", bound_bytes=found.bound_bytes or 0, size=size)
    if not found.known:
        yield say("Too few messages were seen to say what the thresholds allow; {size}.", size=size)
    early = found.out_of_memory and found.held_bytes < (found.bound_bytes or 0)
    yield (
        say(
            "At this moment {held_bytes:bytes} of bodies are held, {held_share:percent} of it.",
            held_bytes=found.held_bytes,
            held_share=found.held_share,
        )
        + (say(" The OutOfMemoryError came before the queues were full.") if early else "")
    )
    if advice is not None and found.known:
        parts = " + ".join(
            f"{limit.queues:,} x {min(advice.threshold, limit.threshold):,} x {limit.average_body_bytes:,.0f}"
            for _, limit in found.known
        )
        sum_bytes = sum(limit.bound_bytes(threshold=advice.threshold) for _, limit in found.known)
        yield (
            say(
                (
                    "With {threshold:count} messages a queue: {parts} bytes = {sum_bytes:bytes},"
                    " {sum_bytes_2:percent} of the heap; the aim is {share:percent} ({allowed_bytes:bytes})."
                ),
                threshold=advice.threshold,
                parts=parts,
                sum_bytes=sum_bytes,
                sum_bytes_2=sum_bytes / found.heap_bytes,
                share=share,
                allowed_bytes=advice.allowed_bytes,
            )
        )
        if sum_bytes > advice.allowed_bytes:
            yield say("1 message a queue is the least there is: this heap is too small for so many queues.")
        by_size = sum(limit.bound_bytes(size_mib=advice.size_mib) for _, limit in found.known)
        if advice.size_mib == 1 and by_size > advice.allowed_bytes:
            yield (
                say(
                    (
                        "pullThresholdSizeForQueue cannot go below 1 MiB and alone would still allow"
                        " {by_size:bytes}: here the number of messages has to do it."
                    ),
                    by_size=by_size,
                )
            )


def _remedy(found: Load, advice: Recommendation | None, share: float) -> Iterator[str]:
    consumer = found.consumer
    setting = consumer.traits.count_setting or ""
    has_size_limit = consumer.traits.size_setting is not None
    setter = f"set{setting[0].upper()}{setting[1:]}"
    if advice is not None:
        calls = f"{setter}({advice.threshold})"
        if advice.size_mib is not None and has_size_limit:
            calls += say(" and setPullThresholdSizeForQueue({size_mib})", size_mib=advice.size_mib)
        yield (
            say(
                "On the consumer of {group} call {calls} before start(); now {setting}={threshold}",
                group=consumer.group,
                calls=calls,
                setting=setting,
                threshold=count_limit(consumer),
            )
            + (
                say(
                    ", pullThresholdSizeForQueue={size_setting}.",
                    size_setting=size_limit_mib(consumer),
                )
                if advice.size_mib is not None and has_size_limit
                else "."
            )
        )
        if consumer.traits.spring_lifecycle:
            yield (
                say(
                    "With rocketmq-spring: let the listener implement"
                    " RocketMQPushConsumerLifecycleListener and call the same setters in prepareStart,"
                    " for example consumer.{setter}({threshold}).",
                    setter=setter,
                    threshold=advice.threshold,
                )
            )
        per_topic = whole(consumer.config.get("pullThresholdForTopic"))
        if per_topic is not None and per_topic > 0:
            yield (
                say(
                    (
                        "pullThresholdForTopic={per_topic} is set: at each rebalance it overwrites"
                        " pullThresholdForQueue with its share, so set it to {threshold:count} instead."
                    ),
                    per_topic=per_topic,
                    threshold=advice.threshold * max(1, consumer.queues),
                )
            )
    elif found.bound_bytes is None:
        yield say(
            "Lower {setting} of the consumer of {group} (now {threshold}).",
            setting=setting,
            group=consumer.group,
            threshold=count_limit(consumer),
        )
    if found.bound_bytes:
        yield (
            say(
                (
                    "Or run with at least {bound_bytes:bytes} of heap, or with more instances so that each has"
                    " fewer queues."
                ),
                bound_bytes=found.bound_bytes / share,
            )
        )
    yield (
        say(
            "Then look at the listener: take five thread dumps a few seconds apart and run"
            " `mqdiag stacks` on them; the cache fills only behind a listener that is slow or"
            " stuck."
        )
    )
