"""Shallow bytes of every class, the JDK's too, against the JVM's whole histogram beside a dump.

The JDK's classes live on between the dump and the count, so only those with as many instances in both compare.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from pathlib import Path

from mqdiag.graph import Heap
from mqdiag.graph.histogram import class_rows
from tests.accuracy.histograms import HEAPS

_LINE = re.compile(r"^\s*\d+:\s+(\d+)\s+(\d+)\s+(\S+)", re.MULTILINE)
_PRIMITIVES = dict(
    zip("ZCFDBSIJ", ["boolean", "char", "float", "double", "byte", "short", "int", "long"], strict=True)
)


@dataclass(frozen=True, slots=True)
class Whole:
    """`equal` of `classes` have the JVM's bytes; `wrong`: (instances, our bytes, the JVM's) by name."""

    classes: int
    wrong: dict[str, tuple[int, int, int]]

    @property
    def equal(self) -> int:
        """Classes with the JVM's bytes."""
        return self.classes - len(self.wrong)


def compare_whole(case: str | Path, heap: Heap) -> Whole | None:
    """None where there is no histogram."""
    found = _text(HEAPS / case)
    if found is None:
        return None
    theirs: dict[str, tuple[int, int]] = {}
    for instances, size, name in _LINE.findall(found):
        if "/0x" not in name:  # hidden classes are named by address, which changes
            known = theirs.get(_java_name(name), (0, 0))
            theirs[_java_name(name)] = (known[0] + int(instances), known[1] + int(size))
    ours: dict[str, tuple[int, int]] = {}
    for row in class_rows(heap):
        before = ours.get(row.name, (0, 0))
        ours[row.name] = (before[0] + row.instances, before[1] + row.shallow_bytes)
    same = [name for name, (count, _) in theirs.items() if ours.get(name, (0, 0))[0] == count]
    wrong = {name: (*ours[name], theirs[name][1]) for name in same if ours[name][1] != theirs[name][1]}
    return Whole(len(same), wrong)


def _text(folder: Path) -> str | None:
    plain, packed = folder / "histogram.txt", folder / "histogram.txt.gz"
    if plain.exists():
        return plain.read_text()
    return gzip.decompress(packed.read_bytes()).decode() if packed.exists() else None


def _java_name(name: str) -> str:
    dimensions = len(name) - len(name.lstrip("["))
    if not dimensions:
        return name
    element = name[dimensions:]
    return _PRIMITIVES.get(element, element.removeprefix("L").removesuffix(";")) + "[]" * dimensions
