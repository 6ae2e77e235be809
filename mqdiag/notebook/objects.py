"""One Java object to look into and to walk from."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mqdiag.facts.shown import PathStep
from mqdiag.graph import Heap
from mqdiag.graph.array_elements import array_elements
from mqdiag.graph.merged_paths import paths_to_one
from mqdiag.graph.paths import edge_name
from mqdiag.graph.plain import PlainValue, field_value, plain_value, static_value
from mqdiag.graph.referrers import referrers_of
from mqdiag.notebook.decode import decode, to_python
from mqdiag.read.hprof.types import REFERENCE
from mqdiag.render.wording.safe import safe


class JavaObject:
    """An object of the dump. Two are equal when they are the same object of the same opened dump.

    `obj["name"]` is a field's value: numbers, truths and strings as Python's own, null as None, boxes and atomics as
    numbers, everything else as a JavaObject. Of an array `obj[3]` is an element.
    """

    __slots__ = ("_heap", "_node")

    def __init__(self, heap: Heap, node: int) -> None:
        self._heap = heap
        self._node = node

    def __repr__(self) -> str:
        label = plain_value(self._heap, self._node)
        shown = "" if label is None else f" {safe(str(label), limit=64)}"
        return f"<{safe(self.class_name)} 0x{self.id:x}{shown}>"

    def _repr_html_(self) -> str:
        """Its fields as a table; whatever they hold stays text."""
        rows = "".join(
            f"<tr><td>{_html(name)}</td><td>{_html(value)}</td></tr>" for name, value in self.fields.items()
        )
        return f"<table><caption>{_html(self)}</caption>{rows}</table>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JavaObject) and (self._heap, self._node) == (other._heap, other._node)

    def __hash__(self) -> int:
        return hash((id(self._heap), self._node))

    # What it is

    @property
    def node(self) -> int:
        """Position in the graph, for `mqdiag.graph.Heap`."""
        return self._node

    @property
    def id(self) -> int:
        """Its id in the dump, as `mqdiag show` takes it."""
        return self._heap.object_id(self._node)

    @property
    def class_name(self) -> str:
        """Full name of its class."""
        return self._heap.class_name(self._node)

    @property
    def text(self) -> str | None:
        """What it says in a word: a string's text, an enum constant's name, "class x.Y" for a class object."""
        value = plain_value(self._heap, self._node)
        return None if value is None else str(value)

    @property
    def length(self) -> int | None:
        """Elements of an array; None for anything else."""
        length = int(self._heap.array_lengths(self._at())[0])
        return None if length < 0 else length

    @property
    def shallow_bytes(self) -> int:
        """Bytes of the object itself."""
        return int(self._heap.shallow_sizes(self._at())[0])

    @property
    def retained_bytes(self) -> int:
        """Retained bytes; 0 when it is unreachable."""
        return int(self._heap.retained_sizes(self._at())[0])

    @property
    def reachable(self) -> bool:
        """Whether a GC root reaches it."""
        return bool(self._heap.reachable(self._at())[0])

    def _at(self) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        return np.array([self._node], np.int32)

    # What is in it

    @property
    def fields(self) -> Mapping[str, Any]:
        """All instance fields by name, the own class's first; of a class object its static fields.

        Of fields of the same name at several levels the lowest one counts.
        """
        return {
            name: decode(self._heap, int(value or 0), JavaObject) if is_reference else value
            for name, value, is_reference in self._raw_fields()
        }

    def _raw_fields(self) -> Iterator[tuple[str, PlainValue, bool]]:
        """(name, value or node, whether it is a reference)."""
        heap = self._heap
        row = heap.class_of_node.get(self._node)
        if row is not None:
            types = heap.dump.classes.static_types[int(heap.dump.classes.static_starts[row]) :]
            for number, name in enumerate(heap.classes.static_names(row)):
                yield name, static_value(heap, row, number), int(types[number]) == REFERENCE
        elif heap.data[heap.place(self._node)] == 0x21:
            for name, places in heap.classes.field_places(int(heap.index.rows[self._node])).items():
                offset, kind = places[0]
                yield name, field_value(heap, self._node, offset, kind), kind == REFERENCE

    def __getitem__(self, key: str | int) -> Any:
        if isinstance(key, str):
            for name, value, is_reference in self._raw_fields():
                if name == key:
                    return decode(self._heap, int(value or 0), JavaObject) if is_reference else value
            known = ", ".join(safe(name) for name, _, _ in self._raw_fields())
            raise KeyError(f"{self.class_name} has no field {key!r}; it has: {known or 'none'}")
        length = self.length
        if length is None:
            raise TypeError(f"{self.class_name} is not an array")
        place = key + length if key < 0 else key
        if not 0 <= place < length:
            raise IndexError(f"{self.class_name} of {length} elements has no element {key}")
        return self._element(place)

    def _element(self, place: int) -> Any:
        elements = array_elements(self._heap, self._node, place + 1)
        if self._heap.primitive_array(self._node, 0) is None:
            return decode(self._heap, int(elements[place]) if place < elements.size else -1, JavaObject)
        value = to_python(self._heap, self._node, 1, JavaObject)[place]
        return value.item() if isinstance(value, np.generic) else value

    def __iter__(self) -> Iterator[Any]:
        """Elements of an array, items of a collection, keys of a map."""
        found = self.to_python()
        if isinstance(found, JavaObject):
            raise TypeError(f"{self.class_name} is neither an array nor a collection of java.util")
        return iter(found)

    def to_python(self, depth: int = 1) -> Any:
        """A collection or array as Python's own; anything else as `obj["field"]` would give it.

        Maps become dict, lists, sets and queues list, byte[] bytes, char[] str, other primitive arrays numpy arrays.

        Args:
            depth: how many collections inside each other are converted; deeper ones stay objects.
        """
        return to_python(self._heap, self._node, depth, JavaObject)

    # Around it

    def references(self) -> list[tuple[str, JavaObject]]:
        """(field, object) of all that it refers to: fields, statics, elements as "[3]", null ones left out."""
        heap = self._heap
        found = [
            (name, JavaObject(heap, int(value or 0)))
            for name, value, is_reference in self._raw_fields()
            if is_reference and int(value or 0) >= 0
        ]
        elements = array_elements(heap, self._node).tolist()
        return found + [(f"[{at}]", JavaObject(heap, held)) for at, held in enumerate(elements) if held >= 0]

    def referrers(self, limit: int | None = None) -> list[tuple[str, JavaObject]]:
        """(field, object) of all that refer to it; for a class object without its instances.

        Args:
            limit: stop after so many.
        """
        heap = self._heap
        return [
            (edge_name(heap, holder, self._node), JavaObject(heap, holder))
            for holder in referrers_of(heap, self._node)[:limit].tolist()
        ]

    @property
    def dominator(self) -> JavaObject | None:
        """The nearest object that alone keeps it alive; None when only the GC roots together do."""
        tree = self._heap.dominance
        place = int(tree.dominator[tree.numbers[self._node]])
        return None if place == 0 else JavaObject(self._heap, int(tree.order[place]))

    def dominated(self, limit: int | None = None) -> list[JavaObject]:
        """The objects that it alone keeps alive directly, largest retained size first."""
        tree = self._heap.dominance
        if not self.reachable:
            return []
        places = tree.children(int(tree.numbers[self._node]))
        places = places[np.argsort(-tree.retained(places), kind="stable")][:limit]
        return [JavaObject(self._heap, node) for node in tree.order[places].tolist()]

    def path_to_root(self) -> list[str]:
        """The shortest path from a GC root to it, a line a step, the root first; empty when it is unreachable."""
        return self._heap.path_to_root(self._node)

    def paths_to_roots(self) -> tuple[PathStep, ...]:
        """The shortest paths through each of its referrers, merged by class and field."""
        return paths_to_one(self._heap, self._node, referrers_of(self._heap, self._node))


def _html(value: Any) -> str:
    return html.escape(safe(str(value)))
