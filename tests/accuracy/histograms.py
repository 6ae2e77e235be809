"""Instance counts and shallow bytes by class, against `jcmd GC.class_histogram` of the same quiet JVM."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mqdiag.graph import open_heap
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
    """RocketMQ's and the application's classes of one dump."""
    truth = json.loads((HEAPS / case / "truth.json").read_text())["histogram"]
    heap = open_heap(str(HEAPS / case / "dump.hprof.gz"))
    ours = {row.name: row for row in class_rows(heap)}
    assert int(np.sum([row.instances for row in ours.values()])) == heap.count
    wrong_counts, wrong_bytes = {}, {}
    for name, jvm in truth.items():
        row = ours.get(name)
        count = row.instances if row else 0
        if count != jvm["instances"]:
            wrong_counts[name] = (count, jvm["instances"])
        elif row and row.shallow_bytes != jvm["bytes"]:
            wrong_bytes[name] = (row.shallow_bytes, jvm["bytes"])
    return Comparison(case, heap.sizes.source, len(truth), wrong_counts, wrong_bytes)
