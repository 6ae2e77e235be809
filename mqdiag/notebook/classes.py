"""Classes of a dump, looked up by name, and their instances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import UsageError
from mqdiag.facts.shown import PathStep
from mqdiag.graph import Heap
from mqdiag.graph.merged_paths import paths_to_all
from mqdiag.notebook.frames import instance_frame
from mqdiag.notebook.objects import JavaObject
from mqdiag.read.hprof.types import NAMES
from mqdiag.render.wording.safe import safe
from mqdiag.show.target import find_class

if TYPE_CHECKING:
    import pandas as pd


class JavaClass:
    """All classes of one name; several loaders may each have one. Instances of subclasses count when asked for."""

    __slots__ = ("_heap", "_rows", "name")

    def __init__(self, heap: Heap, name: str) -> None:
        self._heap = heap
        self._rows = heap.classes.indices_named(name)
        self.name = name

    def __repr__(self) -> str:
        return f"<class {safe(self.name)}, {self.instance_count:,} instances>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JavaClass) and (self._heap, self.name) == (other._heap, other.name)

    def __hash__(self) -> int:
        return hash((id(self._heap), self.name))

    # What it is

    @property
    def class_objects(self) -> list[JavaObject]:
        """Its class objects, one for each loader; their fields are the statics."""
        rows = set(self._rows)
        return [JavaObject(self._heap, node) for node, row in self._heap.class_of_node.items() if row in rows]

    @property
    def statics(self) -> Mapping[str, Any]:
        """Its own static fields, decoded; those of the first loader."""
        return next((mirror.fields for mirror in self.class_objects), {})

    @property
    def field_types(self) -> dict[str, str]:
        """Instance fields, inherited ones included: name to Java's primitive type or "reference"."""
        places = self._heap.classes.field_places(self._rows[0])
        return {name: NAMES.get(found[0][1], "reference") for name, found in places.items()}

    @property
    def superclasses(self) -> list[str]:
        """Names of its superclasses, upwards."""
        return [self._heap.classes.names[row] for row in self._heap.classes.ancestors(self._rows[0])[1:]]

    @property
    def subclasses(self) -> list[str]:
        """Names of all classes below it."""
        names = self._heap.classes.names
        return sorted({names[row] for row in self._heap.classes.subclasses(self._rows).tolist()} - {self.name})

    # Its instances

    def nodes(self, *, subclasses: bool = False, reachable: bool = False) -> NDArray[np.int32]:
        """Positions of its instances in the graph, ascending by address.

        Args:
            subclasses: with those of subclasses.
            reachable: only those that a GC root reaches.
        """
        found = self._heap.instances(self._rows, subclasses=subclasses)
        return found[self._heap.reachable(found)] if reachable else found

    def instances(self, *, subclasses: bool = False, reachable: bool = False) -> Iterator[JavaObject]:
        """Its instances, made one by one as they are asked for; arguments as in `nodes`."""
        for node in self.nodes(subclasses=subclasses, reachable=reachable):
            yield JavaObject(self._heap, int(node))

    @property
    def instance_count(self) -> int:
        """All of the file, reachable or not, as the JVM's own histogram counts them."""
        return int(self.nodes().size)

    @property
    def shallow_bytes(self) -> int:
        """Bytes of its instances themselves."""
        return int(self._heap.shallow_sizes(self.nodes()).sum())

    @property
    def retained_bytes(self) -> int:
        """Sum over the instances that no other instance dominates."""
        return int(self._heap.dominance.retained_together(self.nodes(reachable=True)).sum())

    def largest(self, limit: int = 10, *, subclasses: bool = False) -> list[JavaObject]:
        """The instances that retain most.

        Args:
            limit: how many.
            subclasses: with those of subclasses.
        """
        nodes = self.nodes(subclasses=subclasses)
        order = np.argsort(-self._heap.retained_sizes(nodes), kind="stable")[:limit]
        return [JavaObject(self._heap, node) for node in nodes[order].tolist()]

    def paths_to_roots(self, *, subclasses: bool = False) -> tuple[PathStep, ...]:
        """The shortest paths from GC roots to all reachable instances, merged by class and field.

        Args:
            subclasses: with instances of subclasses.
        """
        nodes = self.nodes(subclasses=subclasses, reachable=True)
        return paths_to_all(self._heap, nodes, self._heap.dominance.retained_together(nodes))

    def frame(self, *fields: str, subclasses: bool = False, reachable: bool = False) -> pd.DataFrame:
        """Its instances as a table, a row each; read as columns, not object by object.

        Args:
            fields: fields to read, "a.b.c" along references, "a.length" for an array's; all fields when none is named.
            subclasses: with instances of subclasses.
            reachable: only those that a GC root reaches.

        Returns:
            Index `object_id`; columns `shallow_bytes`, `retained_bytes`, `reachable` and the fields: numbers and
            truths (with a missing value where an instance has no such field), texts of strings and enum constants,
            values of boxes, and for other references the id of the object, 0 for null. With `subclasses` a column
            `class`.
        """
        nodes = self.nodes(subclasses=subclasses, reachable=reachable)
        return instance_frame(self._heap, nodes, fields or tuple(self.field_types), with_class=subclasses)


class Classes(Mapping[str, JavaClass]):
    """All classes by full name; a look-up takes the end of a name too, where that is clear."""

    def __init__(self, heap: Heap) -> None:
        self._heap = heap

    def __getitem__(self, name: str) -> JavaClass:
        try:
            return JavaClass(self._heap, find_class(self._heap, name))
        except UsageError as error:
            raise KeyError(str(error)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(set(self._heap.classes.names)))

    def __len__(self) -> int:
        return len(set(self._heap.classes.names))

    def __repr__(self) -> str:
        return f"<{len(self):,} classes>"

    def matching(self, part: str) -> list[JavaClass]:
        """Classes whose name holds a part, whatever the case, most instances first."""
        low = part.lower()
        found = [JavaClass(self._heap, name) for name in self if low in name.lower()]
        return sorted(found, key=lambda one: (-one.instance_count, one.name))
