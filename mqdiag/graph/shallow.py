"""Shallow sizes as the JVM has them, learned from the distances between object addresses.

hprof states no object size, reference width, header size or alignment. The most frequent distance from an instance
of a class to the next object is the size the JVM gave it; from the classes with many instances the widths are
learned, and the formula made of them serves for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.vocabulary import ShallowSizeSource
from mqdiag.graph.class_sizes import ENOUGH, gaps_of, instance_sizes, without_least_blocks
from mqdiag.graph.index import ObjectIndex
from mqdiag.graph.kernels import size_gaps as kernel
from mqdiag.read.cores import LEAST_OBJECTS, pool, worker_count
from mqdiag.read.hprof.classes import ClassRecords
from mqdiag.read.hprof.distinct import is_in
from mqdiag.read.hprof.dump import Dump
from mqdiag.read.hprof.types import PRIMITIVE_ARRAYS, PRIMITIVE_BYTES, REFERENCE

_LAYOUTS = ((4, 12), (4, 8), (8, 12), (8, 16), (8, 8), (4, 16))
"""reference width and header: compressed both, compact headers, wide references, all wide, ..."""
_ARRAY_SAMPLE = 20_000
_PIECE = 1 << 18
"""objects that are compared at a time, in memory that a core keeps near"""
_ENOUGH_FOR_ALIGNMENT = 64
"""objects of which not one breaks a wider alignment than 8 by chance"""
_STRAY_SHARE = 0.01
_RECORD_LIMIT = (1 << 32) - 1
"""bytes of a sub-record at most, as HotSpot writes it"""


class SizeModel(msgspec.Struct):
    """What was learned. `columns` has `units`, sizes of objects in units of the alignment; it may read them late."""

    columns: Mapping[str, NDArray[Any]]
    alignment: int
    reference_bytes: int
    header_bytes: int
    array_base: int
    source: ShallowSizeSource
    """gaps, or formula when the addresses teach nothing"""

    @property
    def units(self) -> NDArray[np.uint32]:
        """uint32[n]."""
        return self.columns["units"]

    def of(self, nodes: NDArray[np.int32]) -> NDArray[np.int64]:
        """Bytes of some objects."""
        return self.units[nodes].astype(np.int64) * self.alignment


def learn_sizes(dump: Dump, index: ObjectIndex, ids: NDArray[np.uint64]) -> SizeModel:
    """Learn the sizes of all objects; O(objects), array bodies are not touched.

    What it learns is small; the size of each object is computed when somebody first asks for it.

    Args:
        dump: the file but for its objects.
        index: the objects.
        ids: uint64[n], theirs.
    """
    classes = dump.classes
    class_row = classes.class_row
    shift = _alignment_shift(index, ids)
    alignment = 1 << shift
    usable = 8 <= alignment <= 256
    if not usable:
        alignment = 8
    gaps = gaps_of(classes.count, index, ids, shift if usable else None, alignment)

    plain, references = _field_bytes(dump)
    plain, object_arrays = _of_missing_classes(dump, index, plain)
    is_array = object_arrays | np.array([name.endswith("[]") for name in classes.names])
    teachers = gaps.agree & ~is_array & (plain + references > 0)
    teachers[class_row] = False
    width, header, learned = _fit(plain, references, gaps.mode, teachers, alignment, dump.header.id_size, ids)
    formula = _aligned(header + plain + width * references, alignment)
    gaps = without_least_blocks(gaps, formula, ~is_array)

    floor = _aligned(np.minimum(header, 8) + plain + width * references, alignment)
    sizes_by_row = instance_sizes(classes, gaps, formula, floor)
    array_base = _array_base(dump, index, ids, width, header, alignment, usable and learned)
    element, base = _of_arrays(classes, is_array, width, array_base)

    def units() -> NDArray[np.uint32]:
        found: NDArray[np.uint32] = dump.room.empty(index.count, np.uint32)
        units_by_row = _aligned(sizes_by_row, alignment) // alignment
        # The search for reachable objects, beside which this runs, takes a core.
        workers = max(worker_count() - 1, 1)
        bounds = [index.count * i // workers for i in range(workers + 1)]

        def fill(first: int, last: int) -> None:
            kernel.shallow_sizes(
                dump.source.data,
                dump.header.id_size,
                index.offsets[first:last],
                index.rows[first:last],
                units_by_row,
                base,
                element,
                alignment.bit_length() - 1,
                found[first:last],
            )

        with pool(workers, is_large=index.count >= LEAST_OBJECTS) as threads:
            list(threads.map(fill, bounds[:-1], bounds[1:]))
        if usable:
            _size_truncated_arrays(dump, index, found, shift)
        _size_class_objects(dump, index, found, alignment, width, usable, int(sizes_by_row[class_row]))
        return found

    source: ShallowSizeSource = "gaps" if learned else "formula"
    return SizeModel(_WhenAsked(units), alignment, width, header, array_base, source)


def _of_arrays(
    classes: ClassRecords, is_array: NDArray[np.bool_], width: int, array_base: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bytes of an element of each class of arrays, and of what stands before the first one."""
    element, base = np.zeros(classes.count, np.int64), np.zeros(classes.count, np.int64)
    for row in np.flatnonzero(is_array):
        name = classes.names[row]
        if row in classes.primitive_rows:
            kind = int(np.flatnonzero(classes.primitive_rows == row)[0]) + 4
            element[row] = PRIMITIVE_BYTES[kind]
        elif name not in PRIMITIVE_ARRAYS:
            element[row] = width
        base[row] = _aligned(array_base, element[row]) if element[row] == 8 else array_base
    return element, base


