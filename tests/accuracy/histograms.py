"""Instance counts and shallow bytes by class, against `jcmd GC.class_histogram` of the same quiet JVM."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mqdiag.graph import Heap, open_heap
from mqdiag.graph.histogram import class_rows

HEAPS = Path(__file__).parents[2] / "fixtures" / "heap"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One dump: classes compared, those that differ in count, those of equal count that differ in bytes."""

    case: str
    source: str
    classes: int
    wrong_counts: dict[str, tuple[int, int]]
    wrong_bytes: dict[str, tuple[int, int]]


def cases() -> list[str]:
    """Cases whose JVM gave a histogram; after an OutOfMemoryError there is none."""
    truths = sorted(HEAPS.glob("*/truth.json"))
    return [truth.parent.name for truth in truths if json.loads(truth.read_text()).get("histogram")]


def compare(case: str) -> Comparison:
    """RocketMQ's and the application's classes of one dump.

    The JVM collects before it counts, so of a dump taken without a collection only the reachable objects compare.
    """
    truth = json.loads((HEAPS / case / "truth.json").read_text())
    heap = open_heap(str(HEAPS / case / "dump.hprof.gz"))
    rows = {row.name: (row.instances, row.shallow_bytes) for row in class_rows(heap)}
    assert sum(count for count, _ in rows.values()) == heap.count
    ours = rows if truth["dump"]["live"] else _reachable(heap)
    wrong_counts, wrong_bytes = {}, {}
    for name, jvm in truth["histogram"].items():
        count, shallow = ours.get(name, (0, 0))
        if count != jvm["instances"]:
            wrong_counts[name] = (count, jvm["instances"])
        elif shallow != jvm["bytes"]:
            wrong_bytes[name] = (shallow, jvm["bytes"])
    return Comparison(case, heap.sizes.source, len(truth["histogram"]), wrong_counts, wrong_bytes)


def _reachable(heap: Heap) -> dict[str, tuple[int, int]]:
    """(instances, shallow bytes) of the reachable objects by class name."""
    nodes = np.flatnonzero(heap.dominance.numbers > 0).astype(np.int32)
    sizes, rows = heap.shallow_sizes(nodes), heap.class_index(nodes)
    found: dict[str, tuple[int, int]] = {}
    for row in np.unique(rows).tolist():
        count, shallow = found.get(heap.classes.names[row], (0, 0))
        inside = rows == row
        found[heap.classes.names[row]] = (count + int(inside.sum()), shallow + int(sizes[inside].sum()))
    return found
