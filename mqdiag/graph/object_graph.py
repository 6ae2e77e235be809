"""The objects of a dump as a graph: which there are, their fields and elements, who refers to whom.

Objects are called nodes and are positions in address order, int32; -1 stands for null and for ids that the file does
not have. Methods take and return arrays over many nodes, so that no loop over objects is needed.

Every method here reads what it is asked for from the mapped file and keeps nothing: its time and memory grow with the
nodes that it is given. What takes a pass over the whole graph is in `Heap`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import InputError
from mqdiag.graph.class_objects import mirrors, with_mirrors
from mqdiag.graph.class_table import ClassTable
from mqdiag.graph.graph_cache import GraphCache
from mqdiag.graph.index import ObjectIndex, Rows
from mqdiag.graph.kernels.field_values import read_integers, read_references, value_places
from mqdiag.graph.kernels.row_counts import find_ascending
from mqdiag.graph.kernels.size_gaps import array_lengths
from mqdiag.graph.references import References, TooManyReferences, build_references
from mqdiag.graph.roots import RootSet, build_roots
from mqdiag.graph.shallow import SizeModel
from mqdiag.progress import Progress
from mqdiag.read.hprof.distinct import is_among
from mqdiag.read.hprof.dump import Dump
from mqdiag.read.hprof.records import ANOTHER_DUMP, big_endian
from mqdiag.read.hprof.types import (
    BOOLEAN,
    BYTE,
    CHAR,
    INT,
    LONG,
    PRIMITIVE_BYTES,
    REFERENCE,
    SHORT,
    WIDTHS,
    width_of,
)
from mqdiag.text import Text, say

Nodes = NDArray[np.int32]
Positions = NDArray[np.int64]
_SIGNED = (BYTE, SHORT, INT, LONG)
_INTEGERS = (BOOLEAN, CHAR, *_SIGNED)


class ObjectGraph:
    """Objects, roots and references of one dump."""

    MISSING: ClassVar[int] = int(np.iinfo(np.int64).min)
    """stands in number arrays where a node has no such field"""

    def __init__(
        self, dump: Dump, index: ObjectIndex, sizes: SizeModel, kept: GraphCache, progress: Progress
    ) -> None:
        self.dump = dump
        self.header = dump.header
        self.data = dump.source.data
        self.index = index
        self.sizes = sizes
        self.classes = ClassTable(dump, index)
        self._kept, self._progress = kept, progress

    @cached_property
    def roots(self) -> RootSet:
        """Where reachability begins."""
        return build_roots(self.dump, self.index)

    @cached_property
    def references(self) -> References:
        """Who refers to whom.

        Raises:
            InputError: there are more references than the graph holds.
        """
        found = self._kept.references(self.count)
        if found is not None:
            return found
        self._progress.phase(say("reading references"))
        try:
            return build_references(
                self.dump,
                self.index,
                *with_mirrors(self.dump, self.index, self.roots.extra_from, self.roots.extra_to),
            )
        except TooManyReferences as error:
            raise InputError(self.dump.source.path, error.reason, hint=say("--quick counts it")) from None

    @property
    def problem(self) -> Text | None:
        """What is wrong with the file: it is cut or damaged, or objects are missing; None for a whole dump."""
        if self.dump.problem is None and not self._kept.is_whole and self.references.lack_objects:
            return say("records of objects are missing, though the file is well formed")
        return self.dump.problem or self.contradiction

    @cached_property
    def contradiction(self) -> Text | None:
        """Which records of the file contradict each other; None where none do."""
        if self.dump.spliced_at is not None:
            return say(
                "a class has the number of another one at byte {offset}: records of two processes are in this file",
                offset=self.dump.spliced_at,
            )
        if self.dump.problem == ANOTHER_DUMP:
            return ANOTHER_DUMP
        if self._kept.is_whole:
            return None
        if self.classes.has_circle:
            return say("a class is its own superclass: the file is damaged")
        if self._has_repeated_ids:
            return say("several objects have the same id: the file is damaged")
        return None

    @property
    def _has_repeated_ids(self) -> bool:
        """Whether records were dropped because an object before them has their id; mirrors of classes may have two."""
        dropped = int(self.row_counts.sum()) - self.count
        return dropped > 0 and dropped > mirrors(self.dump, self.index).size

    @property
    def count(self) -> int:
        """Objects of the file, class objects included."""
        return self.index.count

    @cached_property
    def row_counts(self) -> NDArray[np.int64]:
        """At most so many objects of each class; one of several records with the same id was dropped."""
        counts = self.dump.counts.copy()
        counts[self.dump.classes.class_row] += self.dump.classes.dumped
        return counts

    @cached_property
    def class_nodes(self) -> Nodes:
        """int32[class rows]: the class object that an instance keeps alive, -1 where that is a root anyway."""
        nodes = np.full(self.classes.count, -1, np.int32)
        dumped = self.dump.classes.dumped
        nodes[:dumped] = self.index.lookup.find(self.dump.classes.ids[:dumped])
        nodes[is_among(nodes, self.roots.nodes)] = -1
        return nodes

    # Which objects

    def instances(self, rows: list[int], subclasses: bool = True) -> Nodes:
        """All objects of some classes, ascending, reachable or not."""
        if not rows:
            return np.empty(0, np.int32)
        wanted = self.classes.subclasses(rows) if subclasses else np.array(rows, np.int32)
        found = np.empty(int(self.row_counts[wanted].sum()), np.int32)
        if found.size:
            chosen = np.zeros(self.classes.count, np.uint8)
            chosen[wanted] = 1
            found = found[: find_ascending(self.index.rows, chosen, found)]
        return found

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

    def place(self, node: int) -> int:
        """Where the sub-record of one node begins."""
        return int(self.index.places(np.array([node], np.int32))[0])

    def _layouts(self, nodes: Nodes, field: str) -> Iterator[tuple[Positions, Nodes, int, int]]:
        """(positions in `nodes`, the nodes there, byte of the field in an instance, basic type) for each layout."""
        there = np.flatnonzero(nodes >= 0)
        own = nodes[there]
        for positions in _by_class(there, self.index.rows[own]):
            chosen = own if positions is there else nodes[positions]
            place = self.classes.field_place(int(self.index.rows[chosen[0]]), field)
            if place is not None:
                yield positions, chosen, *place

    def field_places(self, nodes: Nodes, field: str) -> Iterator[tuple[Positions, NDArray[np.int64], int]]:
        """(positions in `nodes`, where the value stands, basic type) for each layout among the nodes."""
        for positions, chosen, offset, kind in self._layouts(nodes, field):
            places = np.empty(chosen.size, np.int64)
            id_size, offsets = self.header.id_size, self.index.offsets_at(chosen)
            value_places(self.data, id_size, offsets, chosen, offset, width_of(kind, id_size), places)
            there = places >= 0
            yield positions[there], places[there], kind

    def refs(self, nodes: Nodes, field: str) -> Nodes:
        """Values of a reference field; -1 where null, where the node is -1, and where there is no such field."""
        values = np.full(nodes.size, -1, np.int32)
        for positions, chosen, offset, kind in self._layouts(nodes, field):
            if kind == REFERENCE:
                found = np.empty(chosen.size, np.int32)
                id_size, offsets = self.header.id_size, self.index.offsets_at(chosen)
                read_references(self.data, id_size, offsets, chosen, offset, self.index.lookup.pages, found)
                values[positions] = found
        return values

    def lacks(self, nodes: Nodes, field: str) -> NDArray[np.bool_]:
        """Whether a reference field leads to an object that the file does not have."""
        lacking = np.zeros(nodes.size, bool)
        for positions, places, kind in self.field_places(nodes, field):
            if kind == REFERENCE:
                ids = big_endian(self.data, places, self.header.id_size)
                lacking[positions] = (ids != 0) & (self.index.lookup.find(ids) < 0)
        return lacking

    def numbers(self, nodes: Nodes, field: str) -> NDArray[np.int64]:
        """Values of a boolean or integer field, int64; MISSING where the node has none."""
        values = np.full(nodes.size, self.MISSING, np.int64)
        for positions, chosen, offset, kind in self._layouts(nodes, field):
            if kind in _INTEGERS:
                found = np.empty(chosen.size, np.int64)
                read_integers(
                    self.data, self.header.id_size, self.index.offsets_at(chosen), chosen,
                    offset, WIDTHS[kind], kind in _SIGNED, self.MISSING, found,
                )  # fmt: skip
                values[positions] = found
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

    # Arrays and sizes

    def array_lengths(self, nodes: Nodes) -> NDArray[np.int64]:
        """Element counts, int64; -1 for what is no array."""
        lengths = np.full(nodes.size, -1, np.int64)
        there = np.flatnonzero(nodes >= 0)
        if there.size:
            found = np.empty(there.size, np.int64)
            places = self.index.offsets_at(nodes[there])
            array_lengths(self.data, self.header.id_size, places, nodes[there], found)
            lengths[there] = found
        return lengths

    def elements(self, nodes: Nodes) -> tuple[NDArray[np.int64], Nodes]:
        """(position of the array in `nodes`, element) of all elements that are not null, in order."""
        arrays = np.flatnonzero(nodes >= 0)
        arrays = arrays[self.data[self.index.places(nodes[arrays])] == 0x22]
        owners, targets = self.references.of(nodes[arrays])
        return arrays[owners], targets

    def primitive_array(self, node: int, limit: int | None = None) -> tuple[int, bytes, int] | None:
        """(element type, big-endian bytes up to `limit`, element count); None for anything else."""
        at = self.place(node)
        if self.data[at] != 0x23:
            return None
        at += 5 + self.header.id_size
        length = int.from_bytes(bytes(self.data[at : at + 4]), "big")
        kind = int(self.data[at + 4])
        size = length * int(PRIMITIVE_BYTES[kind])
        return kind, bytes(self.data[at + 5 : at + 5 + (size if limit is None else min(size, limit))]), length

    def shallow_sizes(self, nodes: Nodes) -> NDArray[np.int64]:
        """Bytes of each object itself."""
        return self.sizes.of(nodes)


def _by_class(positions: Positions, rows: Rows) -> list[Positions]:
    """The positions of each class; most often there is one class."""
    if not positions.size:
        return []
    if positions.size == 1 or (rows == rows[0]).all():
        return [positions]
    # Sorted, for there may be as many classes as objects.
    order = np.argsort(rows, kind="stable")
    changes = np.flatnonzero(rows[order][1:] != rows[order][:-1]) + 1
    return np.split(positions[order], changes)
