"""Empty collections, and unused room in others, take a large part of the heap."""

from __future__ import annotations

from mqdiag.findings import Confidence, Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.waste import Wasted

RULE = Rule("wasteful-collections")
MOST_SHOWN = 3
"""classes that the explanation names"""
NUMBERS = ("collections", "empty", "empty_bytes", "sparse", "spare_bytes")
"""numbers of a class"""


@RULE.waste
def in_heap(heap: Wasted, limits: Limits) -> Findings:
    """At most one finding for the whole heap, about the class that wastes most."""
    found = heap.waste.collections
    if found is None or not found.classes:
        return
    share = heap.share(found.wasted_bytes)
    if share < limits["share_info"] or found.wasted_bytes < limits["least_bytes"]:
        return
    shown = found.classes[:MOST_SHOWN]
    sampled = found.sampled_one_in > 1
    yield RULE.case(
        "much-of-heap" if share >= limits["share_warning"] else "part-of-heap",
        found,
        subject=Subject(object_class=shown[0].class_name),
        evidence={
            "class": shown[0].class_name,
            "empty": sum(each.empty for each in found.classes),
            "sparse": sum(each.sparse for each in found.classes),
            "share": round(share, 4),
            "classes": tuple(each.class_name for each in shown),
            **{f"{name}_by_class": tuple(getattr(each, name) for each in shown) for name in NUMBERS},
        },
        words={"sampled": sampled},
        rows={
            "classes": tuple({name: getattr(each, name) for name in ("class_name", *NUMBERS)} for each in shown)
        },
        confidence=Confidence.MEDIUM if sampled else Confidence.HIGH,
        weight=share,
    )
