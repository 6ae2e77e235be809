"""A large part of the heap is strings that repeat other strings."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.waste import DuplicateStrings, RepeatedText, StringHolder, Waste
from mqdiag.findings import Confidence, EvidenceValue, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.waste import LEAST_BYTES, example, reachable_share, waste_of
from mqdiag.text import Text, say

SHOWN_HOLDERS = 3

RULE = Rule(
    name="duplicate-strings",
    title="Equal strings take a large part of the heap",
    why=(
        "A parser makes a new string for each value that it reads. Some fields have only a few different values, such"
        " as currencies, tags or host names. If the application keeps the parsed objects, the heap has the same"
        " characters a million times. Every heap has a few repeats; look at them when they take a tenth of it."
    ),
    causes=("repeated-values",),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "Make one string of equal values where they are parsed: a map of known values, an enum, or String.intern().",
        "Set -XX:+UseStringDeduplication with G1 or another collector that has it: equal strings then share their"
        " characters. The string objects stay.",
    ),
    references=("JEP 192: String Deduplication in G1",),
    limits={"share_warning": 0.25, "share_info": 0.1, "least_bytes": LEAST_BYTES},
    explained_by=("consumer-cache-exceeds-heap", "messages-outside-queues"),
)


def _facts(wasted: int) -> Facts:
    return example(
        Waste(
            duplicate_strings=DuplicateStrings(
                strings=2_000_000,
                repeated=1_500_000,
                wasted_bytes=wasted,
                largest=(
                    RepeatedText(
                        text="CNY", strings=900_000, wasted_bytes=43_200_000, held_by="com.acme.Order.currency"
                    ),
                ),
                holders=(StringHolder(held_by="com.acme.Order.currency", share=0.8),),
            )
        )
    )


def fires() -> Facts:
    """Repeats take 30 % of the heap."""
    return _facts(120_000_000)


def silent() -> Facts:
    """Repeats take 8 % of it, as in many healthy heaps."""
    return _facts(33_000_000)


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for the whole heap."""
    waste = waste_of(facts)
    if isinstance(waste, Skip):
        yield waste
        return
    strings = waste.duplicate_strings
    if strings is None or strings.wasted_bytes is None or strings.repeated is None:
        return
    share = reachable_share(facts, strings.wasted_bytes)
    if share < limits["share_info"] or strings.wasted_bytes < limits["least_bytes"]:
        return
    yield Draft(
        severity=Severity.WARNING if share >= limits["share_warning"] else Severity.INFO,
        cause="repeated-values",
        confidence=Confidence.HIGH,
        confidence_reason=say("the characters of all reachable strings were compared"),
        title=say("Equal strings take {wasted_bytes:bytes}, {share:percent} of the heap in use"),
        subject=Subject(object_class="java.lang.String"),
        evidence=_evidence(strings, share),
        explanation=tuple(_explanation(strings)),
        remedy=(
            say(
                "Make one string of equal values where {held_by} is set: a map of known values, an enum, or"
                " String.intern()."
            )
            if strings.holders
            else say(
                "Make one string of equal values where they are set: a map of known values, an enum, or"
                " String.intern()."
            ),
            say("With G1, -XX:+UseStringDeduplication lets equal strings share their characters."),
        ),
        weight=share,
    )


def _evidence(strings: DuplicateStrings, share: float) -> dict[str, EvidenceValue]:
    """The repeated text itself is left out, because it may be personal data."""
    largest = strings.largest[0] if strings.largest else None
    return {
        "strings": strings.strings,
        "repeated": strings.repeated,
        "wasted_bytes": strings.wasted_bytes,
        "share": round(share, 4),
        "held_by": strings.holders[0].held_by if strings.holders else None,
        "most_frequent_strings": None if largest is None else largest.strings,
        "most_frequent_bytes": None if largest is None else largest.wasted_bytes,
        "most_frequent_held_by": None if largest is None else largest.held_by,
        "holders": tuple(holder.held_by for holder in strings.holders[:SHOWN_HOLDERS]),
        "holder_shares": tuple(holder.share for holder in strings.holders[:SHOWN_HOLDERS]),
    }


def _explanation(strings: DuplicateStrings) -> Iterator[Text]:
    yield say(
        "{repeated:count} of {strings:count} strings are equal to another one. Without them {wasted_bytes:bytes} would"
        " be free."
    )
    if strings.largest:
        most = say(
            "One text alone occurs {most_frequent_strings:count} times and takes {most_frequent_bytes:bytes}."
        )
        if strings.largest[0].held_by:
            most = say(
                "One text alone occurs {most_frequent_strings:count} times and takes {most_frequent_bytes:bytes},"
                " mostly in {most_frequent_held_by}."
            )
        yield most
    for holder in strings.holders[:SHOWN_HOLDERS]:
        yield say(
            "{holder} holds {holder_share:percent} of the repeats.",
            holder=holder.held_by,
            holder_share=holder.share,
        )
