"""The types of a chunk with the programs that decode them, kept from chunk to chunk: those of one JVM repeat them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from mqdiag.read.jfr.kernels.pools import Skips
from mqdiag.read.jfr.metadata import MOST_TYPE, Field, JfrType, read_types
from mqdiag.read.jfr.program import Program, UnknownTypeError, program_of
from mqdiag.read.jfr.values import Cursor
from mqdiag.text import say

KEY = " key"
"""column of a constant's key; no Java field is called so"""


class Programs:
    """Programs for types, each made once.

    Args:
        types: by number, not to be changed.
    """

    def __init__(self, types: Mapping[int, JfrType]) -> None:
        self.types = types
        self.ids = {kind.name: number for number, kind in types.items()}
        """number of each type by its name"""
        self._made: dict[tuple[tuple[Field, ...], frozenset[str] | None], Program] = {}
        self.skips = Skips(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 3), np.int64))
        """those of `learn`; replaced as a whole, as two threads read chunks"""

    def of(self, fields: tuple[Field, ...], columns: Collection[str] | None = None) -> Program:
        """The program for records with these fields, of which these columns are kept; all where None.

        Raises:
            UnknownTypeError: as `program_of`.
        """
        key = fields, None if columns is None else frozenset(columns)
        if key not in self._made:
            wanted = (lambda _: True) if columns is None else columns.__contains__
            self._made[key] = program_of(self.types, fields, wanted)
        return self._made[key]

    def constant(self, type_id: int) -> tuple[Field, ...]:
        """The fields of a constant with its key before them.

        Raises:
            UnknownTypeError: the metadata describes no such type.
        """
        kind = self.types.get(type_id)
        key_id = self.ids.get("long") if kind is None or kind.key_id is None else kind.key_id
        if kind is None or key_id is None:
            raise _undescribed(type_id)
        key = Field(KEY, key_id, is_constant=False, is_array=False, unit=None, is_timestamp=False)
        if kind.name == "java.lang.String":
            return (key, key._replace(name="value", type_id=type_id))
        return (key, *kind.fields)

    def learn(self, number: int, type_id: int) -> None:
        """Add to `skips` how constants of a type are passed over.

        Args:
            number: of the type in checkpoints.
            type_id: its number here.

        Raises:
            UnknownTypeError: it is not described, or cannot be read.
        """
        if not 0 <= number < MOST_TYPE:
            raise _undescribed(number)
        steps = self.of(self.constant(type_id), ()).steps
        known = self.skips
        more = max(number + 1 - known.firsts.size, 0)
        firsts = np.concatenate((known.firsts, np.full(more, -1, np.int64)))
        lasts = np.concatenate((known.lasts, np.full(more, -1, np.int64)))
        firsts[number] = len(known.steps)
        lasts[number] = len(known.steps) + len(steps)
        self.skips = Skips(firsts, lasts, np.concatenate((known.steps, steps)))


def _undescribed(number: int) -> UnknownTypeError:
    return UnknownTypeError(say("its metadata does not describe type {number}", number=number))


class Descriptions:
    """Types of metadata events, of which the last ones are kept."""

    def __init__(self) -> None:
        self._last: tuple[bytes, Programs] = b"", Programs({})

    @property
    def last(self) -> Programs:
        """Those of the chunk before."""
        return self._last[1]

    def programs(self, cursor: Cursor) -> Programs:
        """All types with their programs.

        Args:
            cursor: at the metadata event's payload, behind size and type.

        Raises:
            DamagedError: it is cut, or no tree of elements.
        """
        for _ in range(3):
            cursor.integer(8)  # start, duration, number of the metadata
        rest = cursor.rest()
        if rest != self._last[0]:
            self._last = rest, Programs(read_types(cursor))
        return self._last[1]
