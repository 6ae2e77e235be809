"""A large part of the heap is strings that repeat other strings."""

from __future__ import annotations

from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.waste import Wasted

RULE = Rule("duplicate-strings")
SHOWN_HOLDERS = 3


@RULE.waste
def in_heap(heap: Wasted, limits: Limits) -> Findings:
    """One finding for the whole heap."""
    strings = heap.waste.duplicate_strings
    if strings is None or strings.wasted_bytes is None or strings.repeated is None:
        return
    share = heap.share(strings.wasted_bytes)
    if share < limits["share_info"] or strings.wasted_bytes < limits["least_bytes"]:
        return
    holders = strings.holders[:SHOWN_HOLDERS]
    # the repeated text itself is left out, because it may be personal data
    largest = strings.largest[0] if strings.largest else None
    yield RULE.case(
        "much-of-heap" if share >= limits["share_warning"] else "part-of-heap",
        strings,
        subject=Subject(object_class="java.lang.String"),
        evidence={
            "share": round(share, 4),
            "held_by": holders[0].held_by if holders else None,
            "most_frequent_strings": None if largest is None else largest.strings,
            "most_frequent_bytes": None if largest is None else largest.wasted_bytes,
            "most_frequent_held_by": None if largest is None else largest.held_by,
            "holders": tuple(holder.held_by for holder in holders),
            "holder_shares": tuple(holder.share for holder in holders),
        },
        words={"sampled": strings.sampled_one_in > 1},
        rows={"holders": tuple({"holder": one.held_by, "holder_share": one.share} for one in holders)},
        weight=share,
    )
