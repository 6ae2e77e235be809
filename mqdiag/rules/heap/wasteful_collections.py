"""A large part of the heap is empty collections and unused room in others."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.waste import CollectionClass, Waste, WastefulCollections
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.waste import LEAST_BYTES, example, reachable_share, waste_of
from mqdiag.text import say

SHOWN = 3


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
    """Small maps with the 16 places that a HashMap begins with."""
    return _facts(30_000_000)


@rule(
    name="wasteful-collections",
    title="Empty and nearly empty collections take a large part of the heap",
    why=(
        "A HashMap allocates 16 places for its first entry, an ArrayList ten, and a collection never gives room back"
        " when it shrinks. In an object of which there are a million, a map that is mostly empty costs more than"
        " what it holds."
    ),
    causes=("oversized-collections",),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "Create collections when the first item comes, and give a small expected size when it is known.",
        "Replace collections that shrink: copy what is left, or trimToSize() where there is one.",
        "Use Map.of, List.of and plain fields for one or two items that do not change.",
    ),
    references=("java.util.HashMap: DEFAULT_INITIAL_CAPACITY; java.util.ArrayList: DEFAULT_CAPACITY",),
    needs=("heap",),
    limits={"share_warning": 0.25, "share_info": 0.1, "least_bytes": LEAST_BYTES},
    explained_by=("consumer-cache-exceeds-heap", "messages-outside-queues"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for the whole heap, about the class that wastes most."""
    waste = waste_of(facts)
    if isinstance(waste, Skip):
        yield waste
        return
    found = waste.collections
    if found is None or not found.classes:
        return
    share = reachable_share(facts, found.wasted_bytes)
    if share < limits["share_info"] or found.wasted_bytes < limits["least_bytes"]:
        return
    worst = found.classes[0]
    sampled = found.sampled_one_in > 1
    yield Draft(
        severity=Severity.WARNING if share >= limits["share_warning"] else Severity.INFO,
        cause="oversized-collections",
        confidence=Confidence.MEDIUM if sampled else Confidence.HIGH,
        confidence_reason=(
            say("projected from one collection in {sampled_one_in}", sampled_one_in=found.sampled_one_in)
            if sampled
            else say("all reachable collections were counted")
        ),
        title=(
            say(
                (
                    "Empty and nearly empty collections take {wasted_bytes:bytes}, {share:percent} of the heap"
                    " in use"
                ),
                wasted_bytes=found.wasted_bytes,
                share=share,
            )
        ),
        subject=Subject(object_class=worst.class_name),
        evidence={
            "class": worst.class_name,
            "collections": found.collections,
            "empty": sum(each.empty for each in found.classes),
            "sparse": sum(each.sparse for each in found.classes),
            "wasted_bytes": found.wasted_bytes,
            "share": round(share, 4),
            "sampled_one_in": found.sampled_one_in,
        },
        explanation=tuple(_line(each) for each in found.classes[:SHOWN]),
        remedy=(
            say(
                "Find where the {class_name} objects are made (`mqdiag show DUMP {class_name}`):"
                " create them when the first item comes, with the size that is expected.",
                class_name=worst.class_name,
            ),
            say("Copy or drop collections that were large once: they never give room back."),
        ),
        weight=share,
    )


def _line(each: CollectionClass) -> str:
    return say(
        (
            "{class_name}: {empty:count} of {collections:count} are empty, {empty_bytes:bytes};"
            " {sparse:count} use a quarter of their room or less, {spare_bytes:bytes} to spare."
        ),
        class_name=each.class_name,
        empty=each.empty,
        collections=each.collections,
        empty_bytes=each.empty_bytes,
        sparse=each.sparse,
        spare_bytes=each.spare_bytes,
    )
