"""Damaged dumps by the thousand, in a process of their own: `python -m tests.graph.hostile cuts|flips FILE ...`.

Every case must end in InputError or in a heap whose parts agree with each other. The process dies with the case's
name when a case hangs (faulthandler), wants too much memory (RLIMIT_AS), crashes, or raises anything else.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import resource
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import InputError
from mqdiag.graph import Heap, collections, open_heap
from mqdiag.graph.heap_limit import heap_limit
from mqdiag.graph.histogram import class_rows, quick_class_rows
from mqdiag.graph.jvm import jvm_name
from mqdiag.graph.suspects import suspects
from mqdiag.read.hprof.dump import read_dump
from mqdiag.read.hprof.records import big_endian
from mqdiag.read.source import open_source

HANG_SECONDS = 60
REFUSED, PARTIAL, WHOLE = "refused", "partial", "whole"


def examine(path: str) -> str:
    """Ask a dump everything that the graph can answer."""
    try:
        quick = read_dump(open_source(path))
        heap = open_heap(path)
    except InputError as error:
        return REFUSED if "\n" not in str(error) else "refused in several lines"
    quick_class_rows(quick)
    check(heap)
    some = np.arange(min(heap.count, 2000), dtype=np.int32)
    collections.items(heap, some)
    collections.map_entries(heap, some)
    heap.strings(some)
    heap.array_lengths(some)
    heap.retained_of_sets([some[::3], some[1::3]], some)
    for node in some[:: max(some.size // 20, 1)].tolist():
        heap.path_to_root(node)
        heap.classes.static_refs(int(heap.index.rows[node]))
    suspects(heap, lambda name: "x" in name)
    assert len(heap.threads) == len(heap.roots.thread_nodes)
    jvm_name(heap)
    heap_limit(heap, 0)
    assert heap.dump.complete == (heap.dump.problem is None)
    return WHOLE if heap.dump.complete else PARTIAL


def check(heap: Heap) -> None:
    """The parts of a graph agree with each other."""
    count, tree, edges = heap.count, heap.dominance, heap.references
    ids = heap.index.read_ids()
    assert (ids[1:] > ids[:-1]).all()
    assert ((heap.index.rows >= 0) & (heap.index.rows < heap.classes.count)).all()
    assert (ends(heap) <= heap.data.size).all()
    assert edges.starts.size == count + 1
    assert edges.starts[-1] == edges.edges.size
    assert (np.diff(edges.starts.astype(np.int64)) >= 0).all()
    assert ((edges.edges >= 0) & (edges.edges < count)).all()
    sizes = heap.shallow_sizes(np.arange(count, dtype=np.int32))
    assert (sizes >= 0).all()
    reached = tree.numbers > 0
    assert tree.count == reached.sum()
    assert tree.total_bytes == sizes[reached].sum()
    rows = class_rows(heap)
    assert sum(row.shallow_bytes for row in rows) == sizes.sum()
    assert all(0 <= (row.retained_bytes or 0) <= tree.total_bytes for row in rows)


def ends(heap: Heap) -> NDArray[np.int64]:
    """Where the sub-record of each instance and array ends."""
    data, id_size, at = heap.data, heap.header.id_size, heap.index.offsets
    tags = data[at]
    is_instance, is_array, is_plain = (tags == tag for tag in (0x21, 0x22, 0x23))
    length_at = at + 5 + id_size + id_size * is_instance
    # Behind an instance without fields at the end of a cut file nothing follows its length.
    lengths = big_endian(data, np.minimum(length_at, data.size - 4), 4).astype(np.int64)
    widths = np.array([0, 0, 0, 0, 1, 2, 4, 8, 1, 2, 4, 8])[
        np.minimum(data[np.minimum(length_at + 4, data.size - 1)], 11)
    ]
    size = np.where(is_instance, lengths, np.where(is_array, id_size * (lengths + 1), 1 + widths * lengths))
    found: NDArray[np.int64] = np.where(is_instance | is_array | is_plain, length_at + 4 + size, 0)
    return found


def cuts(data: bytes, number: int, _: random.Random) -> Iterator[tuple[str, bytes]]:
    """The file cut at `number` positions, evenly; all positions when the file is short enough."""
    step = max(len(data) // number, 1)
    for at in range(0, len(data), step):
        yield f"cut at {at}", data[:at]


def flips(data: bytes, number: int, chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """One to four bits turned; every fourth case sets whole bytes to extremes."""
    for case in range(number):
        damaged = bytearray(data)
        places = [chance.randrange(len(data)) for _ in range(chance.choice((1, 1, 2, 4)))]
        for at in places:
            damaged[at] = (
                chance.choice((0, 0x7F, 0xFF)) if case % 4 == 3 else damaged[at] ^ 1 << chance.randrange(8)
            )
        yield f"case {case}, bytes {places}", bytes(damaged)


def main() -> None:
    """Run cases and print how many ended how."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=["cuts", "flips"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--memory-mib", type=int, default=0, help="room beyond what a clean run took")
    parser.add_argument("--keep", type=Path, help="where to leave the case that is being run")
    given = parser.parse_args()
    data = given.file.read_bytes()
    faulthandler.enable()
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = given.keep or Path(folder, "damaged.hprof")
        path.write_bytes(data)
        assert examine(str(path)) == WHOLE
        clean = resident_mib()
        if given.memory_mib:
            taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            limit = taken + (given.memory_mib << 20)
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        kinds = {"cuts": cuts, "flips": flips}
        for name, damaged in kinds[given.kind](data, given.number, random.Random(given.seed)):
            path.write_bytes(damaged)
            faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
            try:
                outcome = examine(str(path))
            except BaseException:
                print(f"{given.file.name}: {name}", file=sys.stderr, flush=True)
                raise
            faulthandler.cancel_dump_traceback_later()
            assert given.kind != "cuts" or outcome != WHOLE, name
            outcomes[outcome] += 1
    assert resident_mib() <= 2 * clean + 100, (
        f"{clean} MiB for the clean file, {resident_mib()} MiB for a damaged one"
    )
    print(dict(outcomes))


def resident_mib() -> int:
    """The most memory this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


if __name__ == "__main__":
    os.environ.setdefault("PYTHONFAULTHANDLER", "1")
    main()
