"""What one object says in a word: the text of a string, an enum constant, a boxed number, a class object."""

from __future__ import annotations

from mqdiag.graph.heap import Heap
from mqdiag.read.hprof.records import big_endian
from mqdiag.read.hprof.types import WIDTHS, PrimitiveValue, unpack

PlainValue = PrimitiveValue | None

BOXES = frozenset(
    {
        f"java.lang.{name}"
        for name in ["Boolean", "Byte", "Short", "Integer", "Long", "Float", "Double", "Character"]
    }
    | {f"java.util.concurrent.atomic.Atomic{name}" for name in ("Integer", "Long", "Boolean")}
)


def field_value(heap: Heap, node: int, offset: int, kind: int) -> PlainValue | int:
    """A field by its place: a primitive, or the node of a reference (-1 for null and dangling ids)."""
    at = heap.place(node)
    start = at + 9 + 2 * heap.header.id_size
    length = int.from_bytes(bytes(heap.data[start - 4 : start]), "big")
    width = WIDTHS.get(kind, heap.header.id_size)
    raw = bytes(heap.data[start + offset : start + offset + width])
    if offset + width > length or len(raw) < width:
        return -1 if kind not in WIDTHS else None
    if kind in WIDTHS:
        return unpack(kind, raw)
    return heap.node(int.from_bytes(raw, "big"))


def plain_value(heap: Heap, node: int) -> PlainValue:
    """Text, number or truth of a string, enum constant, box or class object; None for any other object."""
    row = heap.class_of_node.get(node)
    if row is not None:
        return f"class {heap.classes.names[row]}"
    name = heap.class_name(node)
    if name == "java.lang.String":
        return heap.string(node)
    if name in BOXES:
        return box_value(heap, node)
    return enum_name(heap, node)


def box_value(heap: Heap, node: int) -> PlainValue:
    """Value of an Integer, AtomicLong and the like; None for what is none."""
    place = heap.classes.field_place(int(heap.index.rows[node]), "value")
    if place is None or place[1] not in WIDTHS:
        return None
    value = field_value(heap, node, *place)
    is_flag = heap.class_name(node).endswith("AtomicBoolean")
    return bool(value) if is_flag and value is not None else value


def enum_name(heap: Heap, node: int) -> str | None:
    """Name of an enum constant; constants with a body are of a subclass."""
    enums = set(heap.classes.indices_named("java.lang.Enum"))
    if not enums.intersection(heap.classes.ancestors(int(heap.index.rows[node]))):
        return None
    return heap.string(heap.ref(node, "name"))


def static_value(heap: Heap, row: int, static: int) -> PlainValue | int:
    """A static by its number: a primitive, or the node of a reference (-1 for null and dangling ids)."""
    classes = heap.dump.classes
    at = int(classes.static_starts[row]) + static
    kind, place = int(classes.static_types[at]), int(classes.static_values[at])
    if kind in WIDTHS:
        return unpack(kind, bytes(heap.data[place : place + WIDTHS[kind]]))
    place_of = heap.index.lookup.find(
        big_endian(heap.data, classes.static_values[at : at + 1], heap.header.id_size)
    )
    return int(place_of[0])
