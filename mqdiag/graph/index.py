"""Objects in address order, and the look-up from an id to a position."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.kernels import order as order_kernel
from mqdiag.graph.kernels import references as kernel
from mqdiag.read.hprof.dump import Dump, Objects

_MIN_PAGES = 1 << 24
_PAGES_PER_OBJECT = 4


@dataclass(slots=True)
class IdIndex:
    """Id to position in constant time; see `kernels/references.py`."""

    base: np.uint64
    shift: int
    """trailing zero bits that all ids have: log2 of the object alignment"""
    directory: NDArray[np.int32]
    words: NDArray[np.uint64]

    def find(self, ids: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Positions of ids; -1 for null and for ids that no object has."""
        found = np.empty(ids.size, np.int32)
        kernel.find_ids(ids, self.base, self.shift, self.directory, self.words, found)
        return found


@dataclass(slots=True)
class ObjectIndex:
    """All objects, class objects included, by ascending id.

    `ids` uint64[n], `offsets` int64[n] of the sub-records, `rows` int32[n] of their classes.
    """

    ids: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    rows: NDArray[np.int32]
    lookup: IdIndex

    @property
    def count(self) -> int:
        """Number of objects."""
        return self.ids.size


class TooSparse(Exception):
    """The ids are spread so thinly that no index fits: a crafted or damaged file."""


def build_index(dump: Dump, objects: Objects, class_row: int) -> ObjectIndex:
    """Sort the objects by id, with the class objects among them; takes over the arrays of `objects`.

    Args:
        dump: the file.
        objects: objects in file order.
        class_row: row of java.lang.Class, the class of class objects.

    Raises:
        TooSparse: see there.
    """
    ids, offsets, rows = objects.ids, objects.offsets, objects.rows
    if not order_kernel.is_ascending(ids):
        order = np.argsort(ids, kind="stable")
        ids = ids[order]
        offsets = offsets[order]
        rows = rows[order]
        del order
        if ids.size and not order_kernel.is_ascending(ids):
            first = np.concatenate(([True], ids[1:] != ids[:-1]))
            ids, offsets, rows = ids[first], offsets[first], rows[first]
    class_ids = dump.classes.ids[: dump.classes.dumped]
    order = np.argsort(class_ids, kind="stable")
    class_ids, class_offsets = class_ids[order], dump.classes.offsets[: dump.classes.dumped][order]
    # A writer other than HotSpot may dump the mirror as an instance too: the instance has the fields, keep it.
    there = np.isin(class_ids, ids[_near(ids, class_ids)]) if ids.size else np.zeros(class_ids.size, bool)
    class_ids, class_offsets = class_ids[~there], class_offsets[~there]
    used = ids.size
    ids = np.concatenate((ids, class_ids))
    offsets = np.concatenate((offsets, class_offsets))
    rows = np.concatenate((rows, np.full(class_ids.size, class_row, np.int32)))
    order_kernel.merge_behind(ids, offsets, rows, used, class_ids, class_offsets, class_row)
    return ObjectIndex(ids, offsets, rows, _id_index(ids))


def _near(ids: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> NDArray[np.int64]:
    return np.minimum(np.searchsorted(ids, wanted), ids.size - 1)


def _id_index(ids: NDArray[np.uint64]) -> IdIndex:
    if ids.size == 0:
        return IdIndex(np.uint64(0), 3, np.full(1, -1, np.int32), np.zeros((1, 64, 2), np.uint64))
    base = ids[0]
    spread = int(np.bitwise_or.reduce(ids - base))
    shift = min((spread & -spread).bit_length() - 1, 8) if spread else 3
    pages = (int(ids[-1] - base) >> (shift + 12)) + 1
    if pages > max(_MIN_PAGES, _PAGES_PER_OBJECT * ids.size):
        raise TooSparse(f"{ids.size} objects are spread over {pages << (shift + 12)} bytes of addresses")
    directory = np.full(pages, -1, np.int32)
    slots = kernel.count_pages(ids, base, shift, directory)
    words = np.zeros((slots, 64, 2), np.uint64)
    kernel.fill_pages(ids, base, shift, directory, words)
    return IdIndex(base, shift, directory, words)
