"""Random object graphs as dumps, with the plain graph that the oracles need."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mqdiag.graph import Heap
from tests.graph.opening import heap_of
from tests.oracles.graphs import Graph
from tests.writers import hprof_records as hprof
from tests.writers.hprof_records import OBJECT
from tests.writers.hprof_writer import DumpWriter

CLASSES = 4


@dataclass(slots=True)
class RandomHeap:
    """`heap` and the same as `graph` over its nodes, class objects included."""

    heap: Heap
    graph: Graph
    roots: list[int]
    sizes: list[int]
    rows: list[int]

    @property
    def count(self) -> int:
        return len(self.graph)


def random_heap(folder: Path, seed: int, most: int = 60) -> RandomHeap:
    """Instances, arrays, statics and threads with locals, wired at random; most of them reachable."""
    chance = random.Random(seed)
    dump = DumpWriter(id_size=chance.choice((4, 8)), segment_bytes=chance.choice((None, 100)))
    above = dump.java_class("java/lang/Object")
    kinds = [
        dump.java_class(f"app/C{i}", fields={"a": OBJECT, "b": OBJECT}, superclass=above)
        for i in range(CLASSES)
    ]
    arrays = dump.java_class("[Ljava/lang/Object;", superclass=above)
    ids = [
        dump.object_array(arrays, [0] * chance.randrange(6))
        if chance.random() < 0.3
        else dump.instance(chance.choice(kinds))
        for _ in range(chance.randrange(1, most))
    ]

    def any_id() -> int:
        return chance.choice((0, *ids, *ids, *ids, chance.choice(kinds).id, 0xDEAD_BEE8))

    edges: dict[int, list[int]] = {}
    for item in dump.items:
        if getattr(item, "java_class", None) is arrays:
            item.elements = [any_id() for _ in item.elements]
            edges[item.id] = list(item.elements)
        elif getattr(item, "java_class", None) in kinds:
            item.values = {name: any_id() for name in ("a", "b")}
            edges[item.id] = [int(value) for value in item.values.values()]
    for kind in kinds[:2]:
        kind.statics["S"] = (OBJECT, any_id())
    for kind in (above, arrays, *kinds):
        superclass = [kind.superclass.id] if kind.superclass else []
        edges[kind.id] = superclass + [int(value) for _, value in kind.statics.values()]
    for item in [item for item in dump.items if getattr(item, "java_class", None)]:
        edges[item.id].append(item.java_class.id)  # an instance keeps its class
    rooted = {chance.choice(ids) for _ in range(chance.randrange(1, 4))}
    for object_id in rooted:
        dump.root(hprof.JNI_GLOBAL, object_id)
    dump.root(hprof.STICKY_CLASS, kinds[0].id)
    for serial in range(chance.randrange(3)):
        thread = chance.choice(ids)
        dump.thread(thread, serial + 1)
        rooted.add(thread)
        for local in {chance.choice(ids) for _ in range(2)}:
            dump.local(local, serial + 1)
            edges[thread].append(local)
    chance.shuffle(dump.items)
    heap = heap_of(dump, folder)
    nodes = np.arange(heap.count, dtype=np.int32)
    place = {object_id: node for node, object_id in enumerate(heap.object_ids(nodes).tolist())}
    graph: Graph = [[] for _ in nodes]
    for object_id, targets in edges.items():
        graph[place[object_id]] = [place[target] for target in targets if target in place]
    roots = [place[object_id] for object_id in (*rooted, kinds[0].id)]
    return RandomHeap(heap, graph, roots, heap.shallow_sizes(nodes).tolist(), heap.class_index(nodes).tolist())
