"""Messages that consumers cache, or may cache by their thresholds, do not fit the heap."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.bounds import (
    MIB,
    CacheLimits,
    Recommendation,
    cache_limits,
    count_limit,
    recommend,
    size_limit_mib,
    whole,
)
from mqdiag.facts.heap import ConsumerFacts, MessageTotals
from mqdiag.facts.ratios import ratio
from mqdiag.findings import Confidence, EvidenceValue, Margin, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.equal_numbers import owner_evidence, owner_remedy, owner_said
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.rules.shared.place_of_work import PlaceOfWork, place_of_work
from mqdiag.text import Text, say, sentences

FOR_TOPIC = "pullThresholdForTopic"

RULE = Rule(
    name="consumer-cache-exceeds-heap",
    title="The message cache of the consumers does not fit the heap",
    why=(
        "pullThresholdForQueue and pullThresholdSizeForQueue limit one local queue, not the consumer. If the listener"
        " is slower than the producer, the consumer fills each of its queues up to the threshold. With many queues and"
        " large messages, queues x threshold x body size is more than the heap. The defaults (1,000 messages and"
        " 100 MiB for each queue) are too high to protect an ordinary heap. The gRPC client limits the consumer as a"
        " whole, by maxCacheMessageCount (1,024) and maxCacheMessageSizeInBytes (64 MiB), but several consumers of a"
        " JVM, or a small heap, are too much for these defaults too."
    ),
    causes=("oversized-thresholds",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Lower pullThresholdForQueue and pullThresholdSizeForQueue so that the sum over all queues stays within"
        " about a third of the heap.",
        "Or give the JVM more heap, or spread the queues over more instances.",
        "Find out why the listener is slower than the producer: the cache fills only behind a slow listener.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/5262",
        "DefaultMQPushConsumerImpl.pullMessage: cached count and size are compared per ProcessQueue",
    ),
    limits={
        "held_share_error": 0.5,
        "held_share_with_bound_error": 0.25,
        "bound_share_error": 1.0,
        "bound_share_warning": 0.6,
        "recommended_share": 0.3,
    },
    explained_by=("config-not-in-force",),
    in_chain=say("the message cache of group {group} outgrows the heap"),
    leads_to={"out-of-memory-thread": say("until")},
)


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


def _load(facts: Facts, heap: HeapFacts) -> Load | None:
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


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """At most one finding for the JVM, about the consumer that caches most."""
    heap = facts.heap
    assert heap is not None
    found = _load(facts, heap)
    if found is None:
        return
    severity = _severity(found, limits)
    if severity is None:
        yield from _margins(found, limits)
    elif not found.heap_is_known and not found.out_of_memory:
        yield Skip(
            reason=say(
                "the dump does not tell the maximum size of the heap, and no OutOfMemoryError caused the dump:"
                " give --heap-limit with the JVM's -Xmx"
            )
        )
    else:
        yield _draft(heap, found, severity, limits)


def _severity(found: Load, limits: Limits) -> Severity | None:
    held, bound = found.held_share or 0.0, found.bound_share or 0.0
    if held >= limits["held_share_error"]:
        return Severity.ERROR
    if bound > limits["bound_share_error"] and (
        held >= limits["held_share_with_bound_error"] or found.out_of_memory
    ):
        return Severity.ERROR
    return Severity.WARNING if bound > limits["bound_share_warning"] else None


def _margins(found: Load, limits: Limits) -> Iterator[Margin]:
    """Shares of a heap of unknown size would be too large, so there are none."""
    if not found.heap_is_known or found.held_share is None:
        return
    yield Margin(
        rule="",
        label=say("cached message bodies, as a share of the heap"),
        value=found.held_share,
        limit=limits["held_share_error"],
        kind="percent",
    )
    if found.bound_share is not None:
        yield Margin(
            rule="",
            label=_bound_label(found),
            value=found.bound_share,
            limit=limits["bound_share_warning"],
            kind="percent",
        )


def _bound_label(found: Load) -> Text:
    if len(found.known) == found.consumers:
        return say("message bodies that the thresholds allow in the cache, as a share of the heap")
    return say(
        "message bodies that the thresholds allow in the cache, as a share of the heap; this is the sum of"
        " {known:count} of {consumers:count} consumers, because the others have cached too few messages",
        known=len(found.known),
        consumers=found.consumers,
    )


def _draft(heap: HeapFacts, found: Load, severity: Severity, limits: Limits) -> Draft:
    share = limits["recommended_share"]
    advice = recommend((limit for _, limit in found.known), found.heap_bytes, share)
    place = place_of_work(heap, found.largest.group)
    setting = _deciding_setting(found)
    hint = sentences(None if place is None else place.said, owner_said(found.largest, setting))
    return Draft(
        severity=severity,
        cause="oversized-thresholds",
        confidence=(
            Confidence.HIGH if found.heap_is_known and severity is Severity.ERROR else Confidence.MEDIUM
        ),
        confidence_reason=_confidence_reason(severity, found),
        title=_title(severity, found),
        subject=Subject(group=found.largest.group),
        evidence={
            **_evidence(heap, found),
            **_advised(found, advice, share),
            **({} if place is None else place.evidence),
            **owner_evidence(found.largest, setting),
        },
        explanation=(*_explanation(found, advice), *((hint,) if hint else ())),
        remedy=tuple(_remedy(found, advice, place, owner_remedy(found.largest, setting))),
        weight=found.held_share or 0.0,
    )


def _deciding_setting(found: Load) -> str | None:
    """The setting that allows so much: the one on the number of messages, or the one on their size."""
    traits = found.largest.traits
    limit = next((limit for consumer, limit in found.known if consumer is found.largest), None)
    by_size = limit is not None and limit.bound_bytes() < _by_count(limit)
    return traits.size_setting if by_size else traits.count_setting


def _confidence_reason(severity: Severity, found: Load) -> Text:
    if not found.heap_is_known:
        return say("the JVM's -Xmx is unknown; the size of the dump, a lower bound, is used instead")
    if severity is Severity.WARNING and found.incomplete:
        return say(
            "this is what the thresholds allow; the dump is cut, and the queues may hold more than it shows"
        )
    if severity is Severity.WARNING:
        return say("this is what the thresholds allow; the queues hold less at this moment")
    return say("held bytes and thresholds were read from the live objects of the dump")


def _title(severity: Severity, found: Load) -> Text:
    if severity is Severity.WARNING:
        return say(
            "Consumer group {group} may cache {bound_bytes:bytes} of messages, {bound_share:percent} of the heap, if"
            " its listener falls behind"
        )
    if found.bound_share is None or found.bound_share <= 1:
        return say(
            "Cached messages of consumer group {group} take {held_bytes:bytes} ({held_share:percent} of the heap)"
        )
    return say(
        "The message cache of consumer group {group} does not fit the heap: it may grow to {bound_bytes:bytes} and"
        " already takes {held_bytes:bytes} ({held_share:percent} of the heap)"
    )


def _evidence(heap: HeapFacts, found: Load) -> dict[str, EvidenceValue]:
    consumer, known = found.largest, found.known
    size_mib = size_limit_mib(consumer)
    return {
        "process_queues": consumer.bounded_queues,
        "threshold": count_limit(consumer),
        "threshold_mib": None if size_mib is None else _whole_or_tenths(size_mib),
        "threshold_bytes": None if size_mib is None else round(size_mib * MIB),
        "average_body_bytes": consumer.average_body_bytes,
        "largest_body_bytes": consumer.largest_body_bytes,
        "held_bytes": found.held_bytes,
        "held_share": _rounded(found.held_share),
        "bound_bytes": found.bound_bytes,
        "bound_share": _rounded(found.bound_share),
        "heap_bytes": heap.limit_bytes,
        "heap_bytes_source": heap.limit[1] if heap.limit else None,
        "dump_total_bytes": None if found.heap_is_known else found.heap_bytes,
        "consumers": len(known),
        "groups": tuple(one.group for one, _ in known),
        "queues_by_consumer": tuple(limit.queues for _, limit in known),
        "threshold_by_consumer": tuple(limit.threshold for _, limit in known),
        "average_body_by_consumer_bytes": tuple(limit.average_body_bytes for _, limit in known),
        "product_by_consumer_bytes": tuple(_by_count(limit) for _, limit in known),
        "queue_limit_by_consumer_mib": tuple(
            _whole_or_tenths(limit.size_mib + limit.size_slack_mib)
            for _, limit in known
            if limit.size_mib is not None
        ),
        "bound_by_consumer_bytes": tuple(limit.bound_bytes() for _, limit in known),
    }


def _advised(found: Load, advice: Recommendation | None, share: float) -> dict[str, EvidenceValue]:
    """What the recommended thresholds would allow."""
    values: dict[str, EvidenceValue] = {
        "recommended_threshold": None,
        "recommended_threshold_mib": None,
        "recommended_heap_bytes": round(found.bound_bytes / share) if found.bound_bytes else None,
    }
    if advice is None:
        return values
    bound = sum(limit.bound_bytes(threshold=advice.threshold) for _, limit in found.known)
    for_topic = whole(found.largest.config.get(FOR_TOPIC))
    return {
        **values,
        "recommended_threshold": advice.threshold,
        "recommended_threshold_mib": advice.size_mib,
        "recommended_threshold_bytes": None if advice.size_mib is None else advice.size_mib * MIB,
        "recommended_by_consumer": tuple(min(advice.threshold, limit.threshold) for _, limit in found.known),
        "recommended_bound_bytes": bound,
        "recommended_bound_share": _rounded(ratio(bound, found.heap_bytes)),
        "recommended_share": share,
        "allowed_bytes": advice.allowed_bytes,
        "bound_by_size_bytes": sum(limit.bound_bytes(size_mib=advice.size_mib) for _, limit in found.known),
        FOR_TOPIC: for_topic,
        "recommended_for_topic": advice.threshold * max(1, found.largest.queues),
    }


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


def _whole_or_tenths(mib: float) -> float:
    """MiB as a person writes them: a setting in bytes need not be a whole number of MiB."""
    return int(mib) if mib == int(mib) else round(mib, 1)


def _by_count(limit: CacheLimits, threshold: int | None = None) -> int:
    """Bytes that the limit on the number of messages allows by itself."""
    return msgspec.structs.replace(limit, size_mib=None).bound_bytes(threshold=threshold)


def _product(consumer: ConsumerFacts, limit: CacheLimits, threshold: int) -> Text:
    if consumer.traits.limit_scope == "consumer":
        return say(
            "{threshold:count} {threshold:message|messages} x {average_body_bytes:count} bytes",
            threshold=threshold,
            average_body_bytes=limit.average_body_bytes,
        )
    return say(
        "{queues:count} {queues:queue|queues} x {threshold:count} {threshold:message|messages}"
        " x {average_body_bytes:count} bytes",
        queues=limit.queues,
        threshold=threshold,
        average_body_bytes=limit.average_body_bytes,
    )


def _explanation(found: Load, advice: Recommendation | None) -> Iterator[Text]:
    heap = say("the heap is {heap_bytes:bytes}")
    if not found.heap_is_known:
        heap = say("the objects in the dump take {dump_total_bytes:bytes}, and the heap is at least that large")
    if not found.known:
        yield say("Too few messages were seen to tell how much the thresholds allow; {heap}.", heap=heap)
    elif len(found.known) == 1:
        ((consumer, limit),) = found.known
        yield say("{sum}; {heap}.", sum=_sum(consumer, limit), heap=heap)
    else:
        for consumer, limit in found.known:
            yield say("Group {of_group}: {sum}.", of_group=consumer.group, sum=_sum(consumer, limit))
        yield say("Together they may cache {bound_bytes:bytes}; {heap}.", heap=heap)
    yield _held(found)
    if advice is not None:
        yield from _arithmetic_of(advice, found)


def _sum(consumer: ConsumerFacts, limit: CacheLimits) -> Text:
    """How much one consumer may cache."""
    product, bound = _product(consumer, limit, limit.threshold), limit.bound_bytes()
    if limit.size_mib is None or bound >= _by_count(limit):
        return say("{product} = {may_cache_bytes:bytes}", product=product, may_cache_bytes=bound)
    if consumer.traits.limit_scope == "consumer":
        return say(
            "{product} would be {product_bytes:bytes}, but {size_setting} allows {may_cache_bytes:bytes}",
            product=product,
            product_bytes=_by_count(limit),
            size_setting=consumer.traits.size_setting,
            may_cache_bytes=bound,
        )
    return say(
        "{product} would be {product_bytes:bytes}, but {size_setting} stops each queue below {queue_limit_mib:count}"
        " MiB, which allows {may_cache_bytes:bytes}",
        product=product,
        product_bytes=_by_count(limit),
        size_setting=consumer.traits.size_setting,
        queue_limit_mib=_whole_or_tenths(limit.size_mib + limit.size_slack_mib),
        may_cache_bytes=bound,
    )


def _held(found: Load) -> Text:
    if found.incomplete:
        return say(
            "The part of the dump that could be read has {held_bytes:bytes} of cached message bodies,"
            " {held_share:percent} of the heap."
        )
    now = say(
        "At this moment {held_bytes:bytes} of message bodies are cached, {held_share:percent} of the heap."
    )
    if found.out_of_memory and found.held_bytes < (found.bound_bytes or 0):
        return sentences(now, say("The OutOfMemoryError came before the queues were full."))
    return now


def _arithmetic_of(advice: Recommendation, found: Load) -> Iterator[Text]:
    """What the recommended thresholds allow, and why they are not lower or higher."""
    known = [(consumer, limit) for consumer, limit in found.known if limit.queues]
    limits = [limit for _, limit in known]
    by_queue = any(consumer.traits.limit_scope == "queue" for consumer, _ in known)
    bound = sum(limit.bound_bytes(threshold=advice.threshold) for limit in limits)
    where = say("in each queue") if by_queue else say("in the cache")
    if bound == sum(_by_count(limit, advice.threshold) for limit in limits):
        yield say(
            "With {recommended_threshold:count} {recommended_threshold:message|messages} {where}: {products}"
            " = {recommended_bound_bytes:bytes}, {recommended_bound_share:percent} of the heap. The aim is at most"
            " {recommended_share:percent} ({allowed_bytes:bytes}).",
            where=where,
            products=_added(
                [_product(one, limit, min(advice.threshold, limit.threshold)) for one, limit in known]
            ),
        )
    else:
        yield say(
            "With {recommended_threshold:count} {recommended_threshold:message|messages} {where}, and the limits"
            " on the size of {limited}, the consumers may cache {recommended_bound_bytes:bytes},"
            " {recommended_bound_share:percent} of the heap. The aim is at most {recommended_share:percent}"
            " ({allowed_bytes:bytes}).",
            where=where,
            limited=say("a queue") if by_queue else say("the cache"),
        )
    if by_queue and bound > advice.allowed_bytes:
        yield say("1 message in each queue is the minimum, so this heap is too small for so many queues.")
    by_size = sum(limit.bound_bytes(size_mib=advice.size_mib) for limit in limits)
    if by_queue and advice.size_mib == 1 and by_size > advice.allowed_bytes:
        yield say(
            "pullThresholdSizeForQueue cannot go below 1 MiB, and by itself it would still allow"
            " {bound_by_size_bytes:bytes}. The limit on the number of messages is needed here."
        )


def _added(terms: list[Text]) -> Text:
    total = terms[-1]
    for term in reversed(terms[:-1]):
        total = say("{first} + {rest}", first=term, rest=total)
    return total


def _remedy(
    found: Load, advice: Recommendation | None, place: PlaceOfWork | None, owner: Text | None
) -> Iterator[Text]:
    if owner is not None:
        yield owner
    if advice is not None:
        yield from _lower(found.largest, advice)
    elif found.bound_bytes is None:
        yield say(
            "Lower {setting} of the consumer of {group}. It is {threshold} now.",
            setting=found.largest.traits.count_setting,
        )
    if found.bound_bytes and found.largest.traits.limit_scope == "consumer":
        yield say("Or run with at least {recommended_heap_bytes:bytes} of heap.")
    elif found.bound_bytes:
        yield say(
            "Or run with at least {recommended_heap_bytes:bytes} of heap, or with more instances, so that each has"
            " fewer queues."
        )
    yield from _look_at_listener(found, place)


def _look_at_listener(found: Load, place: PlaceOfWork | None) -> Iterator[Text]:
    """After an OutOfMemoryError the JVM may be gone, and what it still shows is not how it worked before."""
    if place is not None:
        yield say(
            "Then find out why {worker_frame} is slow or stuck: the cache fills only behind a slow listener."
        )
    if not found.out_of_memory:
        yield say(
            "Take five thread dumps a few seconds apart and run `mqdiag stacks` on them: they show what the listener"
            " waits for."
        )
    elif place is None:
        yield say(
            "Then look at the listener, because the cache fills only behind a listener that is slow or stuck: after"
            " the restart, take five thread dumps a few seconds apart while the backlog grows, and run `mqdiag stacks`"
            " on them."
        )


def _lower(consumer: ConsumerFacts, advice: Recommendation) -> Iterator[Text]:
    """Which setters to call, with which values."""
    traits = consumer.traits
    setting, size_setting = traits.count_setting or "", traits.size_setting
    if size_setting is not None and traits.size_in_bytes:
        yield say(
            "On the PushConsumerBuilder of {group} call {setter}({recommended_threshold}) and"
            " {size_setter}({recommended_threshold_bytes}). The values now are {setting}={threshold} and"
            " {size_setting}={threshold_bytes}.",
            setter=_setter(setting),
            size_setter=_setter(size_setting),
            setting=setting,
            size_setting=size_setting,
        )
        return
    if advice.size_mib is not None and size_setting is not None:
        yield say(
            "On the consumer of {group} call {setter}({recommended_threshold}) and"
            " {size_setter}({recommended_threshold_mib}) before start(). The values now are"
            " {setting}={threshold} and {size_setting}={threshold_mib}.",
            setter=_setter(setting),
            size_setter=_setter(size_setting),
            setting=setting,
            size_setting=size_setting,
        )
    else:
        yield say(
            "On the consumer of {group} call {setter}({recommended_threshold}) before start(). The value now is"
            " {setting}={threshold}.",
            setter=_setter(setting),
            setting=setting,
        )
    if traits.spring_lifecycle:
        yield say(
            "With rocketmq-spring, let the listener implement RocketMQPushConsumerLifecycleListener and call the same"
            " setters in prepareStart, for example consumer.{setter}({recommended_threshold}).",
            setter=_setter(setting),
        )
    if (whole(consumer.config.get(FOR_TOPIC)) or 0) > 0:
        yield say(
            "pullThresholdForTopic={pullThresholdForTopic} is set. At each rebalance RocketMQ divides it over the"
            " queues and overwrites pullThresholdForQueue, so set it to {recommended_for_topic} instead."
        )


def _setter(setting: str) -> str:
    return f"set{setting[:1].upper()}{setting[1:]}"
