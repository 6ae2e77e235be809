"""Class loaders that should be gone are still there, with all their classes."""

from __future__ import annotations

from mqdiag.facts.recordings import Recording
from mqdiag.facts.waste import LoaderGroup
from mqdiag.findings import Subject
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.waste import Wasted
from mqdiag.time_ranges import between

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


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """At most one finding: the JVM loads more and more classes until the end, and hardly ever lets one go."""
    found = recording.classes
    if found is None or found.half is None:
        return
    grown = found.last - found.first
    if grown < limits["grown_classes"] or found.last - found.half < limits["second_half"] * grown:
        return
    if found.unloaded > limits["unloaded_share"] * grown:
        return
    ordinary = RULE.names("ordinary_loaders")
    many = next((one for one in found.loaders if one.class_name not in ordinary), None)
    if many is not None and many.loaders < limits["recorded_loaders"]:
        many = None
    yield RULE.case(
        "classes-grow" if many is None else "loaders-grow",
        many,
        subject=Subject(object_class=None if many is None else many.class_name),
        evidence={
            "path": recording.path,
            "grown_classes": grown,
            "last_classes": found.last,
            "unloaded_classes": found.unloaded,
            "metaspace_bytes": found.metaspace_bytes,
            "seconds": recording.seconds,
        },
        rests_on=(recording.path,),
        when=between(recording.began_at, recording.ended_at),
        weight=0.3,
    )


def _said(name: str, group: LoaderGroup, share: float) -> Draft:
    return RULE.case(
        name,
        group,
        subject=Subject(object_class=group.loader_class),
        evidence={"class": group.loader_class, "share": round(share, 4)},
        words={"steps": " -> ".join(group.path) or None},
        weight=share,
    )
