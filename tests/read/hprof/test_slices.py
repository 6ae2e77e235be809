"""How often the walk goes from Python into machine code: by slices of the file, however many segments it has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mqdiag.read.hprof import walk
from tests.graph.opening import counts, dump_of
from tests.writers import hprof_records as hprof
from tests.writers.hprof_writer import DumpWriter

OBJECTS = 600


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of segments of each call of the kernel."""
    taken: list[int] = []
    original = walk.kernel.walk_segments

    def counted(data: Any, segments: Any, *others: Any) -> Any:
        taken.append(segments.starts.size)
        return original(data, segments, *others)

    monkeypatch.setattr(walk.kernel, "walk_segments", counted)
    return taken


def in_segments() -> DumpWriter:
    """One object, or the class, in each segment."""
    dump = DumpWriter(segment_bytes=1)
    kind = dump.java_class("app/A")
    for _ in range(OBJECTS):
        dump.root(hprof.JNI_GLOBAL, dump.instance(kind))
    return dump


def test_all_segments_of_a_slice_are_one_call(tmp_path: Path, calls: list[int]) -> None:
    dump = dump_of(in_segments(), tmp_path)
    assert counts(dump)["app.A"] == OBJECTS
    assert len(calls) == 1
    assert calls[0] > 2 * OBJECTS


def test_what_cannot_be_read_costs_one_more_call_each(tmp_path: Path, calls: list[int]) -> None:
    written = in_segments()
    spoiled = bytearray(written.to_bytes())
    segments = written.segments()
    at = len(spoiled) - len(hprof.record(hprof.HEAP_DUMP_END, b""))
    broken = 0
    for segment in reversed(segments):
        at -= len(segment)
        if segment[0] == 0x21 and broken < 3:
            spoiled[at] = 0x77
            broken += 1
        at -= 9
    dump = dump_of(bytes(spoiled), tmp_path)
    assert not dump.complete
    assert counts(dump)["app.A"] == OBJECTS - 3
    assert calls.count(len(segments)) == 4  # the others try whether a segment can be mended
