"""Every event of a recording as nested values, the form in which `jfr print --json` shows them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from mqdiag.read.jfr.chunk import Chunk
from mqdiag.read.jfr.metadata import Field
from mqdiag.read.jfr.records import Records

NAMES_OF_FLOATS = {"float": np.float32, "double": np.float64}
_FOREVER = (1 << 63) - 1


class Whole:
    """All values of one chunk."""

    def __init__(self, chunk: Chunk, most_frames: int = 64) -> None:
        self.chunk = chunk
        self._most_frames = most_frames
        self._constants: dict[tuple[int, int], Any] = {}
        self._rows: dict[int, list[dict[str, Any]]] = {}

    def events(self, name: str) -> list[dict[str, Any]]:
        """Every event of a type."""
        records = self.chunk.events(name)
        kind = self.chunk.type_named(name)
        assert kind is not None
        return [] if records is None else self._dicts(records, kind.fields)

    def _dicts(self, records: Records, fields: tuple[Field, ...], path: str = "") -> list[dict[str, Any]]:
        columns = {field.name: self._column(records, field, path + field.name) for field in fields}
        return [{name: values[row] for name, values in columns.items()} for row in range(len(records))]

    def _column(self, records: Records, field: Field, path: str) -> list[Any]:
        if field.is_array:
            starts, counts = records.array(path)
            flat = self._elements(field, starts, counts)
            ends = np.cumsum(counts)
            return [flat[end - count : end] for end, count in zip(ends.tolist(), counts.tolist(), strict=True)]
        if field.is_constant:
            return [self._constant(field.type_id, key) for key in records.integers(path).tolist()]
        return self._values(records, field, path)

    def _elements(self, field: Field, starts: Any, counts: Any) -> list[Any]:
        records = self.chunk.elements(field, starts, counts)
        kind = self.chunk.types[field.type_id]
        if field.is_constant or not kind.fields:
            return self._column(records, field._replace(is_array=False), field.name)
        return self._dicts(records, kind.fields)

    def _values(self, records: Records, field: Field, path: str) -> list[Any]:
        name = self.chunk.types[field.type_id].name
        if name == "java.lang.String":
            return list(records.texts(path))
        if name == "float":
            return records.floats(path).tolist()
        if name == "double":
            return records.doubles(path).tolist()
        if name == "boolean":
            return records.integers(path).astype(bool).tolist()
        if field.unit is not None:
            form = "time" if field.is_timestamp else "span"
            raw = records.integers(path).tolist()
            values = records.nanoseconds(path).tolist()
            return [(form, None if abs(one) >= _FOREVER else ns) for one, ns in zip(raw, values, strict=True)]
        if name in ("byte", "short", "char", "int", "long"):
            return records.integers(path).tolist()
        kind = self.chunk.types[field.type_id]
        inner = self._dicts(records, kind.fields, f"{path}.")
        return [one[kind.fields[0].name] for one in inner] if kind.is_simple else inner

    def _constant(self, type_id: int, key: int) -> Any:
        """A constant with all that it names; one that names itself ends there."""
        place = (type_id, key)
        if place in self._constants:
            return self._constants[place]
        pool = self.chunk.constants(type_id)
        row = int(pool.rows_of(np.array([key]))[0])
        if row < 0:
            return None
        self._constants[place] = None
        kind = self.chunk.types[type_id]
        records = pool.records.taken(np.array([row]))
        if kind.name == "java.lang.String":
            value: Any = records.texts("value")[0]
        else:
            value = self._dicts(records, kind.fields)[0]
            if kind.is_simple:
                value = value[kind.fields[0].name]
        self._constants[place] = value
        return value


def counted(events: list[Any]) -> Counter[str]:
    """Equal events together."""
    return Counter(map(repr, events))
