"""Decoded records of one type, as columns: events of a chunk, or constants of its pools."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.distinct import numbered
from mqdiag.read.jfr.header import ChunkHead
from mqdiag.read.jfr.kernels.decode import ARRAY, DOUBLE, FLOAT, INTEGER, TEXT
from mqdiag.read.jfr.kernels.numbers import TAGGED, UTF16
from mqdiag.read.jfr.kernels.texts import number_texts
from mqdiag.read.jfr.program import Column, Program, UnknownTypeError
from mqdiag.read.jfr.values import CHARS, LATIN1, UTF8, Cursor, DamagedError
from mqdiag.text import say

_PER_UNIT = {"NANOSECONDS": 1, "MICROSECONDS": 1_000, "MILLISECONDS": 1_000_000, "SECONDS": 1_000_000_000}
"""nanoseconds of a time or duration that is not in ticks; source: jdk.jfr.Timespan"""
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
        self._numbered: dict[str, tuple[NDArray[np.int64], list[str | None]]] = {}

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

    def nanoseconds(self, name: str, rows: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Times of the epoch, or durations; a duration that has no value is below 0.

        Args:
            name: of the column.
            rows: of the records, in the order that is wanted; all where None.

        Returns:
            int64[rows].
        """
        column = self._column(name, INTEGER)
        raw = self.rows[:, column.place]
        unit = column.field.unit
        if unit == "TICKS":
            clock = self._head.nanoseconds if column.field.is_timestamp else self._head.span
            return clock(raw, np.arange(len(raw)) if rows is None else rows)
        raw = raw if rows is None else raw[rows]
        if unit == "MILLISECONDS_SINCE_EPOCH":
            return raw * 1_000_000
        factor = _PER_UNIT.get(unit or "", 1)
        none = (raw == _NEVER) | (np.abs(raw) > np.iinfo(np.int64).max // factor)
        return np.where(none, -1, np.where(none, 0, raw) * factor)

    def texts(self, name: str) -> list[str | None]:
        """Texts, None for null and for what cannot be read."""
        numbers, texts = self.numbered_texts(name)
        return [texts[number] for number in numbers.tolist()]

    def numbered_texts(self, name: str) -> tuple[NDArray[np.int64], list[str | None]]:
        """(int64[records]: number of each text, the texts by number); of equal ones one is decoded."""
        if name not in self._numbered:
            self._numbered[name] = self._number_texts(name)
        return self._numbered[name]

    def _number_texts(self, name: str) -> tuple[NDArray[np.int64], list[str | None]]:
        column = self._column(name, TEXT)
        places = self.rows[:, column.place]
        count = len(places)
        firsts, lengths, numbers = (np.zeros(count, np.int64) for _ in range(3))
        places, end, is_compressed = np.ascontiguousarray(places), self._head.end, self._head.is_compressed
        found = numbered(
            lambda table: int(
                number_texts(
                    self._data, places, end, is_compressed, column.form, table, firsts, lengths, numbers
                )
            ),
            count,
        )
        return numbers, [self._text_at(at, column.form) for at in firsts[:found].tolist()]

    def text(self, name: str, row: int) -> str | None:
        """The text of one record."""
        column = self._column(name, TEXT)
        return self._text_at(int(self.rows[row, column.place]), column.form)

    def places(self, name: str) -> NDArray[np.int64]:
        """int64[records]: the byte of the file where each text begins."""
        return self.rows[:, self._column(name, TEXT).place]

    def _text_at(self, at: int, form: int) -> str | None:
        """The text that begins at this byte of the file."""
        if form != TAGGED:
            return self._plain_text(at, form)
        short = self._short_text(at)
        if short is not None:
            return short
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

    def _short_text(self, at: int) -> str | None:
        """A text of bytes whose length one byte tells, as nearly all are; None for any other."""
        view, head = self._view, self._head
        if at + 2 > head.end or not head.is_compressed:
            return None
        encoding, size = view[at], view[at + 1]
        behind = at + 2 + size
        if size >= 0x80 or behind > head.end or encoding not in (UTF8, CHARS, LATIN1):
            return None
        raw = bytes(view[at + 2 : behind])
        # chars beyond ASCII have more bytes each
        return raw.decode("ascii") if raw.isascii() else None

    def _plain_text(self, at: int, form: int) -> str | None:
        """A text of version 0.9, whose length is told first."""
        head = 4 if form == UTF16 else 2
        units = int.from_bytes(self._view[at : min(at + head, self._head.end)], "big")
        begin, size = at + head, min(units * (2 if form == UTF16 else 1), _MOST_INLINE)
        if begin + size > self._head.end:
            return None
        return bytes(self._view[begin : begin + size]).decode(
            "utf-16-be" if form == UTF16 else "utf-8", "replace"
        )

    @cached_property
    def _view(self) -> memoryview:
        return memoryview(self._data)  # type: ignore[arg-type]

    def array(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(where its elements begin, how many there are) of each record."""
        place = self._column(name, ARRAY).place
        return self.rows[:, place], self.rows[:, place + 1]

    def _column(self, name: str, what: int) -> Column:
        column = self.columns.get(name)
        if column is None or column.what != what:
            raise UnknownTypeError(say("its metadata describes no field {field} that can be read", field=name))
        return column
