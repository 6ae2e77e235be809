"""Classes by name, with their fields and statics."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.index import ObjectIndex
from mqdiag.read.hprof.dump import Dump
from mqdiag.read.hprof.types import REFERENCE, WIDTHS, unpack_number, width_of

_MAX_DEPTH = 256
"""a class and its superclasses that are followed: a limit of ours, a JVM has none"""
_MOST_KEPT = 1 << 20
"""inherited fields, and places of fields, that are kept for the next question about their classes"""

Place = tuple[int, int]
"""byte offset from the first field, basic type"""


class ClassTable:
    """One entry per class of the dump; the same name may occur once per loader."""

    def __init__(self, dump: Dump, index: ObjectIndex | None) -> None:
        self._dump = dump
        self._records = dump.classes
        self._index = index
        self._own: dict[int, tuple[dict[str, list[Place]], int]] = {}
        self._places: dict[int, dict[str, list[Place]]] = {}
        self._kept = 0
        self._found: dict[tuple[int, str], Place | None] = {}
        self.names: list[str] = dump.classes.names
        self.superclass: NDArray[np.int32] = dump.classes.superclass

    @property
    def count(self) -> int:
        """Number of classes."""
        return len(self.names)

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for row, name in enumerate(self.names):
            found.setdefault(name, []).append(row)
        return found

    @cached_property
    def _by_simple_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for row, name in enumerate(self.names):
            found.setdefault(name.rpartition(".")[2], []).append(row)
        return found

    def indices_named(self, name: str) -> list[int]:
        """Classes of exactly this name, one for each loader."""
        return self._by_name.get(name, [])

    def indices_ending(self, suffix: str) -> list[int]:
        """Classes whose name ends so: finds relocated packages."""
        _, dot, simple = suffix.rpartition(".")
        rows = self._by_simple_name.get(simple, []) if dot else range(self.count)
        return [row for row in rows if self.names[row].endswith(suffix)]

    def ancestors(self, row: int) -> list[int]:
        """The class and its superclasses, upwards; a cyclic chain ends where it closes."""
        chain: list[int] = []
        while row >= 0 and row not in chain and len(chain) < _MAX_DEPTH:
            chain.append(row)
            row = int(self.superclass[row])
        return chain

    @cached_property
    def has_circle(self) -> bool:
        """Whether a class is its own superclass, or has at least 256 superclasses."""
        above = self.superclass
        for _ in range(_MAX_DEPTH.bit_length() - 1):
            above = np.where(above >= 0, above[above], -1)
        return bool((above >= 0).any())

    def levels(self, row: int) -> Iterator[tuple[int, int]]:
        """(byte at which its own fields begin in an instance, row) of the class and its superclasses, upwards."""
        begin = 0
        for level in self.ancestors(row):
            yield begin, level
            begin += self._declared(level)[1]

    def subclasses(self, rows: list[int]) -> NDArray[np.int32]:
        """The classes and everything below them, int32."""
        inside = np.zeros(self.count, bool)
        inside[rows] = True
        for _ in range(_MAX_DEPTH):
            grown = inside | ((self.superclass >= 0) & inside[self.superclass])
            if (grown == inside).all():
                break
            inside = grown
        return np.flatnonzero(inside).astype(np.int32)

    def field_places(self, row: int) -> dict[str, list[Place]]:
        """Instance fields by name; of a name declared at several levels the class's own comes first.

        For one class at a time: all classes together may inherit far more fields than they declare.
        """
        found = self._places.get(row)
        if found is None:
            found = {}
            for begin, level in self.levels(row):
                for name, places in self._declared(level)[0].items():
                    found.setdefault(name, []).extend((begin + place, kind) for place, kind in places)
            self._kept += len(found)
            if self._kept > _MOST_KEPT:
                self._places.clear()
                self._kept = len(found)
            self._places[row] = found
        return found

    def field_place(self, row: int, name: str) -> Place | None:
        """Where the field of this name stands; the class's own where it is declared at several levels."""
        key = row, name
        if key not in self._found:
            if len(self._found) >= _MOST_KEPT:
                self._found.clear()
            self._found[key] = next(self._places_named(row, name), None)
        return self._found[key]

    def inherited_place(self, row: int, name: str) -> Place | None:
        """The same, but that of the uppermost class where it is declared at several levels."""
        found = None
        for found in self._places_named(row, name):  # noqa: B007
            pass
        return found

    def field_names(self, row: int) -> list[str]:
        """Names of the instance fields, own first, then each superclass's; for one class at a time."""
        return list(self.field_places(row))

    def own_fields(self, row: int) -> list[tuple[str, int]]:
        """(name, type) of the instance fields that the class declares itself, in the order of the dump."""
        return [(name, kind) for name, places in self._declared(row)[0].items() for _, kind in places]

    def has_field(self, row: int, name: str) -> bool:
        """True when an instance has the field, inherited ones included."""
        return self.field_place(row, name) is not None

    def _places_named(self, row: int, name: str) -> Iterator[Place]:
        for begin, level in self.levels(row):
            for place, kind in self._declared(level)[0].get(name, ()):
                yield begin + place, kind

    def _declared(self, row: int) -> tuple[dict[str, list[Place]], int]:
        """(a class's own fields by name, their bytes)."""
        found = self._own.get(row)
        if found is None:
            records, id_size = self._records, self._dump.header.id_size
            own: dict[str, list[Place]] = {}
            offset = 0
            for at in range(int(records.field_starts[row]), int(records.field_starts[row + 1])):
                kind = int(records.field_types[at])
                own.setdefault(self._dump.names.text(int(records.field_names[at])), []).append((offset, kind))
                offset += width_of(kind, id_size)
            found = self._own[row] = own, offset
        return found

    def static_names(self, row: int) -> list[str]:
        """Names of the class's own static fields."""
        return [self._dump.names.text(int(self._records.static_names[at])) for at in self._statics(row)]

    def static_value(self, row: int, name: str) -> int | float | bool | None:
        """A primitive static; None when there is none of this name."""
        at = self._static(row, name)
        if at is None or self._records.static_types[at] not in WIDTHS:
            return None
        kind, place = int(self._records.static_types[at]), int(self._records.static_values[at])
        raw = bytes(self._dump.source.data[place : place + WIDTHS[kind]])
        return unpack_number(kind, raw)

    def static_ref(self, row: int, name: str) -> int:
        """Node of a static reference; -1 when it is null or not there."""
        at = self._static(row, name)
        if at is None or self._records.static_types[at] != REFERENCE or self._index is None:
            return -1
        place, size = int(self._records.static_values[at]), self._dump.header.id_size
        wanted = int.from_bytes(bytes(self._dump.source.data[place : place + size]), "big")
        return int(self._index.lookup.find(np.array([wanted], np.uint64))[0])

    def static_refs(self, row: int) -> list[tuple[str, int]]:
        """(name, node) of the class's own static references that are not null."""
        found = []
        for at in self._statics(row):
            if self._records.static_types[at] == REFERENCE:
                name = self._dump.names.text(int(self._records.static_names[at]))
                node = self.static_ref(row, name)
                if node >= 0:
                    found.append((name, node))
        return found

    def _statics(self, row: int) -> range:
        return range(int(self._records.static_starts[row]), int(self._records.static_starts[row + 1]))

    def _static(self, row: int, name: str) -> int | None:
        for at in self._statics(row):
            if self._dump.names.get(int(self._records.static_names[at])) == name:
                return at
        return None
