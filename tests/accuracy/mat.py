"""Retained sizes by Eclipse MAT, from an installation: MAT is on no registry."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph import Heap
from tests.accuracy.edges import LOADER, SUPER, dominance_of, edges_of, retained_of
from tests.accuracy.retained import Reading, reading

_QUERY = "SELECT s.@objectAddress, s.@usedHeapSize, s.@retainedHeapSize FROM INSTANCEOF java.lang.Object s"
_PREFERENCE = "org.eclipse.mat.hprof/hprofAddClassRefs=true\n"


def read(heap: Heap, dump: Path, installation: Path, additional_class_references: bool) -> Reading:
    """Export every reachable object.

    Args:
        heap: the same dump in our graph.
        dump: an inflated dump; MAT's index files stay in a folder of their own.
        installation: the folder with ParseHeapDump.sh.
        additional_class_references: the preference "Additional references for classes", off as MAT comes.
    """
    with tempfile.TemporaryDirectory() as folder:
        linked = Path(folder) / "dump.hprof"
        linked.symlink_to(dump)
        options = [f'-command=oql "{_QUERY}"', "-limit=2000000000", "-format=csv", "-unzip"]
        if additional_class_references:
            preferences = Path(folder) / "preferences.ini"
            preferences.write_text(_PREFERENCE)
            options = ["-pluginCustomization", str(preferences), *options]
        command = [str(installation / "ParseHeapDump.sh"), str(linked), *options, "org.eclipse.mat.api:query"]
        subprocess.run(command, capture_output=True, check=True)
        (table,) = Path(folder).glob("dump_Query/pages/*.csv")
        columns = np.loadtxt(table, np.int64, delimiter=",", skiprows=1, usecols=(0, 1, 2), ndmin=2).T
    return reading(heap, columns[0].astype(np.uint64), columns[1], columns[2])


def retained_by_its_rules(heap: Heap, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Ours without the references from a class object to its protection domain and signers."""
    edges = edges_of(heap, (SUPER, LOADER), locals_of_threads=True)
    return retained_of(dominance_of(heap, edges, heap.class_nodes, heap.roots.nodes, sizes))
