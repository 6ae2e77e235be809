"""The classes of a heap dump, the largest first."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.heap_classes import ClassRow
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Section
from mqdiag.render.tables import Tables
from mqdiag.text import NOTHING, Value, say

TABLES = Tables("largest_classes")

_NOTE = say('"instances" and "shallow" count all objects of the file, "retained" those that a GC root reaches')


def classes_section(report: Report, view: View) -> Iterator[Section]:
    """One row for each class name."""
    if report.heap is None or not report.heap.classes:
        return
    rows = sorted(report.heap.classes, key=_weight, reverse=True)
    table = TABLES.table(
        "classes",
        rows,
        note=NOTHING if all(row.retained_bytes is None for row in rows) else _NOTE,
        rest=lambda rows: say(
            "and {hidden:count} more classes, {shallow_bytes:bytes} shallow; --format json has them all",
            hidden=len(rows),
            shallow_bytes=sum(row[1] for row in rows if isinstance(row[1], int)),
        ),
        named=_name,
    )
    yield Section(name="classes", title=say("Largest classes"), short_title=say("Classes"), parts=(table,))


def _weight(row: ClassRow) -> tuple[int, int]:
    # What no root reaches retains nothing by itself; in a cut dump that is most of the heap.
    return (max(row.retained_bytes or 0, row.shallow_bytes), row.shallow_bytes)


def _name(row: ClassRow) -> Value:
    if row.loaders < 2:
        return row.name
    return say("{name} ({loaders:count} loaders)", row)
