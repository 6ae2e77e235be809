"""Empty collections, and unused room in others, take a large part of the heap."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.waste import CollectionClass, Waste, WastefulCollections
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.waste import LEAST_BYTES, example, reachable_share, waste_of
from mqdiag.text import Text, say

MOST_SHOWN = 3
"""classes that the explanation names"""

RULE = Rule(
    name="wasteful-collections",
    title="Empty and nearly empty collections take a large part of the heap",
    why=(
        "A HashMap allocates 16 places for its first entry, and an ArrayList allocates ten. A collection does not give"
        " room back when it shrinks. If there are a million objects with a nearly empty map each, the maps cost more"
        " than what they hold."
    ),
    causes=("oversized-collections",),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "Create a collection when its first item comes. Give it a small expected size if you know the size.",
        "Replace collections that shrink: copy what is left, or call trimToSize() where there is one.",
        "Use Map.of, List.of or plain fields for one or two items that do not change.",
    ),
    references=("java.util.HashMap: DEFAULT_INITIAL_CAPACITY; java.util.ArrayList: DEFAULT_CAPACITY",),
    limits={"share_warning": 0.25, "share_info": 0.1, "least_bytes": LEAST_BYTES},
    explained_by=("consumer-cache-exceeds-heap", "messages-outside-queues"),
)


def _facts(spare: int) -> Facts:
    maps = CollectionClass(
        class_name="java.util.HashMap",
        collections=1_000_000,
        empty=20_000,
        empty_bytes=1_000_000,
        sparse=900_000,
        spare_bytes=spare,
    )
    return example(
        Waste(
            collections=WastefulCollections(
                collections=1_200_000, wasted_bytes=spare + 1_000_000, classes=(maps,)
            )
        )
    )


def fires() -> Facts:
    """Maps with one entry and 64 places take more than a quarter of the heap."""
    return _facts(110_000_000)


def silent() -> Facts:
    """The maps are small, with the 16 places that a HashMap begins with."""
    return _facts(30_000_000)


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """At most one finding for the whole heap, about the class that wastes most."""
    waste = waste_of(facts)
    if isinstance(waste, Skip):
        yield waste
        return
    found = waste.collections
    if found is None or not found.classes:
        return
    share = reachable_share(facts, found.wasted_bytes)
    if share >= limits["share_info"] and found.wasted_bytes >= limits["least_bytes"]:
        yield _draft(found, share, limits)


def _draft(found: WastefulCollections, share: float, limits: Limits) -> Draft:
    shown = found.classes[:MOST_SHOWN]
    sampled = found.sampled_one_in > 1
    return Draft(
        severity=Severity.WARNING if share >= limits["share_warning"] else Severity.INFO,
        cause="oversized-collections",
        confidence=Confidence.MEDIUM if sampled else Confidence.HIGH,
        confidence_reason=(
            say("estimated from one collection in {sampled_one_in:count}")
            if sampled
            else say("all reachable collections were counted")
        ),
        title=say(
            "Empty and nearly empty collections take {wasted_bytes:bytes}, {share:percent} of the heap in use"
        ),
        subject=Subject(object_class=found.classes[0].class_name),
        evidence={
            "class": found.classes[0].class_name,
            "collections": found.collections,
            "empty": sum(each.empty for each in found.classes),
            "sparse": sum(each.sparse for each in found.classes),
            "wasted_bytes": found.wasted_bytes,
            "share": round(share, 4),
            "sampled_one_in": found.sampled_one_in,
            "classes": tuple(each.class_name for each in shown),
            "collections_by_class": tuple(each.collections for each in shown),
            "empty_by_class": tuple(each.empty for each in shown),
            "empty_bytes_by_class": tuple(each.empty_bytes for each in shown),
            "sparse_by_class": tuple(each.sparse for each in shown),
            "spare_bytes_by_class": tuple(each.spare_bytes for each in shown),
        },
        explanation=tuple(map(_of_class, shown)),
        remedy=(
            say(
                "Find where the {object_class} objects are made (`mqdiag show DUMP {object_class}`). Create each when"
                " its first item comes, with the expected size."
            ),
            say("Copy or drop collections that were large once: they do not give room back."),
        ),
        weight=share,
    )


def _of_class(each: CollectionClass) -> Text:
    return say(
        "{class_name}: {empty:count} of {collections:count} {collections:collection|collections} {empty:is|are} empty"
        " and {empty:takes|take} {empty_bytes:bytes}. {sparse:count} {sparse:uses|use} a quarter of"
        " {sparse:its|their} room or less, with {spare_bytes:bytes} to spare.",
        class_name=each.class_name,
        empty=each.empty,
        collections=each.collections,
        empty_bytes=each.empty_bytes,
        sparse=each.sparse,
        spare_bytes=each.spare_bytes,
    )
