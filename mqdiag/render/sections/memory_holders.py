"""Where the memory is: the objects that retain most, and the references that keep them alive."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.heap_classes import Suspect
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Fold, Path, Section, Several, Words
from mqdiag.render.sections.heap_map import heap_map
from mqdiag.render.tables import Tables
from mqdiag.text import say

TABLES = Tables("memory_holders")

WORTH_SHOWING_BYTES = 1 << 20
"""in an almost empty heap a class loader is the largest object, which is no news"""
_OWNERS: dict[str, Words] = {
    "rocketmq": "RocketMQ",
    "jdk": say("the JDK"),
    "application": say("the application"),
}


def memory_section(report: Report, view: View) -> Iterator[Section]:
    """The map of the heap, the accumulation points, and a path to each."""
    heap = report.heap
    if heap is None:
        return
    parts: list[AnyPart] = []
    picture = heap_map(heap)
    if picture is not None:
        parts.append(picture)
    large = [one for one in heap.suspects if one.retained_bytes >= WORTH_SHOWING_BYTES]
    if large:
        parts += [
            TABLES.table(
                "suspects",
                large,
                held_under=lambda one: one.label or one.class_name,
                code_of=lambda one: _OWNERS.get(one.owner, one.owner),
                mostly=lambda one: one.holds[:3] or "",
            ),
            _paths(large),
        ]
    if parts:
        yield Section(name="memory", title=say("Where the memory is"), short_title=say("Memory"), parts=parts)


def _paths(suspects: list[Suspect]) -> Several:
    folds = [
        Fold(say("References from a GC root to {name}", name=one.label or one.class_name), (Path(one.path),))
        for one in suspects
        if one.path
    ]
    return Several(
        parts=folds,
        shown=(3, 100),
        rest=lambda hidden: say("and {hidden:count} more {hidden:path|paths}", hidden=hidden),
    )
