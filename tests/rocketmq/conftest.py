"""Real dumps of the fixtures with the truth that their rig wrote beside them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from mqdiag.graph import Heap, open_heap
from mqdiag.rocketmq.view import RocketMQView, rocketmq_facts

DUMPS = Path(__file__).parents[2] / "fixtures" / "heap"


@dataclass(frozen=True)
class Case:
    name: str
    heap: Heap
    view: RocketMQView
    truth: dict[str, Any]


def case_names() -> list[str]:
    return sorted(path.parent.name for path in DUMPS.glob("*/truth.json"))


@cache
def case(name: str) -> Case:
    folder = DUMPS / name
    truth = json.loads((folder / "truth.json").read_text())
    heap = open_heap(str(folder / "dump.hprof.gz"))
    return Case(name=name, heap=heap, view=rocketmq_facts(heap), truth=truth)
