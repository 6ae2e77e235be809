"""Arrays of the objects of a kept graph: each is read when it is asked for, and checked before anything uses it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mqdiag.cache.array_file import ArrayFile, Unusable
from mqdiag.errors import InputError
from mqdiag.graph.index import ObjectIndex, Offsets
from mqdiag.graph.kernels import kept_checks as check
from mqdiag.graph.shallow import SizeModel
from mqdiag.read.cores import LEAST_OBJECTS, pool, worker_count
from mqdiag.read.hprof.dump import Dump
from mqdiag.text import say

_FEW = 4
"""a quarter of the objects: from there on the places of all are checked at once"""
INT32 = ("<i4",)
OF_OBJECTS = {"offsets": ("<u4", "<i8"), "rows": ("<u2", "<i4"), "units": ("<u4",)}
"""types of the arrays with a number for each object"""


class KeptColumns(dict[str, NDArray[Any]]):
    """Arrays of the objects, each read when it is first asked for."""

    def __init__(
        self,
        refuse: Callable[[Unusable], None],
        file: ArrayFile,
        dump: Dump,
        found_by: tuple[int, int, int],
        again: Callable[[], tuple[ObjectIndex, SizeModel]],
    ) -> None:
        super().__init__()
        self._refuse, self._file, self._dump, self._again = refuse, file, dump, again
        self._found_by = found_by
        """number of objects, base and shift of their ids, which are in use already"""
        self._objects, _, _ = found_by
        # Several threads may ask at once, and only one of them may compute everything again.
        self._reading = RLock()

    def checked_at(self, nodes: NDArray[np.int32] | NDArray[np.int64]) -> Offsets:
        """The array `offsets`, checked for some objects: they are looked up in the dump, which takes long for all."""
        if "offsets" in self or nodes.size > self._objects // _FEW:
            return self["offsets"]
        try:
            offsets = self._unchecked
            if not places_fit(self._dump, offsets[nodes]):
                raise out_of_range("offsets")
        except Unusable:
            return self["offsets"]  # finds the same, and computes everything again
        return offsets

    @cached_property
    def _unchecked(self) -> Offsets:
        offsets: Offsets = self._file.array("offsets", OF_OBJECTS["offsets"], (self._objects,))
        return offsets

    def __missing__(self, name: str) -> NDArray[Any]:
        with self._reading:
            if name not in self:
                try:
                    self[name] = self._read(name)
                except Unusable as error:
                    self._refuse(error)
                    index, sizes = self._again()
                    if (index.count, int(index.base), index.shift) != self._found_by:
                        # What was computed so far rests on numbers that are wrong.
                        raise InputError(
                            self._dump.source.path,
                            say(
                                "the cache entry of this dump was changed and is now removed; run the command again"
                            ),
                        ) from None
                    self.update({**index.columns, "units": sizes.units})
        return self[name]

    def _read(self, name: str) -> NDArray[Any]:
        file, objects = self._file, self._objects
        if name == "offsets":
            offsets = self._unchecked
            if not places_fit(self._dump, offsets):
                raise out_of_range(name)
            return offsets
        if name == "rows":
            rows = file.array(name, OF_OBJECTS[name], (objects,))
            left = self._dump.counts.copy()
            left[self._dump.classes.class_row] += self._dump.classes.dumped
            if not check.rows_fit(rows, left):
                raise out_of_range(name)
            return rows
        if name == "directory":
            directory = file.array(name, INT32, (None,))
            check_between(name, directory, -1, self["words"].shape[0])
            return directory
        if name == "words":
            return kept_words(file, objects)
        return file.array(name, OF_OBJECTS[name], (objects,))


def kept_words(file: ArrayFile, objects: int) -> NDArray[np.uint64]:
    """Bits and ranks by page, or the ids where they are too thinly spread; see `IdIndex`."""
    if not file.array("directory", INT32, (None,)).size:
        return file.array("words", ("<u8",), (objects, 1, 1))
    words: NDArray[np.uint64] = file.array("words", ("<u8",), (None, 64, 2))
    near_end = words[words[:, :, 1] >= max(objects - 63, 0)]
    for word, rank in near_end.tolist():
        if rank + word.bit_count() > objects:
            raise out_of_range("words")
    return words


def places_fit(dump: Dump, offsets: Offsets) -> bool:
    """Whether objects are where the offsets say; the one check that reads the dump, in slices side by side.

    The places of a few objects are checked before the threads have started.
    """
    data, id_size, workers = dump.source.data, dump.header.id_size, worker_count()
    bounds = [offsets.size * i // workers for i in range(workers + 1)]
    with pool(workers, is_large=offsets.size >= LEAST_OBJECTS) as threads:
        fits = threads.map(
            lambda i: check.places_fit(data, id_size, offsets[bounds[i] : bounds[i + 1]]), range(workers)
        )
        return all(fits)


def check_between(name: str, values: NDArray[np.int32], least: int, end: int) -> None:
    """Refuse numbers below `least`, or from `end` on."""
    if values.size and (int(values.min()) < least or int(values.max()) >= end):
        raise out_of_range(name)


def out_of_range(name: str) -> Unusable:
    """The error of an array whose numbers do not fit."""
    return Unusable(say("{array} has a number that is out of range", array=name))
