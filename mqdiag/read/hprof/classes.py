"""Classes: dump sub-records joined with their names, superclasses and field layout."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.read.hprof.distinct import distinct, is_among
from mqdiag.read.hprof.kernels.class_tables import class_tables, reference_layout
from mqdiag.read.hprof.names import Names
from mqdiag.read.hprof.number_dict import NumberDict
from mqdiag.read.hprof.records import LOAD_CLASS, UNLOAD_CLASS, Records, big_endian
from mqdiag.read.hprof.types import PRIMITIVE_ARRAYS

MAX_MISSING = 1 << 14
"""classes without a CLASS_DUMP that get a row of their own"""


class ClassRecords(msgspec.Struct):
    """All classes of a dump, one row each: those with a CLASS_DUMP first, then placeholders for the missing.

    `ids` uint64[c] (0 for a placeholder of a primitive array), `offsets` int64[c] of the sub-record (-1 for a
    placeholder), `heads` uint64[c, 6]: class, super, loader, signers, protection domain, instance size.
    Statics and fields are flat, row i has starts[i] to starts[i + 1].
    """

    names: list[str]
    ids: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    heads: NDArray[np.uint64]
    superclass: NDArray[np.int32]
    static_starts: NDArray[np.int64]
    static_names: NDArray[np.uint64]
    static_types: NDArray[np.uint8]
    static_values: NDArray[np.int64]
    field_starts: NDArray[np.int64]
    field_names: NDArray[np.uint64]
    field_types: NDArray[np.uint8]
    layout_starts: NDArray[np.int64]
    layout_places: NDArray[np.int32]
    dumped: int
    """rows that have a CLASS_DUMP"""
    primitive_rows: NDArray[np.int32]
    """int32[8], rows of the primitive arrays"""
    unknown_row: int
    """row of the objects whose class id is 0"""

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.names)

    @property
    def class_row(self) -> int:
        """Row of java.lang.Class, the class of class objects; the unknown class's in a dump without it."""
        return next((row for row, name in enumerate(self.names) if name == "java.lang.Class"), self.unknown_row)

    def rows_of(self, class_ids: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Rows of class ids; -1 for an id that has none."""
        order = np.argsort(self.ids, kind="stable")
        sorted_ids = self.ids[order]
        at = np.minimum(np.searchsorted(sorted_ids, class_ids), max(sorted_ids.size - 1, 0))
        if sorted_ids.size == 0:
            return np.full(class_ids.size, -1, np.int32)
        found = sorted_ids[at] == class_ids
        return np.where(found & (class_ids != 0), order[at], -1).astype(np.int32)


class LoadedClasses(msgspec.Struct):
    """LOAD_CLASS records: serial uint32, class id uint64 (0 when unloaded), name id uint64, in file order."""

    serials: NDArray[np.uint64]
    ids: NDArray[np.uint64]
    name_ids: NDArray[np.uint64]


def read_loaded_classes(data: NDArray[np.uint8], records: Records, id_size: int) -> LoadedClasses:
    """Unpack the LOAD_CLASS records that are whole."""
    offsets, lengths = records.of(LOAD_CLASS)
    offsets = offsets[lengths >= 8 + 2 * id_size]
    loaded = LoadedClasses(
        serials=big_endian(data, offsets, 4),
        ids=big_endian(data, offsets + 4, id_size),
        name_ids=big_endian(data, offsets + 8 + id_size, id_size),
    )
    # An unloaded class's address may be another one's later, which must not get its name.
    gone_at, lengths = records.of(UNLOAD_CLASS)
    gone_at = gone_at[lengths >= 4]
    if gone_at.size:
        serials = big_endian(data, gone_at, 4)
        # Only the last record of a serial counts, and a class loaded after it is another one.
        last = np.lexsort((gone_at, serials))
        at = np.searchsorted(serials[last], loaded.serials, "right") - 1
        place = last[np.maximum(at, 0)]
        gone = (at >= 0) & (serials[place] == loaded.serials) & (offsets < gone_at[place])
        loaded.ids[gone] = 0
    return loaded


def _with_rows_of_no_class(class_names: list[str]) -> tuple[NDArray[np.int32], int]:
    """Rows of the arrays of primitives, and that of the unknown class; those that no class dump names are added."""
    primitive_rows = np.empty(8, np.int32)
    position = {name: row for row, name in reversed(list(enumerate(class_names))) if name in PRIMITIVE_ARRAYS}
    for i, name in enumerate(PRIMITIVE_ARRAYS):
        if name not in position:
            position[name] = len(class_names)
            class_names.append(name)
        primitive_rows[i] = position[name]
    unknown_row = len(class_names)
    class_names.append("unknown-class@0x0")
    return primitive_rows, unknown_row


def build_classes(
    data: NDArray[np.uint8],
    id_size: int,
    names: Names,
    loaded: LoadedClasses,
    class_offsets: NDArray[np.int64],
    class_ends: NDArray[np.int64],
    used_ids: NDArray[np.uint64],
) -> ClassRecords:
    """Join class dumps, names and the class ids that objects name.

    Args:
        data: the file.
        id_size: 4 or 8.
        names: symbol table.
        loaded: LOAD_CLASS records.
        class_offsets: CLASS_DUMP sub-records in file order, `class_ends` where they end.
        class_ends: see above.
        used_ids: class ids that objects have; those without a CLASS_DUMP get a placeholder row.
    """
    first = np.unique(big_endian(data, class_offsets + 1, id_size), return_index=True)[1]
    first.sort()  # JDKs before 19 dump array classes several times: the first counts
    class_offsets, class_ends = class_offsets[first], class_ends[first]
    room = int((class_ends - class_offsets).sum()) // (id_size + 1) + 1
    count = class_offsets.size
    heads = np.empty((count, 6), np.uint64)
    static_starts = np.empty(count + 1, np.int64)
    field_starts = np.empty(count + 1, np.int64)
    static_names, field_names = np.empty(room, np.uint64), np.empty(room, np.uint64)
    static_types, field_types = np.empty(room, np.uint8), np.empty(room, np.uint8)
    static_values = np.empty(room, np.int64)
    statics, fields = class_tables(
        data, id_size, class_offsets, heads, static_starts, static_names, static_types, static_values,
        field_starts, field_names, field_types,
    )  # fmt: skip

    name_of = NumberDict(loaded.ids, loaded.name_ids.tolist())
    dumped_ids = heads[:, 0]
    # Only damage makes objects of so many classes that are not there: the rest share the unknown class's row.
    missing = used_ids[used_ids != 0]
    if missing.size:
        missing = distinct(missing)
        missing = missing[~is_among(missing, np.sort(dumped_ids))][:MAX_MISSING]
    all_ids = np.concatenate((dumped_ids, missing))
    class_names = [
        names.java(name_of[id_]) if id_ in name_of else f"unknown-class@0x{id_:x}" for id_ in all_ids.tolist()
    ]
    primitive_rows, unknown_row = _with_rows_of_no_class(class_names)
    rows = len(class_names)
    extra = rows - count
    classes = ClassRecords(
        names=class_names,
        ids=np.concatenate((all_ids, np.zeros(rows - all_ids.size, np.uint64))),
        offsets=np.concatenate((class_offsets, np.full(extra, -1, np.int64))),
        heads=np.concatenate((heads, np.zeros((extra, 6), np.uint64))),
        superclass=np.empty(0, np.int32),
        static_starts=np.concatenate((static_starts, np.full(extra, statics, np.int64))),
        static_names=static_names[:statics].copy(),
        static_types=static_types[:statics].copy(),
        static_values=static_values[:statics].copy(),
        field_starts=np.concatenate((field_starts, np.full(extra, fields, np.int64))),
        field_names=field_names[:fields].copy(),
        field_types=field_types[:fields].copy(),
        layout_starts=np.empty(rows + 1, np.int64),
        layout_places=np.empty(0, np.int32),
        dumped=count,
        primitive_rows=primitive_rows,
        unknown_row=unknown_row,
    )
    classes.superclass = classes.rows_of(classes.heads[:, 1])
    return classes


def lay_out_references(classes: ClassRecords, field_bytes: NDArray[np.int64], id_size: int) -> None:
    """Fill `layout_starts` and `layout_places`.

    Args:
        classes: the table.
        field_bytes: int64[rows], bytes of fields of all instances of each class; a class without any needs no layout.
        id_size: 4 or 8.
    """
    layout = (classes.superclass, classes.field_starts, classes.field_types, field_bytes, id_size)
    places = reference_layout(*layout, classes.layout_starts, classes.layout_places, False)
    classes.layout_places = np.empty(places, np.int32)
    reference_layout(*layout, classes.layout_starts, classes.layout_places, True)
