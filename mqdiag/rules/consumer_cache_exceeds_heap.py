"""Messages that consumers cache, or may cache by their thresholds, do not fit the heap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.bounds import (
    MIB,
    CacheLimits,
    Recommendation,
    count_limit,
    recommend,
    size_limit_mib,
    whole,
)
from mqdiag.facts.cache_load import Load, load_of
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.facts.place_of_work import PlaceOfWork, place_of_work
from mqdiag.facts.ratios import ratio
from mqdiag.findings import Confidence, EvidenceValue, Margin, Subject
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.equal_numbers import owner_evidence, owner_remedy, owner_said
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import Text, Value

RULE = Rule("consumer-cache-exceeds-heap")
FOR_TOPIC = "pullThresholdForTopic"


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Findings:
    """At most one finding for the JVM, about the consumer that caches most."""
    heap = facts.heap
    assert heap is not None
    found = load_of(facts, heap)
    if found is None:
        return
    case = _case(found, limits)
    if case is None:
        yield from _margins(found, limits)
    elif not found.heap_is_known and not found.out_of_memory:
        yield RULE.skip("no-limit")
    else:
        yield _exceeds(case, heap, found, limits["recommended_share"])


def _case(found: Load, limits: Limits) -> str | None:
    """What it is: an error by what is held or may be held, a warning by what the thresholds allow, or nothing.

    Both are lower bounds in a dump that is cut: where its heap was full and so much is there, it is the cause.
    """
    held, bound = found.held_share or 0.0, found.bound_share or 0.0
    near = held >= limits["held_share_with_bound_error"] or found.out_of_memory
    if held >= limits["held_share_error"] or (bound > limits["bound_share_error"] and near):
        return "does-not-fit" if bound > 1 else "fills-heap"
    if found.incomplete and found.out_of_memory and bound > limits["bound_share_warning"]:
        return "held-in-part" if held >= limits["held_share_with_bound_error"] else "may-not-fit"
    return "may-not-fit" if bound > limits["bound_share_warning"] else None


def _margins(found: Load, limits: Limits) -> Iterator[Margin]:
    """Shares of a heap of unknown size would be too large, so there are none."""
    if not found.heap_is_known or found.held_share is None:
        return
    yield RULE.margin("held", found.held_share, limits["held_share_error"])
    if found.bound_share is not None:
        known = len(found.known)
        label = "allowed" if known == found.consumers else "allowed-by-some"
        yield RULE.margin(
            label, found.bound_share, limits["bound_share_warning"], known=known, consumers=found.consumers
        )


def _exceeds(case: str, heap: HeapFacts, found: Load, share: float) -> Draft:
    largest, traits = found.largest, found.largest.traits
    advice = recommend((limit for _, limit in found.known), found.heap_bytes, share)
    advised = {} if advice is None else _advised(found, advice, share)
    place = place_of_work(heap, largest.group)
    setting = _deciding_setting(found)
    owner, look_first = owner_said(largest, setting), owner_remedy(largest, setting)
    for_topic = whole(largest.config.get(FOR_TOPIC)) or 0
    sums = [(consumer.group, _sum(consumer, limit)) for consumer, limit in found.known]
    return RULE.case(
        case,
        found,
        subject=Subject(group=largest.group),
        evidence={
            **_evidence(heap, found),
            "recommended_heap_bytes": round(found.bound_bytes / share) if found.bound_bytes else None,
            "recommended_threshold": None,
            "recommended_threshold_mib": None,
            **advised,
            **({} if place is None else _at_work(place)),
            **owner_evidence(largest, setting),
        },
        words={
            "heap": RULE.word("heap" if found.heap_is_known else "heap-at-least"),
            "heap_is_known": found.heap_is_known,
            "incomplete": found.incomplete,
            "came_early": found.out_of_memory
            and not found.incomplete
            and found.held_bytes < (found.bound_bytes or 0),
            "several": len(sums) > 1,
            "sum": sums[0][1] if len(sums) == 1 else None,
            "nothing_allowed": found.bound_bytes is None and advice is None,
            "of_consumer": traits.limit_scope == "consumer",
            "in_bytes": traits.size_in_bytes and traits.size_setting is not None,
            "by_spring": traits.spring_lifecycle,
            "for_topic": for_topic > 0,
            "setting": traits.count_setting,
            "size_setting": traits.size_setting,
            "setter": _setter(traits.count_setting),
            "size_setter": _setter(traits.size_setting),
            "out_of_memory": found.out_of_memory,
            "worker_frame": None,
            "no_place": found.out_of_memory and place is None,
        },
        rows={
            "consumers": tuple({"of_group": group, "sum": own} for group, own in sums) if len(sums) > 1 else (),
            "advice": () if advice is None else (_arithmetic(found, advice),),
        },
        given={
            "place": ()
            if place is None
            else (RULE.word("place" if place.longest_age_ms is None else "place-and-time"),),
            "owner": () if owner is None else (owner,),
            "look_first": () if look_first is None else (look_first,),
        },
        confidence=None if found.heap_is_known else Confidence.MEDIUM,
        weight=found.held_share or 0.0,
    )


def _at_work(place: PlaceOfWork) -> dict[str, EvidenceValue]:
    return {
        "worker_frame": place.frame,
        "workers_there": place.threads,
        "workers": place.pool_threads,
        "worker_age_ms": place.longest_age_ms,
    }


def _deciding_setting(found: Load) -> str | None:
    """The setting that allows so much: the one on the number of messages, or the one on their size."""
    traits = found.largest.traits
    limit = next((limit for consumer, limit in found.known if consumer is found.largest), None)
    by_size = limit is not None and limit.bound_bytes() < _by_count(limit)
    return traits.size_setting if by_size else traits.count_setting


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
        "held_share": _rounded(found.held_share),
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


def _advised(found: Load, advice: Recommendation, share: float) -> dict[str, EvidenceValue]:
    """What the recommended thresholds would allow."""
    bound = sum(limit.bound_bytes(threshold=advice.threshold) for _, limit in found.known)
    return {
        "recommended_threshold": advice.threshold,
        "recommended_threshold_mib": advice.size_mib,
        "recommended_threshold_bytes": None if advice.size_mib is None else advice.size_mib * MIB,
        "recommended_by_consumer": tuple(min(advice.threshold, limit.threshold) for _, limit in found.known),
        "recommended_bound_bytes": bound,
        "recommended_bound_share": _rounded(ratio(bound, found.heap_bytes)),
        "recommended_share": share,
        "allowed_bytes": advice.allowed_bytes,
        "bound_by_size_bytes": sum(limit.bound_bytes(size_mib=advice.size_mib) for _, limit in found.known),
        FOR_TOPIC: whole(found.largest.config.get(FOR_TOPIC)),
        "recommended_for_topic": advice.threshold * max(1, found.largest.queues),
    }


def _arithmetic(found: Load, advice: Recommendation) -> Mapping[str, Value]:
    """Parts of the sentences on what the recommended thresholds allow, and why they are not lower or higher."""
    known = [(consumer, limit) for consumer, limit in found.known if limit.queues]
    by_queue = any(consumer.traits.limit_scope == "queue" for consumer, _ in known)
    threshold, allowed = advice.threshold, advice.allowed_bytes
    bound = sum(limit.bound_bytes(threshold=threshold) for _, limit in known)
    by_size = sum(limit.bound_bytes(size_mib=advice.size_mib) for _, limit in known)
    by_count = bound == sum(_by_count(limit, threshold) for _, limit in known)
    products = [_product(one, limit, min(threshold, limit.threshold)) for one, limit in known]
    return {
        "where": RULE.word("in-queue" if by_queue else "in-cache"),
        "products": _added(products) if by_count else None,
        "limited": None if by_count else RULE.word("a-queue" if by_queue else "the-cache"),
        "too_many_queues": by_queue and bound > allowed,
        "size_too_coarse": by_queue and advice.size_mib == 1 and by_size > allowed,
    }


def _sum(consumer: ConsumerFacts, limit: CacheLimits) -> Text:
    """How much one consumer may cache."""
    product, bound = _product(consumer, limit, limit.threshold), limit.bound_bytes()
    if limit.size_mib is None or bound >= _by_count(limit):
        return RULE.word("sum", product=product, may_cache_bytes=bound)
    return RULE.word(
        "sum-by-size-of-consumer" if consumer.traits.limit_scope == "consumer" else "sum-by-size",
        product=product,
        product_bytes=_by_count(limit),
        size_setting=consumer.traits.size_setting,
        queue_limit_mib=_whole_or_tenths(limit.size_mib + limit.size_slack_mib),
        may_cache_bytes=bound,
    )


def _product(consumer: ConsumerFacts, limit: CacheLimits, threshold: int) -> Text:
    return RULE.word(
        "product-of-consumer" if consumer.traits.limit_scope == "consumer" else "product",
        queues=limit.queues,
        threshold=threshold,
        average_body_bytes=limit.average_body_bytes,
    )


def _added(terms: list[Text]) -> Text:
    total = terms[-1]
    for term in reversed(terms[:-1]):
        total = RULE.word("plus", first=term, rest=total)
    return total


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


def _whole_or_tenths(mib: float) -> float:
    """MiB as a person writes them: a setting in bytes need not be a whole number of MiB."""
    return int(mib) if mib == int(mib) else round(mib, 1)


def _by_count(limit: CacheLimits, threshold: int | None = None) -> int:
    """Bytes that the limit on the number of messages allows by itself."""
    return msgspec.structs.replace(limit, size_mib=None).bound_bytes(threshold=threshold)


def _setter(setting: str | None) -> str | None:
    return None if setting is None else f"set{setting[:1].upper()}{setting[1:]}"
