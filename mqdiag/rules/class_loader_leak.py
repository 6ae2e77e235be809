"""Class loaders that should be gone are still there, with all their classes."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.waste import LoaderGroup
from mqdiag.findings import Subject
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Draft, Limits, Said, Skip
from mqdiag.rules.shared.waste import reachable_share, waste_of

RULE = Rule("class-loader-leak")


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each class of loaders."""
    waste = waste_of(facts)
    if isinstance(waste, Skip):
        yield waste
        return
    for group in waste.class_loaders:
        share = reachable_share(facts, group.retained_bytes)
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
