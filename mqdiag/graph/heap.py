"""One dump as a graph of objects with everything that is computed from it: the door for all who read heaps."""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from mqdiag.cache.folder import CacheFolder
from mqdiag.errors import InputError
from mqdiag.graph import strings
from mqdiag.graph.class_sums import ClassSums, count_and_size, retained_of_groups
from mqdiag.graph.dominance import Dominance, build_dominance
from mqdiag.graph.graph_cache import Computed, GraphCache
from mqdiag.graph.index import ObjectIndex, build_index
from mqdiag.graph.kernels.graph_arrays import GraphArrays
from mqdiag.graph.memory_need import memory_need
from mqdiag.graph.object_graph import Nodes, ObjectGraph
from mqdiag.graph.paths import PathSearch, referrers, steps_of
from mqdiag.graph.set_retained import retained_of_sets
from mqdiag.graph.shallow import SizeModel, learn_sizes
from mqdiag.graph.threads import ThreadRecord, read_threads
from mqdiag.progress import Progress, when_answered
from mqdiag.read.hprof.dump import Dump, read_objects
from mqdiag.read.source import Source
from mqdiag.text import say

__all__ = ["Heap", "Nodes"]


class Heap(ObjectGraph):
    """The graph of one dump, with texts, threads, dominators and paths.

    What `ObjectGraph` offers is cheap, and so are texts. `dominance` takes a pass over all objects and references when
    it is first asked for and is kept; `reachable`, `retained_sizes`, `retained_of_sets`, `referrers` and the paths need
    it. `retained_of_sets` and `referrers` take a pass of their own at each call, so ask them for many nodes at once. A
    path takes as much of one search from the roots as it needs; `shortest_paths` takes all of it.

    No call changes what another one answers, nor how long it takes, but for what is kept.
    """

    stays_open = False
    """whether somebody may ask for hours: then memory that only the search for dominators needed goes back to the
    system, which a report would use again"""
    _is_finished = False

    def finish(self) -> None:
        """To be called when everything was asked: keeps what was computed for later runs, and closes the cache.

        Where a command shows an answer first (`answer_first`), the graph of the only dump of a file is kept after it.

        Raises:
            InputError: somebody has written to the file meanwhile.
        """
        try:
            self.dump.source.refuse_changed()
        except InputError:
            self._kept.close()
            raise
        self._is_finished = True
        if self.dump.further_dumps:
            self._keep()  # the memory is for the next one
        else:
            when_answered(self._keep)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Close the cache, in which an unfinished heap keeps nothing."""
        if not self._is_finished:
            self._kept.close()

    def _keep(self) -> None:
        try:
            if self._kept.takes and self.problem is None and not self.dump.repaired:
                self._keep_computed()
        finally:
            self._kept.close()

    def _keep_computed(self) -> None:
        tree: Dominance | None = self.__dict__.get("dominance")
        search: PathSearch | None = self.__dict__.get("_path_search")
        self._kept.keep(
            Computed(
                dump=self.dump,
                index=self.index,
                sizes=self.sizes,
                references=lambda: self.references,
                dominance=tree,
                ways=None if search is None else search.ways,
                class_sums=lambda: ClassSums(*self.class_sizes, self.class_retained),
            )
        )

    @cached_property
    def threads(self) -> list[ThreadRecord]:
        """All threads with stacks and locals."""
        return read_threads(self)

    # Texts

    def strings(self, nodes: Nodes) -> list[str | None]:
        """Texts of java.lang.String nodes; None where there is none."""
        return strings.decode(self, nodes)

    def utf8(self, nodes: Nodes) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.uint8]]:
        """Texts of many strings in one array of bytes; see `graph/strings.py`."""
        return strings.utf8(self, nodes)

    def string(self, node: int) -> str | None:
        """Text of one java.lang.String."""
        return strings.text(self, node)

    def strings_equal(self, nodes: Nodes, text: str) -> NDArray[np.bool_]:
        """Which strings are exactly this ASCII text."""
        return strings.equal(self, nodes, text)

    def decimal_strings(self, nodes: Nodes) -> NDArray[np.int64]:
        """Values of strings of digits; MISSING for anything else."""
        return strings.decimals(self, nodes)

    # Dominators

    @cached_property
    def dominance(self) -> Dominance:
        """Reachability, dominators, retained sizes."""
        found = self._kept.dominance(self.count, self.sizes.alignment)
        if found is not None:
            return found
        if self._kept.is_whole:
            _make_room(self.dump, self._progress)
        tree = build_dominance(
            self.index,
            self.references,
            self.class_nodes,
            self.roots,
            self.sizes,
            self.dump.room,
            self._progress,
        )
        if self.stays_open:
            self.dump.room.give_back()
        return tree

    @cached_property
    def class_sizes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(objects, their shallow bytes) of each class of the dump, int64[class rows]."""
        if self._kept_sums is not None:
            return self._kept_sums.instances, self._kept_sums.shallow_bytes
        return count_and_size(self.index, self.sizes, self.classes.count)

    @cached_property
    def class_retained(self) -> NDArray[np.int64]:
        """Bytes that are freed with all objects of each class, int64[class rows]."""
        if self._kept_sums is not None:
            return self._kept_sums.retained_bytes
        each = np.arange(self.classes.count, dtype=np.int32)
        return retained_of_groups(self.index, self.dominance, each, self.classes.count)

    @cached_property
    def _kept_sums(self) -> ClassSums | None:
        return self._kept.class_sums(self.classes.count)

    @property
    def arrays(self) -> GraphArrays:
        """The graph as one argument of a kernel."""
        return GraphArrays(
            data=self.data,
            id_size=self.header.id_size,
            offsets=self.index.offsets,
            rows=self.index.rows,
            starts=self.references.starts,
            edges=self.references.edges,
            numbers=self.dominance.numbers,
            units=self.sizes.units,
        )

    def reachable(self, nodes: Nodes) -> NDArray[np.bool_]:
        """Which nodes a GC root reaches."""
        return np.where(nodes >= 0, self.dominance.numbers[nodes] > 0, False)

    def retained_sizes(self, nodes: Nodes) -> NDArray[np.int64]:
        """Retained bytes: what the collector would free if the object went; 0 for unreachable ones."""
        numbers = self.dominance.numbers[nodes]
        return np.where(numbers > 0, self.dominance.retained(numbers), 0)

    def dominators(self, nodes: Nodes) -> Nodes:
        """Immediate dominators; -1 for what GC roots hold directly, for unreachable objects and for -1."""
        tree = self.dominance
        places = np.where(nodes >= 0, tree.dominator[tree.numbers[nodes]], 0)
        return np.where(places > 0, tree.order[places], -1).astype(np.int32)

    def retained_of_sets(
        self, sets: list[Nodes], ignore_frames_of: Nodes | None = None
    ) -> list[tuple[int, int]]:
        """(objects, bytes) that each set retains as a whole, exactly; see `graph/set_retained.py`."""
        return retained_of_sets(self, self.dominance.numbers, sets, ignore_frames_of)

    # Ways from the roots

    def referrers(self, nodes: Nodes) -> tuple[NDArray[np.int64], Nodes]:
        """(position in `nodes`, referrer) over all reachable objects that refer to one of the nodes."""
        return referrers(self, self.dominance.numbers, nodes)

    @cached_property
    def _path_search(self) -> PathSearch:
        return PathSearch(self, self._kept.ways(self.count, self.roots.nodes))

    def path_nodes(self, node: int) -> list[int]:
        """Nodes of the shortest path without weak references, the root first; empty for an unreachable object."""
        if node < 0 or self.dominance.numbers[node] == 0:
            return []
        return self._path_search.path(node)

    def path_to_root(self, node: int) -> list[str]:
        """The same path in words, a line a step."""
        return steps_of(self, self.path_nodes(node))

    @property
    def shortest_paths(self) -> Nodes:
        """int32[n]: for each object its holder on the shortest way from a root; see `graph/paths.py`."""
        return self._path_search.complete()

    @cached_property
    def path_lengths(self) -> NDArray[np.int32]:
        """int32[n]: references on that way; 0 for a root, -1 for an unreachable object."""
        return self._path_search.lengths()


