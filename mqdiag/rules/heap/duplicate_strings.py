"""A large part of the heap is strings that say the same."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.waste import DuplicateStrings, RepeatedText, StringHolder, Waste
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.waste import LEAST_BYTES, example, reachable_share, waste_of
from mqdiag.text import say

SHOWN = 3


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
    """Three tenths of the heap are repeats."""
    return _facts(120_000_000)


def silent() -> Facts:
    """They are a twelfth of it, as in many healthy heaps."""
    return _facts(33_000_000)


@rule(
    name="duplicate-strings",
    title="Equal strings take a large part of the heap",
    why=(
        "Parsers make a new string for each value that they read. Where few different values come back for ever,"
        " such as currencies, tags or host names, and the objects are kept, the same characters are there a million"
        " times. A few repeats are in every heap; a tenth of it is worth a look."
    ),
    causes=("repeated-values",),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(
        "Make one string of equal values where they are parsed: a map of known values, an enum, String.intern().",
        "With G1 or another collector that has it, -XX:+UseStringDeduplication lets equal strings share their"
        " characters; the string objects stay.",
    ),
    references=("JEP 192: String Deduplication in G1",),
    needs=("heap",),
    limits={"share_warning": 0.25, "share_info": 0.1, "least_bytes": LEAST_BYTES},
    explained_by=("consumer-cache-exceeds-heap", "messages-outside-queues"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
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
    most = strings.holders[0].held_by if strings.holders else None
    yield Draft(
        severity=Severity.WARNING if share >= limits["share_warning"] else Severity.INFO,
        cause="repeated-values",
        confidence=Confidence.HIGH,
        confidence_reason=say("the characters of all reachable strings were compared"),
        title=say(
            "Equal strings take {wasted_bytes:bytes}, {share:percent} of the heap in use",
            wasted_bytes=strings.wasted_bytes,
            share=share,
        ),
        subject=Subject(object_class="java.lang.String"),
        evidence={
            "strings": strings.strings,
            "repeated": strings.repeated,
            "wasted_bytes": strings.wasted_bytes,
            "share": round(share, 4),
            "held_by": most,
        },
        explanation=(
            say(
                (
                    "{repeated:count} of {strings:count} strings say what another one says; without them"
                    " {wasted_bytes:bytes} would be free."
                ),
                repeated=strings.repeated,
                strings=strings.strings,
                wasted_bytes=strings.wasted_bytes,
            ),
            # What they say stays out of the finding: it may be personal data.
            *(
                say(
                    "One text alone is there {strings:count} times, {wasted_bytes:bytes}{held}.",
                    strings=each.strings,
                    wasted_bytes=each.wasted_bytes,
                    held=_held(each),
                )
                for each in strings.largest[:1]
            ),
            *(
                say(
                    "{share:percent} of them are held by {held_by}.",
                    share=holder.share,
                    held_by=holder.held_by,
                )
                for holder in strings.holders[:SHOWN]
            ),
        ),
        remedy=(
            say(
                "Make equal values one string where {field} is set:"
                " a map of known values, an enum, or String.intern().",
                field=most,
            )
            if most
            else say(
                "Make equal values one string where they are set:"
                " a map of known values, an enum, or String.intern()."
            ),
            say("With G1, -XX:+UseStringDeduplication lets equal strings share their characters."),
        ),
        weight=share,
    )


def _held(each: RepeatedText) -> str:
    return say(", mostly in {held_by}", held_by=each.held_by) if each.held_by else ""
