"""Where chosen fields stand in the instances of each class, subclasses included."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import InputError
from mqdiag.read.hprof.outline import Outline
from mqdiag.read.hprof.types import width_of, widths_of
from mqdiag.text import say

_MAX_DEPTH = 256


@dataclass(frozen=True, slots=True)
class Field:
    """A field as its class declares it."""

    name: str
    kind: int
    place: int
    """bytes behind the first of its class's own fields"""
    size: int


class FieldLayouts:
    """The layouts of all classes of a dump."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        classes = outline.classes
        self._id_size = outline.header.id_size
        ends = np.concatenate(([0], np.cumsum(widths_of(classes.field_types, self._id_size))))
        self._own = ends[classes.field_starts[1:]] - ends[classes.field_starts[:-1]]
        self.lengths: NDArray[np.int64] = np.zeros(classes.count, np.int64)
        """bytes of an instance's fields, by row"""
        for _, rows, ancestors in self._levels():
            self.lengths[rows] += self._own[ancestors]
        self._declared: dict[int, dict[str, int]] = {}
        self._places: dict[tuple[int, str], int] = {}

    def own_fields(self, row: int) -> Iterator[Field]:
        """The fields that a class declares itself."""
        classes = self._outline.classes
        place = 0
        for at in range(int(classes.field_starts[row]), int(classes.field_starts[row + 1])):
            kind = int(classes.field_types[at])
            size = width_of(kind, self._id_size)
            yield Field(self._outline.names.text(int(classes.field_names[at])), kind, place, size)
            place += size

    def chosen(self, choose: Callable[[str, Field], int | None], among: list[int]) -> NDArray[np.int64]:
        """Fields of instances.

        Args:
            choose: what a class's name and a field of its own mean; None for a field of no interest.
            among: rows of the classes whose own fields are asked about.

        Returns:
            int64[n, 4]: class row, place in its instances, bytes, what it means; rows ascending.

        Raises:
            InputError: the classes inherit more such fields than the file has bytes, which takes a forged hierarchy.
        """
        declared: dict[int, list[tuple[int, int, int]]] = {}
        for row in among:
            name = self._outline.classes.names[row]
            meanings = [(field, choose(name, field)) for field in self.own_fields(row)]
            found = [(field.place, field.size, what) for field, what in meanings if what is not None]
            if found:
                declared[row] = found
        numbers = np.zeros(self._outline.classes.count, np.int64)
        numbers[list(declared)] = [len(fields) for fields in declared.values()]
        self._refuse_forged(sum(int(numbers[ancestors].sum()) for _, _, ancestors in self._levels()))
        rows_of_fields = [np.empty((0, 4), np.int64)]
        for base, rows, ancestors in self._levels():
            at = np.flatnonzero(numbers[ancestors])
            rows_of_fields += [
                np.array([[row, start + place, size, what] for place, size, what in declared[above]], np.int64)
                for row, start, above in zip(
                    rows[at].tolist(), base[at].tolist(), ancestors[at].tolist(), strict=True
                )
            ]
        fields = np.concatenate(rows_of_fields)
        return fields[np.argsort(fields[:, 0], kind="stable")]

    def place(self, row: int, name: str) -> int:
        """Where a field of this name stands in a class's instances; -1 where there is none."""
        found = self._places.get((row, name))
        if found is None:
            found = self._places[row, name] = self._find(row, name)
        return found

    def _find(self, row: int, name: str) -> int:
        base = 0
        for _ in range(_MAX_DEPTH):
            if row < 0:
                break
            place = self._own_places(row).get(name)
            if place is not None:
                return base + place
            base += int(self._own[row])
            row = int(self._outline.classes.superclass[row])
        return -1

    def _own_places(self, row: int) -> dict[str, int]:
        """The places of a class's own fields; of two of one name the first one's."""
        found = self._declared.get(row)
        if found is None:
            found = self._declared[row] = {}
            for field in self.own_fields(row):
                found.setdefault(field.name, field.place)
        return found

    def _refuse_forged(self, inherited: int) -> None:
        source = self._outline.source
        if inherited > source.data.size:
            raise InputError(
                source.path,
                say("its classes inherit more fields than the file has bytes"),
                hint=say("no JVM writes such a dump; take it again"),
            )

    def _levels(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """Upwards, for all classes at once: (where the ancestor's own fields begin, class rows, ancestors)."""
        rows = np.arange(self._outline.classes.count)
        ancestors = rows.copy()
        base = np.zeros(rows.size, np.int64)
        for _ in range(_MAX_DEPTH):
            if not rows.size:
                return
            yield base, rows, ancestors
            base = base + self._own[ancestors]
            ancestors = self._outline.classes.superclass[ancestors].astype(np.int64)
            there = ancestors >= 0
            base, rows, ancestors = base[there], rows[there], ancestors[there]
