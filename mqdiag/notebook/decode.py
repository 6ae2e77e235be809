"""Java values as Python values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from mqdiag.graph import Heap
from mqdiag.graph.array_elements import array_elements
from mqdiag.graph.ordered_collections import is_collection, is_map, ordered_entries, ordered_items
from mqdiag.graph.plain import PlainValue, box_value
from mqdiag.read.hprof.types import BYTE, CHAR, DTYPES

Object = TypeVar("Object")
AsObject = Callable[[Heap, int], Object]
"""makes an object of a node"""
_STRING = "java.lang.String"


def text_of(heap: Heap, node: int) -> str | None:
    """The whole text of a java.lang.String; None for anything else, and for a half-built one."""
    if heap.class_name(node) != _STRING:
        return None
    content = heap.ref(node, "value")
    found = heap.primitive_array(content) if content >= 0 else None
    if found is None:
        return None
    kind, raw, _ = found
    if kind == CHAR:
        # Before JDK 7u6 a substring shared the array of its whole.
        first, count = heap.number(node, "offset"), heap.number(node, "count")
        part = raw if first is None or count is None else raw[2 * max(first, 0) : 2 * (max(first, 0) + count)]
        return part.decode("utf-16-be", "replace")
    # The second byte order is the JVM's native one, little on all platforms in use.
    return raw.decode("utf-16-le", "replace") if heap.number(node, "coder") == 1 else raw.decode("latin-1")


def decode(heap: Heap, node: int, as_object: AsObject[Object]) -> PlainValue | Object:
    """None for null, str for a string, a number or truth for a box or an atomic; anything else as an object.

    Args:
        heap: of the dump.
        node: of the value, or -1 for null.
        as_object: makes the object.
    """
    if node < 0:
        return None
    text = text_of(heap, node)
    if text is not None:
        return text
    name = heap.class_name(node)
    value = box_value(heap, node) if name.startswith("java.") else None
    return as_object(heap, node) if value is None else value


def to_python(heap: Heap, node: int, depth: int, as_object: AsObject[Any]) -> Any:
    """Collections and arrays as dict, list, bytes, str or numpy array; see `JavaObject.to_python`."""
    if node < 0:
        return None
    if depth > 0:
        if is_map(heap, node):
            keys, values = ordered_entries(heap, node)
            return {
                decode(heap, key, as_object): to_python(heap, value, depth - 1, as_object)
                for key, value in zip(keys.tolist(), values.tolist(), strict=True)
            }
        if is_collection(heap, node):
            return [to_python(heap, item, depth - 1, as_object) for item in ordered_items(heap, node).tolist()]
        if heap.class_name(node).endswith("[]"):
            return _array(heap, node, depth, as_object)
    return decode(heap, node, as_object)


def _array(heap: Heap, node: int, depth: int, as_object: AsObject[Any]) -> Any:
    found = heap.primitive_array(node)
    if found is None:
        return [
            to_python(heap, element, depth - 1, as_object) for element in array_elements(heap, node).tolist()
        ]
    kind, raw, _ = found
    if kind == BYTE:
        return raw
    if kind == CHAR:
        return raw.decode("utf-16-be", "replace")
    return np.frombuffer(raw, DTYPES[kind].newbyteorder(">")).astype(DTYPES[kind])
