"""Decoded records of one type, as columns: events of a chunk, or constants of its pools."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.header import ChunkHead
from mqdiag.read.jfr.kernels.decode import ARRAY, DOUBLE, FLOAT, INTEGER, TEXT
from mqdiag.read.jfr.program import Column, Program, UnknownTypeError
from mqdiag.read.jfr.values import CONSTANT, EMPTY, LATIN1, UTF8, Cursor, DamagedError
from mqdiag.text import say

_PER_UNIT = {"NANOSECONDS": 1, "MICROSECONDS": 1_000, "MILLISECONDS": 1_000_000, "SECONDS": 1_000_000_000}
"""nanoseconds of a time or duration that is not in ticks; source: jdk.jfr.Timespan"""
_MANY = 1000
"""texts from which it pays to look for equal ones"""
_BLOCK = 1 << 16
_SHORT = 48
"""bytes of a text that are compared"""
_MOST_INLINE = 1 << 20
"""bytes of one text that are read"""
_NEVER = np.iinfo(np.int64).min
"""what a duration that has no value holds; source: jdk.jfr.consumer.RecordedObject.getDuration"""

Texts = Callable[[int], "str | None"]
"""gives a text that stands among the constants, by its key"""


class Records:
    """Records of one type.

    Args:
        data: the file.
        head: of their chunk.
        program: how they were decoded.
        rows: int64[records, columns].
        constant_text: for texts that stand among the constants.
    """

    def __init__(
        self,
        data: NDArray[np.uint8],
        head: ChunkHead,
        program: Program,
        rows: NDArray[np.int64],
        constant_text: Texts,
    ) -> None:
        self._data = data
        self._head = head
        self._constant_text = constant_text
        self._program = program
        self.columns = program.columns
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def taken(self, rows: NDArray[np.int64]) -> Records:
        """These rows alone, in this order."""
        return Records(self._data, self._head, self._program, self.rows[rows], self._constant_text)

    def has(self, name: str) -> bool:
        """Whether these records have such a column; JDKs differ."""
        return name in self.columns

    def integers(self, name: str) -> NDArray[np.int64]:
        """int64[records]: numbers, truths, keys of constants.

        Raises:
            UnknownTypeError: as all methods that take a name, where the records have no such column of this kind.
        """
        return self.rows[:, self._column(name, INTEGER).place]

    def floats(self, name: str) -> NDArray[np.float64]:
        """float64[records] of a column of 4 bytes."""
        bits = self.rows[:, self._column(name, FLOAT).place].astype(np.uint32)
        return bits.view(np.float32).astype(np.float64)

    def doubles(self, name: str) -> NDArray[np.float64]:
        """float64[records] of a column of 8 bytes."""
        return np.ascontiguousarray(self.rows[:, self._column(name, DOUBLE).place]).view(np.float64)

    def nanoseconds(self, name: str) -> NDArray[np.int64]:
        """int64[records]: times of the epoch, or durations; a duration that has no value is -1."""
        column = self._column(name, INTEGER)
        raw = self.rows[:, column.place]
        unit = column.field.unit
        if unit == "TICKS":
            return self._head.nanoseconds(raw) if column.field.is_timestamp else self._head.span(raw)
        if unit == "MILLISECONDS_SINCE_EPOCH":
            return raw * 1_000_000
        factor = _PER_UNIT.get(unit or "", 1)
        none = (raw == _NEVER) | (np.abs(raw) > np.iinfo(np.int64).max // factor)
        return np.where(none, -1, np.where(none, 0, raw) * factor)

    def texts(self, name: str) -> list[str | None]:
        """Texts, None for null and for what cannot be read; many equal ones are decoded once."""
        places = self.rows[:, self._column(name, TEXT).place]
        if len(places) < _MANY:
            return [self.text_at(at) for at in places.tolist()]
        found: list[str | None] = []
        for first in range(0, len(places), _BLOCK):
            found += self._equal_texts(places[first : first + _BLOCK])
        return found

    def _equal_texts(self, places: NDArray[np.int64]) -> list[str | None]:
        """Texts of a block: of those with the same bytes one is decoded."""
        reach = np.minimum(places[:, None] + np.arange(_SHORT), self._data.size - 1)
        heads = self._data[reach]
        # what begins with an encoding of bytes tells its length in the next byte, if it is short
        is_short = np.isin(heads[:, 0], (UTF8, LATIN1)) & (heads[:, 1] < _SHORT - 2) & self._head.is_compressed
        lengths = np.where(is_short, heads[:, 1].astype(np.int64) + 2, np.where(heads[:, 0] <= EMPTY, 1, 0))
        # the key of a constant ends at the first byte without the highest bit
        keyed = (heads[:, 0] == CONSTANT) & self._head.is_compressed
        lengths = np.where(keyed, np.argmax(heads[:, 1:10] < 0x80, axis=1) + 2, lengths)
        heads[np.arange(_SHORT) >= lengths[:, None]] = 0
        keys = heads.view(np.dtype((np.void, _SHORT))).ravel()
        _, first, back = np.unique(keys, return_index=True, return_inverse=True)
        texts = [self.text_at(at) for at in places[first].tolist()]
        found = [texts[number] for number in back.ravel().tolist()]
        for row in np.flatnonzero(lengths == 0).tolist():
            found[row] = self.text_at(int(places[row]))
        return found

    def text(self, name: str, row: int) -> str | None:
        """The text of one record."""
        return self.text_at(int(self.rows[row, self._column(name, TEXT).place]))

    def text_at(self, at: int) -> str | None:
        """The text whose encoding stands at this byte of the file."""
        end = min(self._head.end, at + _MOST_INLINE)
        # nearly all are short: one that is not is read once more
        for size in (256, end - at):
            stop = min(end, at + size)
            piece = self._data[at:stop].tobytes()
            cursor = Cursor(piece, 0, len(piece), is_compressed=self._head.is_compressed, base=at)
            try:
                text = cursor.text()
            except DamagedError:
                continue
            return self._constant_text(text) if isinstance(text, int) else text
        return None

    def array(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(where its elements begin, how many there are) of each record."""
        place = self._column(name, ARRAY).place
        return self.rows[:, place], self.rows[:, place + 1]

    def _column(self, name: str, what: int) -> Column:
        column = self.columns.get(name)
        if column is None or column.what != what:
            raise UnknownTypeError(say("its metadata describes no field {field} that can be read", field=name))
        return column
