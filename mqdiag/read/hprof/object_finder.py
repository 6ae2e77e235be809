"""ObjectFinder of a dump found by id without an entry for each: blocks of the file know which ids may be in them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mqdiag.read.cores import LEAST_BYTES, pool, worker_count
from mqdiag.read.hprof.block_index import BlockIndex, Ids, Places
from mqdiag.read.hprof.distinct import distinct
from mqdiag.read.hprof.field_layout import FieldLayouts
from mqdiag.read.hprof.kernels import block_index as kernel
from mqdiag.read.hprof.number_table import number_table
from mqdiag.read.hprof.outline import Outline
from mqdiag.read.hprof.records import big_endian

_BLOCKS_AT_A_TIME = 256
_INSTANCE, _OBJECT_ARRAY, _PRIMITIVE_ARRAY = 0x21, 0x22, 0x23


class ObjectFinder:
    """The objects that an index knows.

    Args:
        outline: the dump.
        layouts: of its classes.
        index: of its segments.
        release: gives back what was mapped in by reading.
    """

    def __init__(
        self, outline: Outline, layouts: FieldLayouts, index: BlockIndex, release: Callable[[], None]
    ) -> None:
        self._layouts, self._release, self._index = layouts, release, index
        self._classes = outline.classes
        self._data, self._id_size = outline.source.data, outline.header.id_size

    def find(self, ids: Ids) -> Places:
        """Where the objects with these ids stand; the first one where a damaged file has several."""
        found = np.full(ids.size, -1, np.int64)
        if not ids.size:
            return found
        distinct, inverse = np.unique(ids, return_inverse=True)
        places = np.full(distinct.size, -1, np.int64)
        keys, values = number_table(distinct)
        likely = np.flatnonzero(
            np.searchsorted(distinct, self._index.highest, "right")
            > np.searchsorted(distinct, self._index.lowest)
        )
        starts, ends = self._index.starts[likely], self._index.ends[likely]
        parts = [slice(at, at + _BLOCKS_AT_A_TIME) for at in range(0, likely.size, _BLOCKS_AT_A_TIME)]
        with pool(worker_count(), is_large=self._data.size >= LEAST_BYTES and len(parts) > 1) as threads:
            list(threads.map(lambda part: self._find_in(starts[part], ends[part], keys, values, places), parts))
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
        rows[there] = self._classes.rows_of(distinct)[inverse]
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
        """(begins, ends) of the contents of each byte[] or char[]; 0 where something else stands."""
        begins, ends = np.zeros((2, places.size), np.int64)
        at = np.flatnonzero(places >= 0)
        at = at[self._data[places[at]] == _PRIMITIVE_ARRAY]
        kinds = self._data[places[at] + 9 + self._id_size]
        is_text = (kinds == 5) | (kinds == 8)
        at, kinds = at[is_text], kinds[is_text]
        lengths = big_endian(self._data, places[at] + 5 + self._id_size, 4).astype(np.int64)
        begins[at] = places[at] + 10 + self._id_size
        ends[at] = begins[at] + lengths * np.where(kinds == 5, 2, 1)
        return begins, ends

    def _field_places(self, places: Places, name: str, size: int) -> Places:
        found = np.full(places.size, -1, np.int64)
        rows = self.class_rows(places)
        for row in distinct(rows[rows >= 0]).tolist():
            place = self._layouts.place(row, name)
            if place < 0:
                continue
            at = np.flatnonzero(rows == row)
            lengths = big_endian(self._data, places[at] + 5 + 2 * self._id_size, 4).astype(np.int64)
            at = at[place + size <= lengths]
            found[at] = places[at] + 9 + 2 * self._id_size + place
        return found
