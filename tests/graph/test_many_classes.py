"""Dumps of more classes than two bytes can number: lambdas and generated proxies make that many."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.graph import index
from mqdiag.report_json import encoded
from tests.graph.opening import dump_of, heap_of
from tests.layers import CHECK
from tests.writers import hprof_records as hprof
from tests.writers.hprof_writer import DumpWriter

SAMPLE = Path(__file__).parents[2] / "fixtures/heap/stuck-one-5.3.3/dump.hprof.gz"


def classes(count: int) -> tuple[DumpWriter, list[int]]:
    """Some classes, and an instance of each of the last three."""
    dump = DumpWriter()
    made = [dump.java_class(f"app/Lambda${number}") for number in range(count)]
    ids = [dump.instance(java_class) for java_class in made[-3:]]
    for each in ids:
        dump.root(hprof.JNI_GLOBAL, each)
    return dump, ids


@CHECK  # 131,000 classes are written
def test_the_last_class_that_two_bytes_can_number_and_the_next(tmp_path: Path) -> None:
    others = dump_of(classes(3)[0], tmp_path).classes.count - 3
    for count, kind in ((1 << 16, np.uint16), ((1 << 16) + 1, np.int32)):
        dump, ids = classes(count - others)
        heap = heap_of(dump, tmp_path)
        assert heap.classes.count == count
        assert heap.index.rows.dtype == kind
        named = [heap.class_name(heap.node(each)) for each in ids]
        assert named == [f"app.Lambda${count - others - back}" for back in (3, 2, 1)]


@CHECK  # kernels for the other kind are compiled
def test_a_report_is_the_same_with_rows_of_either_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = diagnose_heap(SAMPLE).report
    monkeypatch.setattr(index, "_SMALL_ROWS", 0)
    wide = diagnose_heap(SAMPLE).report
    assert msgspec.to_builtins(wide, enc_hook=encoded) == msgspec.to_builtins(narrow, enc_hook=encoded)
