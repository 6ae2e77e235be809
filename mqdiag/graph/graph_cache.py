"""What runs keep of a graph, and how it comes back.

A part is kept once it was computed, and read when it is asked for, so that a question about classes maps nothing of the
objects. Only numbers are kept: places of objects in the file, classes, sizes, references, dominators and shortest
paths. Names and texts are read from the dump each time.

Each array is checked before a kernel sees it, by its checksum and by its numbers: none of them may lead out of an array
or out of the file. Where one is wrong, everything of the dump is removed and computed again. Only dumps that are whole
are kept, and only those of `LEAST_BYTES`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.cache.array_file import ArrayFile, Unusable
from mqdiag.cache.folder import CacheFolder, Origin
from mqdiag.facts.vocabulary import ShallowSizeSource
from mqdiag.graph.class_sums import ClassSums
from mqdiag.graph.dominance import Dominance
from mqdiag.graph.index import MAX_OBJECTS, ObjectIndex
from mqdiag.graph.kept_columns import INT32, OF_OBJECTS, KeptColumns, check_between, out_of_range
from mqdiag.graph.kernels import kept_checks as check
from mqdiag.graph.references import References
from mqdiag.graph.shallow import SizeModel
from mqdiag.progress import Progress
from mqdiag.read.hprof.dump import Dump, Roots, Summary, read_again
from mqdiag.read.hprof.header import parse_header
from mqdiag.read.source import Source
from mqdiag.text import say

if TYPE_CHECKING:
    from mqdiag.cache.entry import Entry

LEAST_BYTES = 64 << 20
"""size of a dump, unpacked: a smaller one is computed in a third of a second, hardly longer than Python takes to
start"""
_SUMMARY, _OBJECTS, _REFERENCES, _DOMINANCE, _WAYS, _CLASSES = PARTS = (
    "summary",
    "objects",
    "references",
    "dominance",
    "ways",
    "classes",
)
_ROOT = -2
"""in `came_from`, see `PathSearch`"""
_WIDTHS = ("reference_bytes", "header_bytes", "array_base")
_MOST_ALIGNMENT = 1 << 10
"""bytes; a JVM takes 256 at most"""
_Restored = TypeVar("_Restored")


class Computed(msgspec.Struct, frozen=True):
    """What a run has of a graph when it ends; None for what nobody asked for."""

    dump: Dump
    index: ObjectIndex
    sizes: SizeModel
    references: Callable[[], References]
    dominance: Dominance | None
    ways: tuple[NDArray[np.int32], NDArray[np.int32]] | None
    """see `PathSearch.ways`"""
    class_sums: Callable[[], ClassSums]
    """cheap where the dominance is there"""


class GraphCache:
    """What is kept of one dump.

    Args:
        source: the opened file.
        number: of the dump in it; the first is 0.
        folder: the cache; None keeps and finds nothing.
        progress: hears in a line that something kept is not used.
    """

    def __init__(self, source: Source, number: int, folder: CacheFolder | None, progress: Progress) -> None:
        self._source, self._number, self._folder, self._progress = source, number, folder, progress
        self._entry: Entry | None = None
        self.is_whole = False
        """whether the dump is known to lack nothing: others are not kept"""
        if folder is not None and source.data.size >= LEAST_BYTES and source.problem is None:
            from mqdiag.cache.entry import Entry  # most dumps are smaller
            from mqdiag.cache.identity import key_of

            origin = Origin(os.path.abspath(source.path), source.file_bytes, source.modified_ns)
            self._entry = Entry(folder, key_of(source, number), PARTS, progress, origin)

    @property
    def takes(self) -> bool:
        """Whether anything of this dump is kept."""
        return self._entry is not None

    def dump(self, memory_bytes: int | None) -> Dump | None:
        """The file but for its objects.

        Args:
            memory_bytes: what arrays that are computed may take; None for most of what is free.
        """

        def restored(file: ArrayFile) -> Dump:
            header = parse_header(self._source.path, self._source.data)
            offsets = file.array("class_offsets", ("<i8",), (None,))
            ends = np.empty(offsets.size, np.int64)
            if not check.class_ends(self._source.data, header.id_size, offsets, ends):
                raise out_of_range("class_offsets")
            counts = file.array("counts", ("<i8",), (None,))
            elements = file.array("elements", ("<i8",), counts.shape)
            for name, each in (("counts", counts), ("elements", elements)):
                # Each of them takes a byte of the dump at least.
                if each.size and (each.min() < 0 or each.max() > self._source.data.size):
                    raise out_of_range(name)
            types = file.array("root_types", ("|u1",), (None,))
            roots = Roots(
                types=types,
                ids=file.array("root_ids", ("<u8",), types.shape),
                threads=file.array("root_threads", ("<i8",), types.shape),
                frames=file.array("root_frames", ("<i8",), types.shape),
            )
            missing = file.array("missing_ids", ("<u8",), (None,))
            summary = Summary(offsets, ends, missing, roots, counts, elements)
            dump = read_again(self._source, self._number, summary, self._progress, memory_bytes)
            if dump is None:
                raise Unusable(say("it belongs to another dump or version"))
            return dump

        # Without its objects a graph has nothing to begin with.
        dump = self._restored(_SUMMARY, restored) if self._has(_OBJECTS) else None
        self.is_whole = dump is not None
        return dump

    def objects(
        self, dump: Dump, again: Callable[[], tuple[ObjectIndex, SizeModel]]
    ) -> tuple[ObjectIndex, SizeModel] | None:
        """The objects and their sizes; their arrays are read when they are first asked for.

        Args:
            dump: what `dump` gave.
            again: computes them, for when an array turns out to be damaged.
        """

        def restored(file: ArrayFile) -> tuple[ObjectIndex, SizeModel]:
            count, shift = file.number("objects"), file.number("shift")
            source = file.word("size_source")
            alignment = file.number("alignment")
            base = file.number("base")
            if not 0 < count <= MAX_OBJECTS or not 0 <= base < 1 << 64 or not 0 <= shift < 64:
                raise out_of_range("objects")
            if not 0 < alignment <= _MOST_ALIGNMENT or source not in get_args(ShallowSizeSource):
                raise out_of_range("alignment")
            widths = [file.number(name) for name in _WIDTHS]
            if min(widths) < 0 or max(widths) > _MOST_ALIGNMENT:
                raise out_of_range("widths")
            for name, types in OF_OBJECTS.items():
                file.check(name, types, (count,))
            columns = KeptColumns(self.refuse, file, dump, (count, base, shift), again)
            index = ObjectIndex(
                data=self._source.data,
                id_size=dump.header.id_size,
                count=count,
                base=np.uint64(base),
                shift=shift,
                columns=columns,
                checked_at=columns.checked_at,
            )
            sizes = SizeModel(
                columns=columns,
                alignment=alignment,
                **dict(zip(_WIDTHS, widths, strict=True)),
                source="gaps" if source == "gaps" else "formula",
            )
            return index, sizes

        return self._restored(_OBJECTS, restored)

    def references(self, objects: int) -> References | None:
        """The references of so many objects."""

        def restored(file: ArrayFile) -> References:
            starts = file.array("starts", ("<u4",), (objects + 1,))
            edges = file.array("edges", INT32, (None,))
            if starts[0] != 0 or starts[-1] != edges.size or (starts[1:] < starts[:-1]).any():
                raise out_of_range("starts")
            check_between("edges", edges, 0, objects)
            extra_from = file.array("extra_from", INT32, (None,))
            extra_to = file.array("extra_to", INT32, extra_from.shape)
            check_between("extra_from", extra_from, 0, objects)
            check_between("extra_to", extra_to, 0, objects)
            dangling = file.number("dangling")
            if not 0 <= dangling < 1 << 63:
                raise out_of_range("dangling")
            return References(starts, edges, extra_from, extra_to, dangling)

        return self._restored(_REFERENCES, restored)

    def dominance(self, objects: int, alignment: int) -> Dominance | None:
        """The dominator tree of so many objects."""

        def restored(file: ArrayFile) -> Dominance:
            order = file.array("order", INT32, (None,))
            numbers = file.array("numbers", INT32, (objects,))
            dominator = file.array("dominator", INT32, order.shape)
            dominated = file.array("dominated", INT32, order.shape)
            prefix = file.array("prefix", ("<u4", "<u8"), (order.size + 1,))
            check_between("numbers", numbers, 0, order.size)
            if not check.tree_fits(order, dominator, dominated, objects):
                raise out_of_range("dominator")
            return Dominance(numbers, order, dominator, dominated, prefix, alignment)

        return self._restored(_DOMINANCE, restored)

    def ways(
        self, objects: int, roots: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]] | None:
        """(holders, queue) of the search for shortest paths, when it has come to its end; see `PathSearch`.

        Args:
            objects: how many there are.
            roots: ascending; each way begins at one of them, and each of them begins one.
        """

        def restored(file: ArrayFile) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
            came_from = file.array("came_from", INT32, (objects,))
            queue = file.array("queue", INT32, (None,))
            if not check.ways_fit(queue, came_from, np.zeros(objects, np.uint8)):
                raise out_of_range("came_from")
            if not np.array_equal(np.flatnonzero(came_from == _ROOT), roots):
                raise out_of_range("came_from")
            return came_from, queue

        return self._restored(_WAYS, restored)

    def class_sums(self, rows: int) -> ClassSums | None:
        """Sums of the classes."""
        return self._restored(
            _CLASSES,
            lambda file: ClassSums(*(file.array(name, ("<i8",), (rows,)) for name in ClassSums._fields)),
        )

    def keep(self, computed: Computed) -> None:
        """Keep what the run has computed, and what is not kept yet."""
        index, sizes, tree, ways = computed.index, computed.sizes, computed.dominance, computed.ways
        self._write(_SUMMARY, lambda: _summary_arrays(computed.dump))
        self._write(
            _OBJECTS,
            lambda: {
                "offsets": index.offsets,
                "rows": index.rows,
                "directory": index.lookup.directory,
                "words": index.lookup.words,
                "units": sizes.units,
            },
            {
                "objects": index.count,
                "base": int(index.base),
                "shift": index.shift,
                "alignment": sizes.alignment,
                "reference_bytes": sizes.reference_bytes,
                "header_bytes": sizes.header_bytes,
                "array_base": sizes.array_base,
            },
            {"size_source": sizes.source},
        )
        names: tuple[str, ...] = ("starts", "edges", "extra_from", "extra_to")
        if not self._has(_REFERENCES):
            found = computed.references()
            self._write(_REFERENCES, lambda: _fields(found, names), {"dangling": found.dangling})
        if tree is not None:
            names = ("numbers", "order", "dominator", "dominated", "prefix")
            self._write(_DOMINANCE, lambda: _fields(tree, names))
            self._write(_CLASSES, lambda: computed.class_sums()._asdict())
        if ways is not None:
            self._write(_WAYS, lambda: dict(zip(("came_from", "queue"), ways, strict=True)))

    def close(self) -> None:
        """Keep nothing from now on; what was found stays readable."""
        if self._folder is not None:
            self._folder.close()

    def refuse(self, error: Unusable) -> None:
        """Use nothing any more of what was kept."""
        if self._entry is not None:
            self._entry.refuse(error.reason)

    def _write(
        self,
        part: str,
        arrays: Callable[[], Mapping[str, NDArray[Any]]],
        numbers: Mapping[str, int] = MappingProxyType({}),
        words: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        if self._entry is not None and not self._has(part):
            self._entry.write(part, numbers, words, arrays())

    def _has(self, part: str) -> bool:
        return self._entry is not None and self._entry.part(part) is not None

    def _restored(self, part: str, restore: Callable[[ArrayFile], _Restored]) -> _Restored | None:
        file = None if self._entry is None else self._entry.part(part)
        if file is None:
            return None
        try:
            return restore(file)
        except Unusable as error:
            self.refuse(error)
            return None


def _summary_arrays(dump: Dump) -> dict[str, NDArray[Any]]:
    dumped = dump.classes.dumped
    missing = dump.classes.ids[dumped:]
    return {
        "class_offsets": dump.classes.offsets[:dumped],
        "missing_ids": missing[missing != 0],
        "counts": dump.counts,
        "elements": dump.elements,
        "root_types": dump.roots.types,
        "root_ids": dump.roots.ids,
        "root_threads": dump.roots.threads,
        "root_frames": dump.roots.frames,
    }


def _fields(of: object, names: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    return {name: getattr(of, name) for name in names}
