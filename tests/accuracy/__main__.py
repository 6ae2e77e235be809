"""Compares, writes the figures into docs/measurements, and fails on any difference that no rule explains.

make accuracy               against the JVM's histograms and the NetBeans heap library (Java 17, Maven)
make accuracy MAT=/opt/mat  with Eclipse MAT besides; without it MAT's figures stay as they are
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph import Heap, open_heap
from tests.accuracy import mat, netbeans, netbeans_rules
from tests.accuracy.histograms import HEAPS, cases, compare
from tests.accuracy.page import fill, table
from tests.accuracy.public import section as public
from tests.accuracy.retained import LARGEST, Reading, agreement, largest, with_sizes
from tests.accuracy.whole_histogram import compare_whole
from tests.commit import commit
from tests.threads import accuracy as threads

READ_BY_OTHERS = (
    "healthy-busy-4.9.8",
    "healthy-busy-4.9.8-no-compressed-oops",
    "healthy-busy-4.3.2-not-live",
    "healthy-busy-4.3.2-zgc",
    "healthy-busy-4.3.2-compact-headers",
    "healthy-busy-5.3.3",
    "oversized-oom-4.3.2",
    "stuck-one-5.3.3",
)

ONE_BY_ONE = ("healthy-busy-4.9.8", "healthy-busy-4.3.2-zgc", "oversized-oom-4.3.2")


def main() -> int:
    parser = argparse.ArgumentParser(prog="make accuracy")
    parser.add_argument("--mat", type=Path, help="folder of an Eclipse MAT installation")
    options = parser.parse_args()
    unexplained = histograms() + by_netbeans()
    if options.mat:
        unexplained += by_mat(options.mat.resolve())
    fill("threads", threads.section())
    by = " and Eclipse MAT" if options.mat else ""
    fill("accuracy-run", f"Last run: {datetime.now(UTC):%d %B %Y}, commit {commit()}, with NetBeans{by}.")
    for name, body in public.parts(public.results()).items():
        fill(name, body)
    print(
        f"wrote docs/measurements; differences that nothing explains: {len(unexplained)}",
        *unexplained,
        sep="\n",
    )
    return 1 if unexplained else 0


def histograms() -> list[str]:
    """Counts and shallow sizes against the JVM's."""
    rows, wrong = [], []
    for case in cases():
        found, whole = compare(case), compare_whole(case, open_heap(str(HEAPS / case / "dump.hprof.gz")))
        assert whole is not None
        right = found.classes - len(found.wrong_counts) - len(found.wrong_bytes)
        rows.append((case, f"{right:,} of {found.classes:,}", f"{whole.equal:,} of {whole.classes:,}"))
        wrong += [(case, name, *figures) for name, figures in whole.wrong.items()]
    body = table(("dump", "RocketMQ's and the application's classes", "all classes of equal count"), rows)
    if wrong:
        body += "\n\nThose that differ:\n\n" + table(
            ("dump", "class", "instances", "bytes", "the JVM's bytes"), wrong
        )
    fill("histograms", body)
    return []  # tests/accuracy/test_histograms.py holds each of them


def by_netbeans() -> list[str]:
    """All objects against the NetBeans library, by our rules and by its own; the largest of some dumps one by one."""
    rows, objects, unexplained = [], [], []
    for case, dump, heap in _dumps():
        theirs = netbeans.read(heap, dump)
        steps = netbeans_rules.steps(heap, theirs.sizes)
        ours, replayed = agreement(steps["ours"], theirs), agreement(steps["trees"], theirs)
        figures = (ours.largest, int(ours.differing.size), replayed.largest, int(replayed.differing.size))
        rows.append((case, ours.compared, *figures))
        unexplained += [] if replayed.whole else [f"NetBeans, {case}"]
        if case in ONE_BY_ONE:
            objects.append(f"{case}:\n\n{_objects(heap, theirs, steps)}")
    head = ("dump", "objects", f"equal of its {LARGEST} largest", "objects that differ")
    by_rules = (f"equal of its {LARGEST} largest by its rules", "objects that differ by its rules")
    fill("netbeans", table((*head, *by_rules), rows))
    fill("netbeans-objects", "\n\n".join(objects))
    return unexplained


def _objects(heap: Heap, theirs: Reading, steps: dict[str, NDArray[np.int64]]) -> str:
    """Each of the library's largest objects that differ, and what each rule changes."""
    names = list(steps)
    rows: list[tuple[object, ...]] = []
    for node in largest(theirs):
        values = [int(steps[name][node]) for name in names]
        if values[0] != theirs.retained[node]:
            changes = [f"{after - before:+,}" if after != before else "" for before, after in pairwise(values)]
            name = f"`{heap.class_name(int(node))}` 0x{heap.object_id(int(node)):x}"
            rows.append((name, values[0], *changes, int(theirs.retained[node])))
    rules = [f"rule {i}" for i in range(1, len(names))]
    return table(("object", "ours with its shallow sizes", *rules, "NetBeans"), rows)


def by_mat(installation: Path) -> list[str]:
    """All objects against Eclipse MAT, with its additional class references and as it comes."""
    rows, unexplained = [], []
    for case, dump, heap in _dumps():
        theirs = mat.read(heap, dump, installation, additional_class_references=True)
        same = agreement(with_sizes(heap, theirs.sizes), theirs)
        theirs = mat.read(heap, dump, installation, additional_class_references=False)
        plain = agreement(with_sizes(heap, theirs.sizes), theirs)
        replayed = agreement(mat.retained_by_its_rules(heap, theirs.sizes), theirs)
        figures = (same.largest, int(same.differing.size), plain.largest, int(plain.differing.size))
        rows.append((case, same.compared, *figures, int(replayed.differing.size)))
        explained = same.whole and replayed.whole and not plain.reached_by_one
        unexplained += [] if explained else [f"MAT, {case}"]
    head = ("dump", "objects that both reach", f"equal of its {LARGEST} largest", "objects that differ")
    as_it_comes = ("as it comes: equal of the largest", "objects that differ", "of them unexplained")
    fill("mat", table((*head, *as_it_comes), rows))
    return unexplained


def _dumps() -> Iterator[tuple[str, Path, Heap]]:
    for case in READ_BY_OTHERS:
        with _inflated(HEAPS / case / "dump.hprof.gz") as dump:
            print(case, file=sys.stderr)
            yield case, dump, open_heap(str(dump))


@contextmanager
def _inflated(packed: Path) -> Iterator[Path]:
    """The other readers open plain files only, or leave theirs beside the dump."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "dump.hprof"
        with gzip.open(packed) as source, plain.open("wb") as target:
            shutil.copyfileobj(source, target)
        yield plain


if __name__ == "__main__":
    sys.exit(main())
