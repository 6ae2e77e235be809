"""Objects of a dump found by id without an entry for each: blocks of the file know which ids may be in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.hprof.dump import Dump
from mqdiag.read.hprof.records import big_endian
from mqdiag.read.hprof.walk import Segment, worker_count
from mqdiag.redact.kernels import scan as kernel
from mqdiag.redact.kernels.tables import fill_table
from mqdiag.redact.layout import Layouts

Ids = NDArray[np.uint64]
Places = NDArray[np.int64]
"""where sub-records stand in the file; -1 for none"""

LARGE_BYTES = 1 << 20
"""a sub-record of that size is a block alone"""
_BLOCK_BYTES = 1 << 15
_GROUP_BYTES = 16 << 20
_STEP_BYTES = 16 << 20
"""after so many bytes, pages that were read are given back"""
_BLOCKS_AT_A_TIME = 256
_INSTANCE, _OBJECT_ARRAY, _PRIMITIVE_ARRAY = 0x21, 0x22, 0x23


@dataclass(slots=True)
class _Part:
    """What one group of segments holds."""

    starts: Places
    ends: Places
    lowest: Ids
    highest: Ids
    found_at: Places
    found_rows: NDArray[np.int32]
    stops: list[int]


def number_table(numbers: Ids) -> tuple[Ids, NDArray[np.int32]]:
    """An open-addressing table of numbers and their positions, at most half full."""
    room = 1 << max(int(2 * numbers.size).bit_length(), 1)
    keys, values = np.zeros(room, np.uint64), np.zeros(room, np.int32)
    fill_table(numbers, keys, values)
    return keys, values


class Objects:
    """The objects of the heap segments.

    `starts`, `ends` int64[b]: the blocks in file order. `stops`: where each segment could be read to.
    `found_at` int64[f], `found_rows` int32[f]: instances of the classes that were asked for.
    """

    def __init__(
        self,
        dump: Dump,
        segments: list[Segment],
        layouts: Layouts,
        rows: NDArray[np.int64],
        release: Callable[[], None],
    ) -> None:
        self._dump, self._layouts, self._release = dump, layouts, release
        self._data, self._id_size = dump.source.data, dump.header.id_size
        ids = np.zeros(dump.classes.count, np.uint64)
        ids[rows] = dump.classes.ids[rows]
        table = number_table(ids)
        with ThreadPoolExecutor(worker_count()) as pool:
            parts = list(pool.map(lambda group: self._scan(group, *table), _groups(segments)))
        self.starts = np.concatenate([part.starts for part in parts])
        self.ends = np.concatenate([part.ends for part in parts])
        self._lowest = np.concatenate([part.lowest for part in parts])
        self._highest = np.concatenate([part.highest for part in parts])
        self.found_at = np.concatenate([part.found_at for part in parts])
        self.found_rows = np.concatenate([part.found_rows for part in parts])
        self.stops = [stop for part in parts for stop in part.stops]

    def _scan(self, segments: list[Segment], keys: Ids, values: NDArray[np.int32]) -> _Part:
        columns: dict[str, NDArray[Any]] = {
            "starts": np.empty(1 << 10, np.int64),
            "ends": np.empty(1 << 10, np.int64),
            "lowest": np.empty(1 << 10, np.uint64),
            "highest": np.empty(1 << 10, np.uint64),
            "found_at": np.empty(1 << 10, np.int64),
            "found_rows": np.empty(1 << 10, np.int32),
        }
        state = np.zeros(3, np.int64)
        stops = []
        for start, end in segments:
            state[kernel.POSITION] = start
            while (status := self._fill(end, state, keys, values, columns)) in (kernel.FULL, kernel.PAUSED):
                self._release()
                if status == kernel.FULL:
                    columns = {name: np.concatenate((column, column)) for name, column in columns.items()}
            stops.append(int(state[kernel.POSITION]))
        self._release()
        used = dict.fromkeys(columns, int(state[kernel.BLOCKS]))
        used["found_at"] = used["found_rows"] = int(state[kernel.FOUND])
        return _Part(**{name: column[: used[name]].copy() for name, column in columns.items()}, stops=stops)

    def _fill(
        self, end: int, state: Places, keys: Ids, values: NDArray[np.int32], columns: dict[str, NDArray[Any]]
    ) -> int:
        table = keys, values
        return int(
            kernel.scan_segment(
                self._data,
                end,
                self._id_size,
                LARGE_BYTES,
                _BLOCK_BYTES,
                _STEP_BYTES,
                state,
                *table,
                *columns.values(),
            )
        )

    def find(self, ids: Ids) -> Places:
        """Where the objects with these ids stand; the first one where a damaged file has several."""
        found = np.full(ids.size, -1, np.int64)
        if not ids.size:
            return found
        distinct, inverse = np.unique(ids, return_inverse=True)
        places = np.full(distinct.size, -1, np.int64)
        keys, values = number_table(distinct)
        likely = np.flatnonzero(
            np.searchsorted(distinct, self._highest, "right") > np.searchsorted(distinct, self._lowest)
        )
        starts, ends = self.starts[likely], self.ends[likely]
        with ThreadPoolExecutor(worker_count()) as pool:
            parts = [slice(at, at + _BLOCKS_AT_A_TIME) for at in range(0, likely.size, _BLOCKS_AT_A_TIME)]
            list(pool.map(lambda part: self._find_in(starts[part], ends[part], keys, values, places), parts))
        spread: Places = places[inverse]
        return spread

    def _find_in(
        self, starts: Places, ends: Places, keys: Ids, values: NDArray[np.int32], places: Places
    ) -> None:
        kernel.find_objects(self._data, self._id_size, starts, ends, keys, values, places)
        self._release()

    def references(self, places: Places, *names: str) -> Ids:
        """The first reference of these names in each instance; 0 where there is none."""
        found = np.zeros(places.size, np.uint64)
        for name in names:
            at = self._field_places(places, name, self._id_size)
            there = (at >= 0) & (found == 0)
            found[there] = big_endian(self._data, at[there], self._id_size)
        return found

    def integers(self, places: Places, name: str) -> NDArray[np.int64]:
        """An int field of each instance, as it stands there, unsigned; -1 where there is none."""
        found = np.full(places.size, -1, np.int64)
        at = self._field_places(places, name, 4)
        found[at >= 0] = big_endian(self._data, at[at >= 0], 4).astype(np.int64)
        return found

    def class_rows(self, places: Places) -> NDArray[np.int32]:
        """Rows of the classes of instances; -1 for what is none."""
        rows = np.full(places.size, -1, np.int32)
        there = np.flatnonzero(places >= 0)
        there = there[self._data[places[there]] == _INSTANCE]
        ids = big_endian(self._data, places[there] + 5 + self._id_size, self._id_size)
        distinct, inverse = np.unique(ids, return_inverse=True)
        rows[there] = self._dump.classes.rows_of(distinct)[inverse]
        return rows

    def elements(self, places: Places) -> Ids:
        """What the object arrays among these hold, nulls left out."""
        there = places[places >= 0]
        there = there[self._data[there] == _OBJECT_ARRAY]
        size = self._id_size
        lengths = big_endian(self._data, there + 5 + size, 4).astype(np.int64)
        owners = np.repeat(np.arange(there.size), lengths)
        within = np.arange(owners.size) - (np.cumsum(lengths) - lengths)[owners]
        ids = big_endian(self._data, there[owners] + 9 + 2 * size + size * within, size)
        found: Ids = ids[ids != 0]
        return found

    def texts(self, places: Places) -> tuple[Places, Places]:
        """(begins, ends) of the contents of the byte[] and char[] among these."""
        there = places[places >= 0]
        there = there[self._data[there] == _PRIMITIVE_ARRAY]
        size = self._id_size
        kinds = self._data[there + 9 + size]
        lengths = big_endian(self._data, there + 5 + size, 4).astype(np.int64)
        text = (kinds == 5) | (kinds == 8)
        begins = there[text] + 10 + size
        return begins, begins + lengths[text] * np.where(kinds[text] == 5, 2, 1)

    def _field_places(self, places: Places, name: str, size: int) -> Places:
        found = np.full(places.size, -1, np.int64)
        rows = self.class_rows(places)
        for row in np.unique(rows[rows >= 0]).tolist():
            place = self._layouts.place(row, name)
            if place < 0:
                continue
            at = np.flatnonzero(rows == row)
            lengths = big_endian(self._data, places[at] + 5 + 2 * self._id_size, 4).astype(np.int64)
            at = at[place + size <= lengths]
            found[at] = places[at] + 9 + 2 * self._id_size + place
        return found


def _groups(segments: list[Segment]) -> Iterator[list[Segment]]:
    group: list[Segment] = []
    size = 0
    for start, end in segments:
        group.append((start, end))
        size += end - start
        if size >= _GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group
