"""One dump as a graph of objects: the way to read fields, arrays, sizes and holders of many objects at once.

Objects are called nodes and are positions in address order, int32; -1 stands for null and for ids that the file does
not have. Methods take and return arrays over many nodes, so that no loop over objects is needed.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import InputError
from mqdiag.graph import strings
from mqdiag.graph.classes import ClassTable
from mqdiag.graph.dominance import Dominance, build_dominance
from mqdiag.graph.index import ObjectIndex, build_index
from mqdiag.graph.kernels.gaps import array_lengths
from mqdiag.graph.kernels.tally import find_ascending
from mqdiag.graph.mirrors import with_mirrors
from mqdiag.graph.paths import PathSearch, path_to_root
from mqdiag.graph.references import References, TooManyReferences, build_references
from mqdiag.graph.roots import RootSet, build_roots
from mqdiag.graph.shallow import SizeModel, learn_sizes
from mqdiag.graph.threads import ThreadRecord, read_threads
from mqdiag.progress import Progress, Silent
from mqdiag.read.hprof.dump import Dump
from mqdiag.read.hprof.records import big_endian
from mqdiag.read.hprof.types import (
    BOOLEAN,
    BYTE,
    CHAR,
    DTYPES,
    INT,
    LONG,
    PRIMITIVE_BYTES,
    REFERENCE,
    SHORT,
    WIDTHS,
    width_of,
)
from mqdiag.text import say

Nodes = NDArray[np.int32]
_INTEGERS = (BOOLEAN, CHAR, BYTE, SHORT, INT, LONG)
MAX_OBJECTS = (1 << 31) - 2


class Heap:
    """The graph of one dump; what is costly is computed when it is first asked for."""

    MISSING: ClassVar[int] = int(np.iinfo(np.int64).min)
    """stands in number arrays where a node has no such field"""

    def __init__(self, dump: Dump, progress: Progress | None = None) -> None:
        if dump.objects is None:
            raise ValueError("the dump was read for counts only")
        self.dump = dump
        self.header = dump.header
        self.data = dump.source.data
        self._progress = progress or Silent()
        self._progress.phase(say("indexing objects"))
        named = [row for row, name in enumerate(dump.classes.names) if name == "java.lang.Class"]
        self._class_row = named[0] if named else dump.classes.unknown_row
        _refuse_too_many(dump)
        self.index: ObjectIndex = build_index(dump, dump.objects, self._class_row)
        dump.objects = None
        self.classes = ClassTable(dump, self.index.lookup)
        self.roots: RootSet = build_roots(dump, self.index)
        self._progress.phase(say("reading references"))
        try:
            self.references: References = build_references(
                dump, self.index, *with_mirrors(dump, self.index, self.roots.extra_from, self.roots.extra_to)
            )
        except TooManyReferences as error:
            raise InputError(
                dump.source.path, say("{reason}", reason=str(error)), hint=say("--quick counts it")
            ) from None

    @property
    def count(self) -> int:
        """Objects of the file, class objects included."""
        return self.index.count

    @cached_property
    def _row_counts(self) -> NDArray[np.int64]:
        """At most so many objects of each class; one of several records with the same id was dropped."""
        counts = self.dump.counts.copy()
        counts[self._class_row] += self.dump.classes.dumped
        return counts

    @cached_property
    def sizes(self) -> SizeModel:
        """Shallow sizes, learned from the addresses."""
        sizes = learn_sizes(self.dump, self.index, self._class_row)
        self.index.forget_ids()
        return sizes

    @cached_property
    def class_nodes(self) -> Nodes:
        """int32[class rows]: the class object that an instance keeps alive, -1 where that is a root anyway."""
        nodes = np.full(self.classes.count, -1, np.int32)
        dumped = self.dump.classes.dumped
        nodes[:dumped] = self.index.lookup.find(self.dump.classes.ids[:dumped])
        nodes[np.isin(nodes, self.roots.nodes)] = -1
        return nodes

    @cached_property
    def dominance(self) -> Dominance:
        """Reachability, dominators, retained sizes."""
        return build_dominance(
            self.index, self.references, self.class_nodes, self.roots, self.sizes, self._progress
        )

    @cached_property
    def path_search(self) -> PathSearch:
        """Shortest ways from the roots, extended as far as they are asked for."""
        return PathSearch(self)

    @property
    def shortest_paths(self) -> Nodes:
        """int32[n]: for each object its holder on the shortest way from a root; see `graph/paths.py`."""
        return self.path_search.complete()

    @cached_property
    def threads(self) -> list[ThreadRecord]:
        """All threads with stacks and locals."""
        return read_threads(self)

    # Which objects

    def instances(self, rows: list[int], subclasses: bool = True) -> Nodes:
        """All objects of some classes, ascending, reachable or not."""
        if not rows:
            return np.empty(0, np.int32)
        wanted = self.classes.subclasses(rows) if subclasses else np.array(rows, np.int32)
        found = np.empty(int(self._row_counts[wanted].sum()), np.int32)
        if found.size:
            chosen = np.zeros(self.classes.count, np.uint8)
            chosen[wanted] = 1
            found = found[: find_ascending(self.index.rows, chosen, found)]
        return found

    def reachable(self, nodes: Nodes) -> NDArray[np.bool_]:
        """Which nodes a GC root reaches."""
        return np.where(nodes >= 0, self.dominance.numbers[nodes] > 0, False)

    def class_index(self, nodes: Nodes) -> Nodes:
        """Class rows; -1 for -1."""
        return np.where(nodes >= 0, self.index.rows[nodes].astype(np.int32), np.int32(-1))

    def class_name(self, node: int) -> str:
        """Name of a node's class."""
        return self.classes.names[int(self.index.rows[node])]

    def object_ids(self, nodes: Nodes) -> NDArray[np.uint64]:
        """Ids of nodes, as the dump has them."""
        return self.index.ids_of(nodes)

    def object_id(self, node: int) -> int:
        """Id of one node."""
        return int(self.index.ids_of(np.array([node], np.int32))[0])

    def node(self, object_id: int) -> int:
        """Node of an id; -1 when the file has no such object."""
        return int(self.index.lookup.find(np.array([object_id], np.uint64))[0])

    @cached_property
    def class_of_node(self) -> dict[int, int]:
        """Row of the class that a class object stands for."""
        dumped = self.dump.classes.dumped
        nodes = self.index.lookup.find(self.dump.classes.ids[:dumped])
        return {int(node): row for row, node in enumerate(nodes) if node >= 0}

    # Fields

    def _field(self, nodes: Nodes, field: str) -> list[tuple[NDArray[np.int64], NDArray[np.int64], int]]:
        """(positions in `nodes`, where the value stands, basic type) for each layout among the nodes."""
        there = np.flatnonzero(nodes >= 0)
        there = there[self.data[self.index.offsets[nodes[there]]] == 0x21]
        rows = self.index.rows[nodes[there]]
        found = []
        for row in np.unique(rows).tolist():
            places = self.classes.field_places(row).get(field)
            if places:
                offset, kind = places[0]
                positions = there[rows == row]
                starts = self.index.offsets[nodes[positions]] + 9 + 2 * self.header.id_size
                lengths = big_endian(self.data, starts - 4, 4).astype(np.int64)
                fits = offset + width_of(kind, self.header.id_size) <= lengths
                found.append((positions[fits], starts[fits] + offset, kind))
        return found

    def refs(self, nodes: Nodes, field: str) -> Nodes:
        """Values of a reference field; -1 where null, where the node is -1, and where there is no such field."""
        values = np.full(nodes.size, -1, np.int32)
        for positions, places, kind in self._field(nodes, field):
            if kind == REFERENCE:
                ids = big_endian(self.data, places, self.header.id_size)
                values[positions] = self.index.lookup.find(ids)
        return values

    def numbers(self, nodes: Nodes, field: str) -> NDArray[np.int64]:
        """Values of a boolean or integer field, int64; MISSING where the node has none."""
        values = np.full(nodes.size, self.MISSING, np.int64)
        for positions, places, kind in self._field(nodes, field):
            if kind in _INTEGERS:
                raw = big_endian(self.data, places, WIDTHS[kind])
                values[positions] = raw.astype(DTYPES[kind]).astype(np.int64)
        return values

    def ref(self, node: int, path: str) -> int:
        """Follow reference fields, "a.b.c"; -1 where the path ends early."""
        at = np.array([node], np.int32)
        for field in path.split("."):
            at = self.refs(at, field)
        return int(at[0])

    def number(self, node: int, path: str) -> int | None:
        """An integer at the end of a path of fields; None where there is none."""
        *way, last = path.split(".")
        at = self.ref(node, ".".join(way)) if way else node
        value = int(self.numbers(np.array([at], np.int32), last)[0])
        return None if value == self.MISSING else value

    # Arrays and strings

    def array_lengths(self, nodes: Nodes) -> NDArray[np.int64]:
        """Element counts, int64; -1 for what is no array."""
        lengths = np.full(nodes.size, -1, np.int64)
        there = nodes >= 0
        found = np.empty(int(there.sum()), np.int64)
        array_lengths(self.data, self.header.id_size, self.index.offsets, nodes[there], found)
        lengths[there] = found
        return lengths

    def elements(self, nodes: Nodes) -> tuple[NDArray[np.int64], Nodes]:
        """(position of the array in `nodes`, element) of all elements that are not null, in order."""
        arrays = np.flatnonzero((nodes >= 0) & (self.data[self.index.offsets[nodes]] == 0x22))
        owners, targets = self.references.of(nodes[arrays])
        return arrays[owners], targets

    def primitive_array(self, node: int, limit: int | None = None) -> tuple[int, bytes, int] | None:
        """(element type, big-endian bytes up to `limit`, element count); None for anything else."""
        at = int(self.index.offsets[node])
        if self.data[at] != 0x23:
            return None
        at += 5 + self.header.id_size
        length = int.from_bytes(bytes(self.data[at : at + 4]), "big")
        kind = int(self.data[at + 4])
        size = length * int(PRIMITIVE_BYTES[kind])
        return kind, bytes(self.data[at + 5 : at + 5 + (size if limit is None else min(size, limit))]), length

    def strings(self, nodes: Nodes) -> list[str | None]:
        """Texts of java.lang.String nodes; None where there is none."""
        return strings.decode(self, nodes)

    def string(self, node: int) -> str | None:
        """Text of one java.lang.String."""
        return self.strings(np.array([node], np.int32))[0]

    def strings_equal(self, nodes: Nodes, text: str) -> NDArray[np.bool_]:
        """Which strings are exactly this ASCII text."""
        return strings.equal(self, nodes, text)

    def decimal_strings(self, nodes: Nodes) -> NDArray[np.int64]:
        """Values of strings of digits; MISSING for anything else."""
        return strings.decimals(self, nodes)

    # Sizes and holders

    def shallow_sizes(self, nodes: Nodes) -> NDArray[np.int64]:
        """Bytes of each object itself."""
        return self.sizes.of(nodes)

    def retained_sizes(self, nodes: Nodes) -> NDArray[np.int64]:
        """Bytes that go when the object goes; 0 for unreachable ones."""
        numbers = self.dominance.numbers[nodes]
        return np.where(numbers > 0, self.dominance.retained(numbers), 0)

    def retained_of_sets(
        self, sets: list[Nodes], ignore_frames_of: Nodes | None = None
    ) -> list[tuple[int, int]]:
        """(objects, bytes) that go when a whole set goes, exact for each set; see `graph/set_retained.py`."""
        from mqdiag.graph.set_retained import retained_of_sets

        return retained_of_sets(self, sets, ignore_frames_of)

    def referrers(self, nodes: Nodes) -> tuple[NDArray[np.int64], Nodes]:
        """(position in `nodes`, referrer) over all reachable objects that refer to one of the nodes."""
        from mqdiag.graph.paths import referrers

        return referrers(self, nodes)

    def path_to_root(self, node: int) -> list[str]:
        """Shortest path from a GC root to a node without weak references, a line a step, the root first."""
        return path_to_root(self, node)


def _refuse_too_many(dump: Dump) -> None:
    count = int(dump.counts.sum()) + dump.classes.dumped
    if count > MAX_OBJECTS:
        raise InputError(
            dump.source.path,
            say(
                "{count:count} objects; the graph holds at most {most:count}",
                count=count,
                most=MAX_OBJECTS,
            ),
            hint=say(
                "--quick counts it; for a smaller dump: jcmd PID GC.heap_dump leaves out what is unreachable"
            ),
        )
