"""Reads fields of many objects by role; which Java names play a role stands in `knowledge/java_names.toml`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.heap import ConfigValue
from mqdiag.graph.collections import items, map_entries
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.graph.plain import enum_name, field_value
from mqdiag.knowledge.consumer_settings import consumer_settings
from mqdiag.read.hprof.types import BOOLEAN, DOUBLE, FLOAT, REFERENCE
from mqdiag.rocketmq.names import names_of


def class_rows(heap: Heap, root: str, role: str) -> list[int]:
    """Classes with a role under a package root, one for each loader."""
    return [row for name in names_of(role) for row in heap.classes.indices_named(root + name)]


def package_roots(heap: Heap, role: str) -> set[str]:
    """All package roots that have a class with this role: org.apache.rocketmq, or where it was relocated to."""
    return {
        heap.classes.names[row].removesuffix(name)
        for name in names_of(role)
        for row in heap.classes.indices_ending(name)
    }


def instances(heap: Heap, root: str, role: str) -> Nodes:
    """Reachable objects of a class and its subclasses, int32, ascending."""
    nodes = heap.instances(class_rows(heap, root, role))
    return nodes[heap.reachable(nodes)]


def has_field(heap: Heap, rows: list[int], role: str) -> bool:
    """True when one of the classes has a field for the role."""
    return any(heap.classes.has_field(row, name) for row in rows for name in names_of(role))


def refs(heap: Heap, nodes: Nodes, *roles: str) -> Nodes:
    """Follow reference fields, one role after the other.

    Returns:
        int32, one for each node; -1 where the way ends early.
    """
    for role in roles:
        nodes = _refs(heap, nodes, role)
    return nodes


def _refs(heap: Heap, nodes: Nodes, role: str) -> Nodes:
    newest, *older = names_of(role)
    found = heap.refs(nodes, newest)
    for name in older:
        missing = found < 0
        if missing.any():
            found[missing] = heap.refs(nodes[missing], name)
    return found


def lacks(heap: Heap, nodes: Nodes, role: str) -> NDArray[np.bool_]:
    """Whether a reference field leads to an object that the file does not have."""
    lacking = np.zeros(nodes.size, bool)
    for name in names_of(role):
        lacking |= heap.lacks(nodes, name)
    return lacking


def numbers(heap: Heap, nodes: Nodes, *roles: str) -> NDArray[np.int64]:
    """Numbers or booleans at the end of a way of roles; a boxed or atomic number counts as its value.

    Returns:
        int64, one for each node; Heap.MISSING where there is none.
    """
    *way, last = roles
    nodes = refs(heap, nodes, *way)
    found = np.full(nodes.size, heap.MISSING, np.int64)
    for name in names_of(last):
        missing = (found == heap.MISSING) & (nodes >= 0)
        if missing.any():
            found[missing] = heap.numbers(nodes[missing], name)
    missing = (found == heap.MISSING) & (nodes >= 0)
    if missing.any():
        (value,) = names_of("Number.value")
        found[missing] = heap.numbers(_refs(heap, nodes[missing], last), value)
    return found


def ref(heap: Heap, node: int, *roles: str) -> int:
    """The object at the end of a way of roles; -1 where it ends early."""
    return int(refs(heap, one(node), *roles)[0])


def number(heap: Heap, node: int, *roles: str) -> int | None:
    """The number at the end of a way of roles; None where there is none."""
    value = int(numbers(heap, one(node), *roles)[0])
    return None if value == heap.MISSING else value


def flag(heap: Heap, node: int, *roles: str) -> bool | None:
    """The boolean at the end of a way of roles; None where there is none."""
    value = number(heap, node, *roles)
    return None if value is None else bool(value)


def text(heap: Heap, node: int, *roles: str) -> str | None:
    """The string at the end of a way of roles; None where there is none."""
    return texts(heap, one(node), *roles)[0]


def texts(heap: Heap, nodes: Nodes, *roles: str) -> list[str | None]:
    """Strings at the end of a way of roles, each distinct one decoded once."""
    distinct, inverse = np.unique(refs(heap, nodes, *roles), return_inverse=True)
    found = heap.strings(distinct)
    return [found[at] for at in inverse.tolist()]


def constant(heap: Heap, node: int, *roles: str) -> str | None:
    """Name of the enum constant at the end of a way of roles; None where there is none."""
    found = ref(heap, node, *roles)
    return enum_name(heap, found) if found >= 0 else None


def entries(heap: Heap, nodes: Nodes, *roles: str) -> tuple[NDArray[np.int64], Nodes, Nodes]:
    """(position of the node, key, value) of all entries of maps; see `graph.collections.map_entries`."""
    return map_entries(heap, refs(heap, nodes, *roles))


def members(heap: Heap, node: int, *roles: str) -> Nodes:
    """Items of one list, queue or set, int32."""
    return items(heap, refs(heap, one(node), *roles))[1]


def static_numbers(heap: Heap, rows: list[int], role: str) -> list[int]:
    """Static numbers of some classes, in their order."""
    found = [heap.classes.static_value(row, name) for row in rows for name in names_of(role)]
    return [int(value) for value in found if value is not None]


def static_refs(heap: Heap, rows: list[int], role: str) -> list[int]:
    """Objects that static fields of some classes refer to."""
    found = [heap.classes.static_ref(row, name) for row in rows for name in names_of(role)]
    return [node for node in found if node >= 0]


def one(node: int) -> Nodes:
    """A single node as an array."""
    return np.array([node], np.int32)


def place_of(among: Nodes, wanted: Nodes) -> Nodes:
    """Position of each wanted node in an ascending array, int32; -1 where it is not there."""
    if not among.size:
        return np.full(wanted.size, -1, np.int32)
    at = np.minimum(np.searchsorted(among, wanted), among.size - 1)
    return np.where((among[at] == wanted) & (wanted >= 0), at, -1).astype(np.int32)


def plain_fields(heap: Heap, node: int) -> dict[str, ConfigValue]:
    """Every plain field of an object under its own Java name: settings of a consumer, state of an implementation.

    Numbers, booleans, strings, and enum constants by their names, inherited fields included. A null reference counts
    only where a setting has that name: any other may be of any type.
    """
    if node < 0:
        return {}
    row = int(heap.index.rows[node])
    found: dict[str, ConfigValue] = {}
    for name, places in heap.classes.field_places(row).items():
        kind = places[0][1]
        if kind == BOOLEAN:
            found[name] = bool(heap.number(node, name))
        elif kind in (FLOAT, DOUBLE):
            found[name] = field_value(heap, node, *places[0])
        elif kind != REFERENCE:
            found[name] = heap.number(node, name)
        else:
            value = heap.ref(node, name)
            if value < 0:
                if name in consumer_settings().names:
                    found[name] = None
                continue
            plain = _plain_text(heap, value)
            if plain is not None:
                found[name] = plain
    return found


def _plain_text(heap: Heap, node: int) -> str | None:
    """A string, or an enum constant's name; None for any other object."""
    if heap.class_name(node) == "java.lang.String":
        return heap.string(node)
    return enum_name(heap, node)
