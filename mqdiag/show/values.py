"""Values as they are shown: fields, statics, elements, entries of collections."""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice
from operator import itemgetter

import numpy as np

from mqdiag.facts.shown import PlainValue, ShownEntry, ShownValue
from mqdiag.graph import Heap
from mqdiag.graph.array_elements import array_elements
from mqdiag.graph.ordered_collections import is_collection, is_map, ordered_entries, ordered_items
from mqdiag.graph.plain import field_value, plain_value, static_value
from mqdiag.read.hprof.types import BYTE, CHAR, NAMES, REFERENCE, unpack_all

LONGEST_TEXT = 64
"""characters of a string that are shown: what an application keeps may be personal data"""
FIRST = 20
"""elements and entries shown"""
_COUNTS = ("size", "count", "elementCount")


def cut(text: str) -> str:
    """The first characters, and a mark where there were more."""
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


def label_of(heap: Heap, node: int) -> str | None:
    """A name or text by which a person tells the object from others of its class."""
    value = plain_value(heap, node)
    if value is not None:
        quoted = isinstance(value, str) and heap.class_name(node) == "java.lang.String"
        return f'"{cut(str(value))}"' if quoted else cut(str(value))
    if node in heap.roots.thread_nodes.values():
        name = heap.string(heap.ref(node, "name"))
        return None if name is None else cut(name)
    return None


def reference(heap: Heap, node: int, name: str = "", declared_by: str | None = None) -> ShownValue:
    """A reference to a node; -1 is null."""
    if node < 0:
        return ShownValue(name=name, type="reference", declared_by=declared_by)
    value = plain_value(heap, node)
    return ShownValue(
        name=name,
        type="reference",
        value=cut(value) if isinstance(value, str) else value,
        class_name=heap.class_name(node),
        object_id=f"0x{heap.object_id(node):x}",
        length=_length(heap, node),
        declared_by=declared_by,
    )


def _length(heap: Heap, node: int) -> int | None:
    """Elements of an array; characters of a string; entries that a collection says to have."""
    length = int(heap.array_lengths(np.array([node], np.int32))[0])
    if length >= 0:
        return length
    if heap.class_name(node) == "java.lang.String":
        content = heap.ref(node, "value")
        if content < 0:
            return None
        length = int(heap.array_lengths(np.array([content], np.int32))[0])
        return length // 2 if heap.number(node, "coder") == 1 else length
    if is_map(heap, node) or is_collection(heap, node):
        return next((size for size in (heap.number(node, name) for name in _COUNTS) if size is not None), None)
    return None


def primitive(kind: int, value: PlainValue, name: str = "", declared_by: str | None = None) -> ShownValue:
    """A primitive value."""
    return ShownValue(name=name, type=NAMES.get(kind, "unknown"), value=value, declared_by=declared_by)


def field_values(heap: Heap, node: int) -> tuple[ShownValue, ...]:
    """All instance fields, the object's own class first."""
    row = int(heap.index.rows[node])
    if heap.data[heap.place(node)] != 0x21:
        return ()
    shown = []
    levels = list(heap.classes.levels(row))
    for name, places in heap.classes.field_places(row).items():
        for offset, kind in places:
            value = field_value(heap, node, offset, kind)
            level = bisect_right(levels, offset, key=itemgetter(0)) - 1
            owner = heap.classes.names[levels[level][1]] if level else None
            if kind == REFERENCE:
                shown.append(reference(heap, int(value or 0), name, owner))
            else:
                shown.append(primitive(kind, value, name, owner))
    return tuple(shown)


def static_values(heap: Heap, row: int) -> tuple[ShownValue, ...]:
    """The class's own static fields; what the JVM keeps under names like <resolved_references> is left out."""
    classes = heap.dump.classes
    shown = []
    for number, name in enumerate(heap.classes.static_names(row)):
        if name.startswith("<"):
            continue
        kind = int(classes.static_types[int(classes.static_starts[row]) + number])
        value = static_value(heap, row, number)
        if kind == REFERENCE:
            shown.append(reference(heap, int(value or 0), name))
        else:
            shown.append(primitive(kind, value, name))
    return tuple(shown)


def element_values(heap: Heap, node: int) -> tuple[ShownValue, ...]:
    """The first elements of an array; a byte array's are never shown."""
    found = heap.primitive_array(node, FIRST * 8)
    if found is None:
        return tuple(reference(heap, int(element)) for element in array_elements(heap, node, FIRST))
    kind, raw, _ = found
    if kind == BYTE:
        return ()
    if kind == CHAR:
        text = heap.primitive_array(node, 2 * (LONGEST_TEXT + 1))
        return (primitive(kind, cut(text[1].decode("utf-16-be", "replace")) if text else ""),)
    return tuple(primitive(kind, value) for value in islice(unpack_all(kind, raw), FIRST))


def collection_entries(heap: Heap, node: int) -> tuple[int | None, tuple[ShownEntry, ...]]:
    """(number of entries, the first ones); None for what is no collection of java.util, or cannot be read."""
    if is_map(heap, node):
        keys, values = ordered_entries(heap, node)
    elif is_collection(heap, node):
        keys, values = None, ordered_items(heap, node)
    else:
        return None, ()
    if not values.size and _length(heap, node):
        return None, ()
    shown = []
    for at, value in enumerate(values[:FIRST].tolist()):
        key = None if keys is None else reference(heap, int(keys[at]))
        shown.append(ShownEntry(key=key, value=reference(heap, value)))
    return values.size, tuple(shown)
