"""One chunk of version 0.9, with the same doors as those of later versions."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.jfr.chunk import Chunk, Places
from mqdiag.read.jfr.described import KEY, Descriptions, Programs
from mqdiag.read.jfr.kernels.decode import INTEGER, TEXT
from mqdiag.read.jfr.kernels.numbers import SHORT_UTF8
from mqdiag.read.jfr.metadata import Field
from mqdiag.read.jfr.older.metadata import JAVA_THREAD, THREAD, constant_type
from mqdiag.read.jfr.pools import Pool
from mqdiag.read.jfr.program import Column, Program
from mqdiag.read.jfr.records import Records

_TIMES = ("startTime", "duration")
_THREAD_COLUMNS = {KEY: (0, INTEGER), "javaName": (1, TEXT), "osName": (1, TEXT), "javaThreadId": (2, INTEGER),
                   "osThreadId": (0, INTEGER)}  # fmt: skip
"""column and kind of what is known of a thread: its key is its number of the operating system"""


class OlderChunk(Chunk):
    """One chunk."""

    _type_bytes = 4

    def _program(self, name: str, columns: Collection[str] | None) -> Program | None:
        """As in later versions: of an event that tells its end, its duration needs its begin."""
        return super()._program(name, None if columns is None else {*columns, *_TIMES})

    def _records(self, program: Program, rows: NDArray[np.int64]) -> Records:
        """As in later versions: with a duration, and threads by one kind of key."""
        records = super()._records(program, rows)
        if records.has("duration"):
            begin, end = (records.columns[name].place for name in _TIMES)
            records.rows[:, end] -= records.rows[:, begin]
        for column in records.columns.values():
            if column.field.type_id == JAVA_THREAD and column.what == INTEGER:
                records.rows[:, column.place] = self._os_threads(records.rows[:, column.place])
        return records

    def _describe(self, places: Places, descriptions: Descriptions) -> None:
        assert self.head.types is not None
        self._programs = Programs(self.head.types)

    @staticmethod
    def _type_of(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        return constant_type(numbers)

    def _read_pool(self, type_id: int) -> Pool:
        pool = super()._read_pool(type_id)
        return self._with_java_ids(pool) if type_id == THREAD else pool

    def _os_threads(self, java_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The keys of threads by their number in Java; 0 for one that is not known."""
        pool = self.constants(JAVA_THREAD)
        rows = pool.rows_of(java_ids)
        return (
            np.where(rows < 0, 0, pool.records.integers("thread")[rows])
            if len(pool.keys)
            else np.zeros_like(rows)
        )

    def _with_java_ids(self, threads: Pool) -> Pool:
        """Threads with their number in Java, which stands among other constants."""
        keys, names = threads.records.integers(KEY), threads.records.places("name")
        rows = np.stack((keys, names, np.zeros_like(keys)), axis=1)
        if JAVA_THREAD in self.types:
            java = self.constants(JAVA_THREAD)
            own = threads.rows_of(java.records.integers("thread"))
            rows[own[own >= 0], 2] = java.records.integers(KEY)[own >= 0]
        field = Field(KEY, THREAD, is_constant=False, is_array=False, unit=None, is_timestamp=False)
        columns = {
            name: Column(name, field, place, what, SHORT_UTF8)
            for name, (place, what) in _THREAD_COLUMNS.items()
        }
        program = Program(np.zeros((0, 3), np.int64), columns, rows.shape[1])
        return Pool(Records(self._data, self.head, program, rows, self._constant_text))
