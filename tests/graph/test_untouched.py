"""Bodies of primitive arrays are never read: counted in the pages that the mapping brought in, no clock involved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mqdiag.graph import open_heap
from mqdiag.graph.histogram import class_rows
from mqdiag.read.hprof.dump import read_dump
from mqdiag.read.source import open_source
from tests.layers import CHECK
from tests.writers import hprof_records as hprof

ARRAYS, LENGTH = 64, 64 << 20
READ_AHEAD = 1 << 20
"""what the system may bring in around one head"""


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """4 GiB of bodies that are holes in the file; a root holds each array."""
    encode = hprof.Encoder(8)
    path = tmp_path / "large.hprof"
    with path.open("wb") as file:
        file.write(hprof.header("1.0.2", 8, 0))
        for number in range(ARRAYS):
            object_id = 0x8000_0000 + 2 * number * LENGTH
            root = encode.root(hprof.JNI_GLOBAL, object_id)
            head = encode.primitive_array_dump(object_id, hprof.BYTE, b"", length=LENGTH)
            file.write(hprof.record(hprof.HEAP_DUMP_SEGMENT, root + head, length=len(root + head) + LENGTH))
            file.seek(LENGTH, 1)
        file.write(hprof.record(hprof.HEAP_DUMP_END, b""))
    return path


def touched(path: Path) -> int:
    """Bytes of the file that are in this process's memory."""
    found = 0
    for part in re.split(r"(?m)^(?=[0-9a-f]+-[0-9a-f]+ )", Path("/proc/self/smaps").read_text()):
        if str(path) in part:
            found += int(re.search(r"(?m)^Rss: +(\d+) kB", part)[1]) << 10  # type: ignore[index]
    return found


def test_the_whole_report_leaves_the_bodies_alone(large: Path) -> None:
    heap = open_heap(str(large))
    assert heap.dominance.total_bytes > ARRAYS * LENGTH
    class_rows(heap)
    assert 0 < touched(large) <= ARRAYS * READ_AHEAD


def test_counts_leave_the_bodies_alone(large: Path) -> None:
    dump = read_dump(open_source(str(large)))
    assert dump.elements.sum() == ARRAYS * LENGTH
    assert 0 < touched(large) <= ARRAYS * READ_AHEAD


@CHECK
def test_the_count_sees_a_body_that_is_read(large: Path) -> None:
    source = open_source(str(large))
    source.data[: 4 * ARRAYS * READ_AHEAD].sum()
    assert touched(large) > ARRAYS * READ_AHEAD
