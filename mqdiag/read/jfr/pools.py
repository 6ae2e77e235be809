"""Constants of a chunk: what events name by a key, such as threads, stacks and classes.

A checkpoint event holds some of several types. A chunk has many; a key may come twice, and the last one holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.decoding import decode
from mqdiag.read.jfr.header import ChunkHead
from mqdiag.read.jfr.metadata import Field, JfrType
from mqdiag.read.jfr.program import Program, UnknownTypeError, program_of
from mqdiag.read.jfr.records import Records
from mqdiag.read.jfr.values import Cursor, DamagedError
from mqdiag.text import say

KEY = " key"
"""column of a constant's key; no Java field is called so"""
_HEAD_BYTES = 128
"""more than the head of a checkpoint, or of one of its pools, can have"""


class Group(NamedTuple):
    """Constants of one type that follow each other."""

    type_id: int
    start: int
    records: int
    end: int
    """end of the checkpoint"""


def key_and_fields(types: Mapping[int, JfrType], type_id: int) -> tuple[Field, ...]:
    """The fields of a constant with its key before them.

    Raises:
        UnknownTypeError: the metadata describes no such type.
    """
    kind = types.get(type_id)
    long_id = next((number for number, one in types.items() if one.name == "long"), None)
    key_id = long_id if kind is None or kind.key_id is None else kind.key_id
    if kind is None or key_id is None:
        raise UnknownTypeError(say("its metadata does not describe type {number}", number=type_id))
    key = Field(KEY, key_id, is_constant=False, is_array=False, unit=None, is_timestamp=False)
    if kind.name == "java.lang.String":
        return (key, key._replace(name="value", type_id=type_id))
    return (key, *kind.fields)


class PoolIndex:
    """Where the constants of each type are.

    Args:
        data: the file.
        head: of the chunk.
        types: of the chunk.
    """

    def __init__(self, data: NDArray[np.uint8], head: ChunkHead, types: Mapping[int, JfrType]) -> None:
        self._data = data
        self._head = head
        self._types = types
        self._skipping: dict[int, Program] = {}
        self.groups: dict[int, list[Group]] = {}

    def add(self, at: int, end: int) -> None:
        """Take in a checkpoint event.

        Args:
            at: its payload, behind size and type.
            end: of the event.

        Raises:
            DamagedError: it is damaged; constants before that place are kept.
            UnknownTypeError: it has constants of a type that is not described.
        """
        cursor = self.cursor(at, end)
        for _ in range(3):
            cursor.integer(8)  # start, duration, distance to the checkpoint before
        cursor.at += 1  # what it was written for
        pools = cursor.integer(4)
        at += cursor.at
        for left in range(pools - 1, -1, -1):
            cursor = self.cursor(at, end)
            type_id, count = cursor.integer(8), cursor.integer(4)
            at += cursor.at
            # where the last one ends no other begins, and what reads it sees whether it is whole
            at = self.add_group(type_id, at, count, end, ends_it=left == 0)

    def add_group(self, type_id: int, at: int, count: int, end: int, *, ends_it: bool = False) -> int:
        """Take in constants of one type; where they end, which for the last ones of a checkpoint is its end.

        Raises:
            DamagedError, UnknownTypeError: as `add`.
        """
        if not 0 <= count <= end - at:
            raise DamagedError(at)
        group = Group(type_id, at, count, end)
        self.groups.setdefault(type_id, []).append(group)
        if ends_it:
            return end
        return self._behind(group) if count else at

    def cursor(self, at: int, end: int) -> Cursor:
        """Reads the head of a checkpoint, or of one of its pools."""
        piece = self._data[at : min(end, at + _HEAD_BYTES)].tobytes()
        return Cursor(piece, 0, len(piece), is_compressed=self._head.is_compressed, base=at)

    def _behind(self, group: Group) -> int:
        """Where a group ends, which nothing says."""
        program = self._skipping.get(group.type_id)
        if program is None:
            fields = key_and_fields(self._types, group.type_id)
            program = self._skipping[group.type_id] = program_of(self._types, fields, lambda _: False)
        done = decode(self._data, self._head, program, [group], keep=False)
        if done.stopped_at is not None:
            raise DamagedError(done.stopped_at)
        return done.end


class Pool:
    """Constants of one type, found by their keys.

    Args:
        records: with the column KEY.
    """

    def __init__(self, records: Records) -> None:
        self.records = records
        keys = records.integers(KEY)
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        self._text_cache: dict[tuple[str, int], str | None] = {}

    @property
    def keys(self) -> NDArray[np.int64]:
        """int64[constants]: the key of each, in ascending order; one that was written twice is there twice."""
        return self._keys

    def rows_of(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[keys]: the row of each; -1 for a key that no constant has."""
        if not len(self._keys):
            return np.full(len(keys), -1, np.int64)
        at = np.searchsorted(self._keys, keys, side="right") - 1
        is_there = (at >= 0) & (self._keys[np.maximum(at, 0)] == keys)
        return np.where(is_there, self._order[np.maximum(at, 0)], -1)

    def row(self, key: int) -> int:
        """The same for one key."""
        return self._rows.get(key, -1)

    @cached_property
    def _rows(self) -> dict[int, int]:
        return dict(zip(self._keys.tolist(), self._order.tolist(), strict=True))

    def text(self, name: str, row: int) -> str | None:
        """The text of one constant."""
        place = (name, row)
        if place not in self._text_cache:
            self._text_cache[place] = self.records.text(name, row)
        return self._text_cache[place]
