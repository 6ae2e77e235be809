"""Accumulation points: the objects in which retained weight really sits.

The largest dominator is often a class loader, a class or a thread, which says nothing. From the roots the search goes
down to where the weight stops being in one child, and stops before a linked chain. What a class loader needs for itself
(its list of classes, the table of its packages) is passed through: weight under it belongs to the statics of classes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.heap import Heap

BIG_DROP = 0.7
"""a child that keeps this share of its parent's weight is where the weight is"""
FEW, NEARLY_ALL = 3, 0.8
"""so many children that keep this share together are each looked at"""
_LOADER_FIELDS = (
    "classes", "parallelLockMap", "packages", "package2certs", "classLoaderValueMap", "domains", "pdcache",
    "unnamedModule", "assertionLock", "classAssertionStatus",
)  # fmt: skip
"""fields of java.lang.ClassLoader and its subclasses in the JDK that the loading of classes needs"""
_MODULES = (
    "java.lang.Module",
    "java.lang.NamedPackage",
    "java.lang.module.",
    "jdk.internal.loader.",
    "jdk.internal.module.",
)


class Points:
    """Accumulation points of a heap.

    `places` are those found; `loose` the places below which much is spread over small objects that no single object
    but a class loader or the roots dominates.
    """

    def __init__(self, heap: Heap, least: int) -> None:
        self._heap = heap
        self._tree = heap.dominance
        self._least = least
        names = heap.classes.names
        self._loaders = self._subclasses("java.lang.ClassLoader")
        self._threads = self._subclasses("java.lang.Thread")
        self._modules = np.array([name.startswith(_MODULES) for name in names], bool)
        self._jdk = np.array(
            [name.startswith(("java.", "jdk.", "sun.")) or name.endswith("]") for name in names], bool
        )
        self.places: list[int] = []
        self.loose: list[int] = []

    def find(self, place: int = 0, *, inside: bool = False) -> Points:
        """Search at and below a place; below the virtual root where none is given.

        Args:
            place: where to begin.
            inside: `place` itself is no class loader: begin to go down from it.
        """
        waiting = [] if inside else [place]
        if inside:
            waiting += self._down(place)
        while waiting:
            at = waiting.pop()
            self.loose.append(at)
            _, large = self._tree.heavy_children(at, self._least)
            own = self._own_parts(at)
            for child in large.tolist():
                row = self._row(child)
                if self._threads[row] and at == 0:
                    continue
                if self._is_transparent(child) or self._node(child) in own or self._modules[row]:
                    waiting.append(child)
                else:
                    waiting += self._down(child)
        return self

    def _own_parts(self, place: int) -> set[int]:
        """What a class loader refers to for the loading of classes, and what is directly in that."""
        if place == 0:
            return set()
        node = self._node(place)
        heap, row = self._heap, self._row(place)
        if self._loaders[row]:
            one = np.array([node], np.int32)
            return {int(heap.refs(one, field)[0]) for field in _LOADER_FIELDS} - {-1}
        if not self._jdk[row] or node in heap.class_of_node:
            return set()
        # the array of a list of classes, the links of a table of packages
        return {
            at
            for at in heap.references.of(np.array([node], np.int32))[1].tolist()
            if self._jdk[heap.index.rows[at]]
        }

    def _down(self, place: int) -> list[int]:
        """Go down from an object; the class loaders and classes that were met, to be passed through."""
        passed: list[int] = []
        waiting = [place]
        while waiting:
            way = [waiting.pop()]
            while True:
                here = way[-1]
                if self._is_transparent(here):
                    passed.append(here)
                    break
                heaviest, large = self._tree.heavy_children(here, self._least)
                if not large.size:
                    self.places.append(here)
                    break
                if self._weight(heaviest) < BIG_DROP * self._weight(here):
                    few = self._few(here, large)
                    waiting += few
                    if not few:
                        self.places.append(here)
                    break
                if self._is_chain(way, heaviest):
                    self.places.append(self._before_chain(way, heaviest))
                    break
                way.append(heaviest)
        return passed

    def _few(self, here: int, large: NDArray[np.int32]) -> list[int]:
        """The two or three children that keep nearly all; none where it is spread."""
        weights = self._tree.retained(large)
        order = np.argsort(-weights, kind="stable")[:FEW]
        for count in range(2, order.size + 1):
            if weights[order[:count]].sum() >= NEARLY_ALL * self._weight(here):
                chosen: list[int] = large[order[:count]].tolist()
                return chosen
        return []

    def _is_transparent(self, place: int) -> bool:
        return bool(self._loaders[self._row(place)]) or self._node(place) in self._heap.class_of_node

    def _subclasses(self, name: str) -> NDArray[np.bool_]:
        heap = self._heap
        found = np.zeros(heap.classes.count, bool)
        found[heap.classes.subclasses(heap.classes.indices_named(name))] = True
        return found

    def _weight(self, place: int) -> int:
        return int(self._tree.retained(np.array([place], np.int32))[0])

    def _node(self, place: int) -> int:
        return int(self._tree.order[place])

    def _row(self, place: int) -> int:
        return int(self._heap.index.rows[self._tree.order[place]])

    def _is_chain(self, way: list[int], following: int) -> bool:
        """The same class three times on the way down: links of a list, whatever stands between them."""
        row = self._row(following)
        return sum(self._row(place) == row for place in way) >= 2

    def _before_chain(self, way: list[int], following: int) -> int:
        row = self._row(following)
        first = next(i for i, place in enumerate(way) if self._row(place) == row)
        return way[max(first - 1, 0)]