def read_heap(
    source: Source,
    name: str,
    progress: Progress,
    number: int = 0,
    memory_bytes: int | None = None,
    cache: CacheFolder | None = None,
) -> Heap:
    """Read a dump and build its graph.

    Args:
        source: the opened file.
        name: what the user called it.
        progress: who listens.
        number: of the dump in a file that holds several; the first is 0.
        memory_bytes: what the arrays of the graph may take; None for most of what is free.
        cache: where earlier runs have kept what they computed; None keeps and finds nothing.

    Raises:
        InputError: it is no heap dump, not one object of it can be read, it has too many for the graph, or neither
            memory nor disk has room for the graph.
    """

    def indexed() -> tuple[Dump, ObjectIndex, SizeModel]:
        return _indexed(source, name, progress, number, memory_bytes)

    kept = GraphCache(source, number, cache, progress)
    dump = kept.dump(memory_bytes)
    objects = None if dump is None else kept.objects(dump, lambda: indexed()[1:])
    if dump is not None and objects is not None:
        return Heap(dump, *objects, kept, progress)
    heap = Heap(*indexed(), kept, progress)
    # Here, not when they are first asked for: a graph that is too large is refused before anything is computed.
    _ = heap.references
    return heap


def _indexed(
    source: Source, name: str, progress: Progress, number: int, memory_bytes: int | None
) -> tuple[Dump, ObjectIndex, SizeModel]:
    """Places in file order, and the ids, are let go of when this returns."""
    dump, parts = read_objects(source, progress, number, memory_bytes)
    refuse_empty(dump, name)
    _make_room(dump, progress)
    progress.phase(say("indexing objects"))
    index, ids = build_index(dump, parts)
    del parts
    sizes = learn_sizes(dump, index, ids[: index.count])
    return dump, index, sizes


def _make_room(dump: Dump, progress: Progress) -> None:
    """Decide which arrays go to files, and tell.

    Raises:
        InputError: neither memory nor disk has room for the graph.
    """
    need = memory_need(dump)
    if dump.room.allow(need.total, need.in_order, need.any_order):
        progress.note(
            say(
                "the graph takes {needed:bytes}, more than the {memory:bytes} of memory that it may take: a part of it"
                " goes to temporary files in {folder}, and the run takes longer",
                needed=need.total,
                memory=dump.room.memory_bytes or 0,
                folder=dump.room.folder,
            )
        )


def refuse_empty(dump: Dump, name: str) -> None:
    """Refuse a dump of which not one object can be read.

    Raises:
        InputError: it is such a one.
    """
    if not dump.counts.any():
        raise InputError(
            name,
            say("no object could be read: {problem}", problem=dump.problem or say("the heap record is empty")),
            hint=say("compare the file's size with the original and copy it again"),
            offset=dump.stopped_at,
        )
