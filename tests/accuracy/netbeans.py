"""Retained sizes by the NetBeans heap library (VisualVM's), which Maven brings from its registry; needs a JDK 17."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from mqdiag.graph import Heap
from tests.accuracy.retained import Reading, reading

RIG = Path(__file__).parents[2] / "fixtures" / "rig"


def read(heap: Heap, dump: Path) -> Reading:
    """Run the library on an inflated dump; it leaves a cache folder beside it."""
    sys.path.insert(0, str(RIG))
    from rigging import tools  # type: ignore[import-not-found]
    from rigging.builds import build  # type: ignore[import-not-found]

    command = [tools.jdk(17).tool("java"), "-Xmx2g", "-cp", f"{build('oracle')}/*"]
    done = subprocess.run(
        [*command, "org.mqdiag.rig.oracle.Retained", str(dump)], capture_output=True, text=True, check=True
    )
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    ids = np.array([int(row[0]) for row in rows], np.uint64)
    sizes, retained = (np.array([int(row[column]) for row in rows], np.int64) for column in (1, 2))
    found = reading(heap, ids, sizes, retained)
    found.retained[found.retained == 0] = -1
    # Of class objects the library has a size, but its retained sizes leave them out.
    found.known[list(heap.class_of_node)] = False
    return found
