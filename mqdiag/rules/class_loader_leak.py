"""Class loaders that should be gone are still there, with all their classes."""

from __future__ import annotations

from mqdiag.facts.waste import LoaderGroup
from mqdiag.findings import Subject
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.waste import Wasted

RULE = Rule("class-loader-leak")


@RULE.waste
def in_heap(heap: Wasted, limits: Limits) -> Findings:
    """One finding for each class of loaders."""
    for group in heap.waste.class_loaders:
        share = heap.share(group.retained_bytes)
        large = group.retained_bytes >= limits["least_bytes"] and share >= limits["share_info"]
        if group.closed >= limits["closed_loaders"]:
            if group.retained_bytes >= limits["closed_least_bytes"]:
                yield _said("closed-loader-held", group, share)
        elif group.loaders >= limits["loaders"] and large:
            yield _said("many-loaders", group, share)


def _said(name: str, group: LoaderGroup, share: float) -> Draft:
    return RULE.case(
        name,
        group,
        subject=Subject(object_class=group.loader_class),
        evidence={"class": group.loader_class, "share": round(share, 4)},
        words={"steps": " -> ".join(group.path) or None},
        weight=share,
    )
