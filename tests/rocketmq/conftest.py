"""Real dumps of the fixtures with the truth that their rig wrote beside them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mqdiag.graph import Heap, open_heap
from mqdiag.graph.threads import ThreadRecord
from mqdiag.read.hprof.header import Header
from mqdiag.rocketmq.view import RocketMQView, rocketmq_facts

DUMPS = Path(__file__).parents[2] / "fixtures" / "heap"


@dataclass(frozen=True)
class Case:
    name: str
    header: Header
    threads: list[ThreadRecord]
    view: RocketMQView
    truth: dict[str, Any]


def case_names() -> list[str]:
    return sorted(path.parent.name for path in DUMPS.glob("*/truth.json"))


def heap_of(name: str) -> Heap:
    return open_heap(str(DUMPS / name / "dump.hprof.gz"))


@cache
def case(name: str) -> Case:
    """Without its heap: those of all dumps together are half a gigabyte."""
    heap, truth = heap_of(name), json.loads((DUMPS / name / "truth.json").read_text())
    return Case(name, heap.header, heap.threads, rocketmq_facts(heap), truth)
