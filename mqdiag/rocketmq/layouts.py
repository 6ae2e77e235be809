"""Holds the fields that a dump gives to classes of RocketMQ against those that the classes have.

A name that two fields of a class exchange turns a time into a count. No record of the dump contradicts that, but the
class does: its fields have types, and a JVM writes them in the order of the source or from the last to the first.
"""

from __future__ import annotations

from mqdiag.graph.heap import Heap
from mqdiag.read.hprof.types import BOOLEAN, INT, LONG, REFERENCE
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.names import LAYOUTS
from mqdiag.text import Text, say

_TYPES = {"L": REFERENCE, "Z": BOOLEAN, "I": INT, "J": LONG}


def changed_layout(heap: Heap) -> Text | None:
    """Which class has the fields of a known version with other types or in another order; None where none does.

    A class with other names is of a version that is not known, or relocated with its fields, and proves nothing.
    """
    known: dict[str, list[list[tuple[str, int]]]] = {}
    for layout in LAYOUTS:
        declared = [part.split(":") for part in layout.fields.split()]
        known.setdefault(layout.role, []).append([(name, _TYPES[kind]) for name, kind in declared])
    for role, layouts in known.items():
        for root in fields.package_roots(heap, role):
            for row in fields.class_rows(heap, root, role):
                own = heap.classes.own_fields(row)
                names = sorted(name for name, _ in own)
                alike = [one for one in layouts if sorted(name for name, _ in one) == names]
                if alike and own not in alike and own[::-1] not in alike:
                    return say(
                        "the fields of {name} have other types or another order than in RocketMQ: the file is damaged",
                        name=heap.classes.names[row],
                    )
    return None
