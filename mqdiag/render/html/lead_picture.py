"""The pictures of a page that stand directly below its answer: what a reader sees first is what it is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from mqdiag.findings import Finding, Report
from mqdiag.render.parts import AnyPart, Figure, Section
from mqdiag.text import say

_BY_EVIDENCE: dict[str, tuple[str, ...]] = {
    "stacks": ("locks", "stacks", "calls"),
    "recordings": ("recordings",),
    "logs": ("events", "gc"),
}
"""anchors of the sections that draw what a finding was seen in, those that tell most first"""
_OF_QUEUE, _OF_HEAP = ("queues", "memory"), ("memory", "queues")
_TIMES = "times"
PICTURE = "picture"
"""the anchor of the part that has them, which needs no heading"""
_ANY = ("memory", "queues", "stacks", "calls", "locks", "events", "gc", "recordings", _TIMES)
"""where the finding itself has none"""
_ANSWER = "answer"


def with_lead_picture(sections: Sequence[Section], report: Report) -> list[Section]:
    """The sections with one picture moved below the answer, and where evidence was joined its time axis.

    Args:
        sections: of a page, in their order.
        report: whose first finding says which picture it is.
    """
    names = {section.name for section in sections if _figures(section)}
    lead = next(iter(report.findings), None)
    chosen = next((name for name in (*_wanted(lead), *_ANY) if name in names), None)
    moved = [name for name in (chosen, _TIMES if report.verdict is not None else None) if name in names]
    if not moved or report.fleet is not None or report.diff is not None:
        return list(sections)
    moved = list(dict.fromkeys(name for name in moved if name is not None))
    by_name = {section.name: section for section in sections}
    pictures = [_figures(by_name[name])[0] for name in moved]
    picture = Section(name=PICTURE, title=say("The picture of the answer"), parts=pictures, headed=False)
    return [*_placed(sections, picture, dict(zip(moved, pictures, strict=True)))]


def _wanted(lead: Finding | None) -> Iterator[str]:
    if lead is None:
        return
    for kind in lead.seen_in:
        if kind == "heap":
            yield from _OF_HEAP if lead.subject.queue_id is None else _OF_QUEUE
        yield from _BY_EVIDENCE.get(kind, ())


def _figures(section: Section) -> list[Figure]:
    return [part for part in section.parts if isinstance(part, Figure)]


def _placed(sections: Iterable[Section], picture: Section, moved: dict[str, Figure]) -> Iterator[Section]:
    for section in sections:
        parts: Sequence[AnyPart] = section.parts
        if section.name in moved:
            parts = [part for part in parts if part is not moved[section.name]]
        if parts:
            yield msgspec.structs.replace(section, parts=parts)
        if section.name == _ANSWER:
            yield picture
