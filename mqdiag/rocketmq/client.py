"""Finds the remoting clients of a heap: package roots, version families and versions."""

from __future__ import annotations

import re

import msgspec
import numpy as np

from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.names import FAMILIES, KNOWN_CLASSES, ROWS, Family
from mqdiag.text import Text, say


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """All that one package root holds: org.apache.rocketmq, com.alibaba.rocketmq, or a relocated copy."""

    heap: Heap
    root: str
    family: str
    """the version family whose mark was found, "5.3" """
    unknown: dict[str, Text] = msgspec.field(default_factory=dict)

    def rows(self, role: str) -> list[int]:
        """Classes of this client, one for each loader."""
        return fields.class_rows(self.heap, self.root, role)

    def objects(self, role: str) -> Nodes:
        """Reachable objects of a class and its subclasses, ascending."""
        return fields.instances(self.heap, self.root, role)


def find_clients(heap: Heap) -> list[Client]:
    """The clients of a heap, by package root."""
    roots = {root for role in KNOWN_CLASSES for root in fields.package_roots(heap, role)}
    return [_client(heap, root) for root in sorted(roots)]


def _client(heap: Heap, root: str) -> Client:
    for family in FAMILIES:
        rows = heap.classes.indices_named(root + family.mark_class)
        if any(heap.classes.has_field(row, family.mark_field) for row in rows):
            return Client(heap=heap, root=root, family=family.name)
    nearest = max(FAMILIES, key=lambda family: _known_names(heap, root, family))
    unknown = {}
    if fields.class_rows(heap, root, "ProcessQueue"):
        unknown["layout"] = say(
            "the classes of {root} belong to no known version family; they are read as the nearest one, {name}",
            root=root,
            name=nearest.name,
        )
    return Client(heap=heap, root=root, family=nearest.name, unknown=unknown)


def _known_names(heap: Heap, root: str, family: Family) -> int:
    """How many fields of ProcessQueue have the names of a family."""
    rows = fields.class_rows(heap, root, "ProcessQueue")
    names = [row.name for row in ROWS if row.role.startswith("ProcessQueue.") and row.is_in(family.since)]
    return sum(any(heap.classes.has_field(row, name) for row in rows) for name in names)


def version_under(heap: Heap, root: str) -> str | None:
    """Version of a client or broker: the static int of MQVersion, named by the enum constants of the dump.

    Returns:
        5.3.3 for V5_3_3; None when MQVersion is not loaded or its constants are not in the dump.
    """
    for ordinal in fields.static_numbers(heap, fields.class_rows(heap, root, "MQVersion"), "MQVersion.current"):
        constants = heap.instances(fields.class_rows(heap, root, "Version"))
        found = constants[fields.numbers(heap, constants, "Enum.ordinal") == ordinal]
        names = [name for name in fields.texts(heap, found.astype(np.int32), "Enum.name") if name]
        if names:
            return _dotted(names[0])
    return None


def _dotted(constant: str) -> str:
    """V4_9_8 -> 4.9.8, HIGHER_VERSION as it is; released 3.2.6 calls itself V3_2_6_SNAPSHOT."""
    found = re.fullmatch(r"V(\d+(?:_\d+)*)(_.+)?", constant.removesuffix("_SNAPSHOT"))
    if found is None:
        return constant
    return found[1].replace("_", ".") + (found[2] or "").replace("_", "-")
