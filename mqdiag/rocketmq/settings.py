"""Every plain field of an object under its Java name: settings of consumers, state of implementations."""

from __future__ import annotations

from mqdiag.facts.heap import ConfigValue
from mqdiag.facts.setting_names import SETTING_NAMES
from mqdiag.graph.heap import Heap
from mqdiag.graph.plain import enum_name, field_value

_BOOLEAN, _REFERENCE = 4, 2
_FLOATS = (6, 7)
_INTEGERS = (5, 8, 9, 10, 11)


def plain_fields(heap: Heap, node: int) -> dict[str, ConfigValue]:
    """Numbers, booleans, strings, and enum constants by their names, inherited fields included.

    A null reference counts only where a setting of that name exists: any other may be of any type.
    """
    if node < 0:
        return {}
    row = int(heap.index.rows[node])
    found: dict[str, ConfigValue] = {}
    for name, places in heap.classes.field_places(row).items():
        kind = places[0][1]
        if kind == _BOOLEAN:
            found[name] = bool(heap.number(node, name))
        elif kind in _INTEGERS:
            found[name] = heap.number(node, name)
        elif kind in _FLOATS:
            found[name] = field_value(heap, node, *places[0])
        elif kind == _REFERENCE:
            value = heap.ref(node, name)
            if value < 0:
                if name in SETTING_NAMES:
                    found[name] = None
                continue
            text = _text(heap, value)
            if text is not None:
                found[name] = text
    return found


def _text(heap: Heap, node: int) -> str | None:
    """A string, or an enum constant's name; None for any other object."""
    if heap.class_name(node) == "java.lang.String":
        return heap.string(node)
    return enum_name(heap, node)