class _WhenAsked(dict[str, NDArray[np.uint32]]):
    """Sizes of all objects, computed when they are first asked for, which is beside the search for dominators."""

    def __init__(self, compute: Callable[[], NDArray[np.uint32]]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, name: str) -> NDArray[np.uint32]:
        self[name] = self._compute()
        return self[name]


def _alignment_shift(index: ObjectIndex, ids: NDArray[np.uint64]) -> int:
    """Log2 of the alignment that nearly all ids have; a few objects, or a few damaged ids, say nothing else."""
    shift = index.lookup.shift
    if shift > 3:
        return shift if index.count >= _ENOUGH_FOR_ALIGNMENT else 3
    if shift < 3:
        for usual in range(8, 2, -1):
            if np.count_nonzero(ids & np.uint64((1 << usual) - 1)) <= _STRAY_SHARE * ids.size:
                return usual
    return shift


def _aligned(size: Any, alignment: Any) -> Any:
    """Rounded up; numbers or arrays."""
    return (size + alignment - 1) // alignment * alignment


def _field_bytes(dump: Dump) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(bytes of primitive fields, number of reference fields) of each class, superclasses included."""
    classes = dump.classes
    owner = np.repeat(np.arange(classes.count), np.diff(classes.field_starts))
    types = classes.field_types
    own_plain = np.bincount(owner, PRIMITIVE_BYTES[types], classes.count).astype(np.int64)
    own_references = np.bincount(owner, types == REFERENCE, classes.count).astype(np.int64)
    plain, references = own_plain.copy(), own_references.copy()
    above = classes.superclass.copy()
    for _ in range(256):
        rows = np.flatnonzero(above >= 0)
        if rows.size == 0:
            break
        plain[rows] += own_plain[above[rows]]
        references[rows] += own_references[above[rows]]
        above[rows] = classes.superclass[above[rows]]
    return plain, references


def _of_missing_classes(
    dump: Dump, index: ObjectIndex, plain: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """(field bytes with those that instances without a class dump show, which missing classes are object arrays)."""
    classes = dump.classes
    plain, arrays = plain.copy(), np.zeros(classes.count, bool)
    missing = np.flatnonzero((np.arange(classes.count) >= classes.dumped) & (dump.counts > 0))
    missing = missing[~is_in(missing, classes.primitive_rows)]
    if missing.size:
        rows, nodes = np.unique(index.rows, return_index=True)
        chosen = is_in(rows, missing)
        rows, nodes = rows[chosen], nodes[chosen]
        arrays[rows] = dump.source.data[index.places(nodes)] == 0x22
        plain[missing] = np.where(arrays[missing], 0, dump.elements[missing] // dump.counts[missing])
    return plain, arrays


def _fit(
    plain: NDArray[np.int64],
    references: NDArray[np.int64],
    mode: NDArray[np.int64],
    teachers: NDArray[np.bool_],
    alignment: int,
    id_size: int,
    ids: NDArray[np.uint64],
) -> tuple[int, int, bool]:
    """(reference width, header bytes, whether the classes taught it)."""
    if int(teachers.sum()) >= 8:
        agreed = []
        for width, header in _LAYOUTS:
            predicted = _aligned(header + plain[teachers] + width * references[teachers], alignment)
            agreed.append(int((predicted == mode[teachers]).sum()))
        best = int(np.argmax(agreed))
        if 2 * agreed[best] >= int(teachers.sum()):
            return (*_LAYOUTS[best], True)
    if id_size == 4:
        return 4, 8, False
    wide = ids.size > 0 and int(ids[-1]) >= 32 << 30
    return (8, 16, False) if wide else (4, 12, False)


def _array_base(
    dump: Dump,
    index: ObjectIndex,
    ids: NDArray[np.uint64],
    width: int,
    header: int,
    alignment: int,
    learn: bool,
) -> int:
    """Bytes before the first element of an array, learned where many arrays agree."""
    default = header + 4 if header != 8 or dump.header.id_size == 8 else 12
    if not learn:
        return default
    classes = dump.classes
    votes = np.zeros(64, np.int64)
    for row, element in ((classes.primitive_rows[4], 1), (classes.primitive_rows[1], 2)):
        nodes = _first_of_class(index, row, _ARRAY_SAMPLE)
        lengths = np.empty(nodes.size, np.int64)
        kernel.array_lengths(dump.source.data, dump.header.id_size, index.offsets, nodes, lengths)
        kernel.array_excess(ids, lengths, nodes, element, alignment, votes)
    # Bases are multiples of 4; where several agree alike, the usual one is meant.
    bases = np.arange(0, 64, 4)
    best = int(bases[votes[bases].argmax()])
    return best if votes[best] >= ENOUGH and votes[best] > votes[default] else default


def _first_of_class(index: ObjectIndex, row: int, most: int) -> NDArray[np.int32]:
    """The first objects of a class, at most so many; looks no further than it must, and at a piece at a time."""
    found: list[NDArray[np.int64]] = []
    missing = most
    for begin in range(0, index.count, _PIECE):
        nodes = np.flatnonzero(index.rows[begin : begin + _PIECE] == row)[:missing] + begin
        found.append(nodes)
        missing -= nodes.size
        if not missing:
            break
    return np.concatenate(found, dtype=np.int32, casting="same_kind") if found else np.empty(0, np.int32)


def _size_truncated_arrays(dump: Dump, index: ObjectIndex, units: NDArray[np.uint32], shift: int) -> None:
    """HotSpot cuts an array whose record would not fit 32 bits of length: what it takes goes up to the next object.

    See calculate_array_max_length in the JDK's heapDumper.cpp.
    """
    least = (_RECORD_LIMIT // 2 - 4096) >> shift
    if units.max(initial=0) < least:
        return
    large = np.flatnonzero(units >= least)
    large = large[large + 1 < index.count]
    head = 10 + dump.header.id_size  # tag, id, trace serial, length, element type
    for node in large.tolist():
        at = int(index.offsets[node])
        tag, length_at = int(dump.source.data[at]), at + 5 + dump.header.id_size
        if tag == 0x23:
            width, own_head = int(PRIMITIVE_BYTES[dump.source.data[length_at + 4]]), head
        else:
            width, own_head = dump.header.id_size, head - 1 + dump.header.id_size
        length = int.from_bytes(bytes(dump.source.data[length_at : length_at + 4]), "big")
        if length == (_RECORD_LIMIT - own_head) // width:
            here, following = (int(each) for each in index.ids_of(np.array([node, node + 1], np.int32)))
            units[node] = max(int(units[node]), min((following - here) >> shift, (1 << 32) - 1))


def _size_class_objects(
    dump: Dump,
    index: ObjectIndex,
    units: NDArray[np.uint32],
    alignment: int,
    width: int,
    usable: bool,
    default_base: int,
) -> None:
    """A class object is a java.lang.Class instance with the statics of its class behind it.

    References come first. Up to JDK 17 at least, four bytes stay empty between an odd number of narrow ones and longs
    or doubles; newer JDKs fill them. Which it is, the distances decide.
    """
    classes = dump.classes
    owner = np.repeat(np.arange(classes.count), np.diff(classes.static_starts))
    types = classes.static_types
    # Pseudo-statics such as <resolved_references> are kept elsewhere by the JVM; JDK 8 calls the last one init_lock.
    real = ~dump.names.begin_with(classes.static_names, "<")
    last = (np.diff(owner, append=-1) != 0) & (types == REFERENCE)
    candidates = np.unique(classes.static_names[last & dump.names.begin_with(classes.static_names, "i")])
    locks = [each for each in candidates.tolist() if dump.names.text(each) == "init_lock"]
    real &= ~(last & np.isin(classes.static_names, np.array(locks, np.uint64)))
    bytes_of = np.where(types == REFERENCE, width, PRIMITIVE_BYTES[types]) * real
    statics = np.bincount(owner, bytes_of, classes.count).astype(np.int64)[: classes.dumped]
    references = np.bincount(owner, (types == REFERENCE) * real * width, classes.count).astype(np.int64)[
        : classes.dumped
    ]
    wide = np.bincount(owner, (PRIMITIVE_BYTES[types] == 8) * real, classes.count)[: classes.dumped] > 0
    hole = np.where(wide, -references % 8, 0)
    nodes = index.lookup.find(classes.ids[: classes.dumped])
    there = np.flatnonzero(nodes >= 0)
    there = there[dump.source.data[index.places(nodes[there])] == 0x20]
    nodes, statics, hole = nodes[there], statics[there], hole[there]
    base = default_base
    followed = nodes + 1 < index.count
    if usable and followed.sum() >= ENOUGH:
        gap = (index.ids_of(nodes[followed] + 1) - index.ids_of(nodes[followed])).astype(np.int64)
        bases, votes = np.unique(gap - statics[followed], return_counts=True)
        known = (bases > 0) & (bases < 512)
        # A mirror without statics has the bare size.
        bare, bare_votes = np.unique(gap[statics[followed] == 0], return_counts=True)
        if bare.size and bare_votes.max() >= ENOUGH:
            base = int(bare[bare_votes.argmax()])
        elif known.any():
            base = int(bases[known][votes[known].argmax()])
        tells = hole[followed] > 0
        tight = _aligned(base + statics[followed], alignment)[tells]
        loose = _aligned(base + statics[followed] + hole[followed], alignment)[tells]
        if (gap[tells] == loose).sum() > (gap[tells] == tight).sum():
            statics = statics + hole
    units[nodes] = _aligned(base + statics, alignment) // alignment
