"""How often the dump is read, and what is neither read nor written: counted, for time depends on the machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mqdiag.progress import Silent
from mqdiag.read.hprof.block_index import LARGE_BYTES
from mqdiag.redact.redact_dump import redact_dump
from mqdiag.text import Text
from tests.layers import one_in_each_run
from tests.redact.canary_dump import KEPT, CanaryDump, canary_dump
from tests.redact.compare import differences
from tests.writers.hprof_records import BYTE, OBJECT, STICKY_CLASS
from tests.writers.hprof_writer import DumpWriter, JavaClass
from tests.writers.java_objects import JavaObjects

ONCE = ["reading records", "indexing objects", "looking for names", "redacting"]


class Phases(Silent):
    """Remembers the phases."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def phase(self, name: Text) -> None:
        """One more."""
        self.names.append(name.template)


def phases_of(made: CanaryDump, folder: Path) -> list[str]:
    """What redacting it takes; its texts must be gone."""
    phases = Phases()
    made.dump.write(folder / "original.hprof")
    redact_dump(folder / "original.hprof", folder / "shared.hprof", progress=phases)
    data = (folder / "shared.hprof").read_bytes()
    assert made.leaked(data) == []
    assert [name for name in KEPT if name.encode() not in data] == []
    return phases.names


@pytest.mark.parametrize("segment_bytes", [None, 2000])
def test_objects_are_indexed_once_when_classes_stand_first(segment_bytes: int | None, tmp_path: Path) -> None:
    made = canary_dump(segment_bytes=segment_bytes)
    made.dump.items.sort(key=lambda item: not isinstance(item, JavaClass))
    assert phases_of(made, tmp_path) == ONCE


def test_objects_are_indexed_again_when_a_class_that_is_asked_for_stands_behind_them(tmp_path: Path) -> None:
    made = canary_dump(segment_bytes=2000)
    made.dump.items.sort(key=lambda item: isinstance(item, JavaClass))
    assert phases_of(made, tmp_path) == [*ONCE[:2], "indexing objects again", *ONCE[2:]]


def test_another_class_behind_objects_costs_no_second_look(tmp_path: Path) -> None:
    made = canary_dump(segment_bytes=2000)
    made.dump.items.sort(key=lambda item: not isinstance(item, JavaClass))
    late = made.dump.known("app/Holder")
    made.dump.items.remove(late)
    made.dump.items.append(late)
    assert phases_of(made, tmp_path) == ONCE


def test_what_is_blanked_in_large_is_neither_read_nor_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = {"read": 0, "written": 0}
    preadv, pwrite = os.preadv, os.pwrite

    def counted_read(descriptor: int, buffers: list[memoryview], at: int) -> int:
        got = preadv(descriptor, buffers, at)
        moved["read"] += got
        return got

    def counted_write(descriptor: int, data: memoryview, at: int) -> int:
        done = pwrite(descriptor, data, at)
        moved["written"] += done
        return done

    monkeypatch.setattr(os, "preadv", counted_read)
    monkeypatch.setattr(os, "pwrite", counted_write)
    dump = DumpWriter()
    longs = dump.primitive_array(11, b"\1" * (8 << 20))
    text = dump.primitive_array(BYTE, b"secret" * (1 << 20))
    holder = dump.java_class("app/Holder", statics={"a": (OBJECT, longs), "b": (OBJECT, text)})
    dump.root(STICKY_CLASS, holder.id)
    dump.write(tmp_path / "original.hprof")
    done = redact_dump(tmp_path / "original.hprof", tmp_path / "shared.hprof")
    data = (tmp_path / "shared.hprof").read_bytes()
    assert len(data) == (tmp_path / "original.hprof").stat().st_size
    assert data.count(bytes(8 << 20)) == 1
    assert b"x" * (6 << 20) in data
    assert (done.blanked_arrays, done.replaced_texts) == (1, 1)
    assert 0 < moved["read"] < 10_000
    assert 6 << 20 < moved["written"] < (6 << 20) + 10_000
    assert differences(tmp_path / "original.hprof", tmp_path / "shared.hprof") == []


@one_in_each_run(4)
@pytest.mark.parametrize("less", [0, 1, 30, 1000])
@pytest.mark.parametrize("first", ["instance", "array"])
def test_small_objects_before_one_that_is_nearly_large(first: str, less: int, tmp_path: Path) -> None:
    """They may not be taken for one large object, of which only the head is looked at."""
    dump = DumpWriter()
    java = JavaObjects(dump)
    kept = [java.string(f"secret-{number}") for number in range(300)]
    known = dump.known("app/Plain", number=10)
    held = dump.instance(known, number=7) if first == "instance" else dump.object_array(known, kept)
    dump.items.insert(0, dump.items.pop())
    dump.primitive_array(BYTE, b"s" * (LARGE_BYTES - 18 - less))
    later = [java.string(f"secret-after-{number}") for number in range(300)]
    holder = dump.java_class("app/Holder", statics={"a": (OBJECT, java.array_list([held, *kept, *later]))})
    dump.root(STICKY_CLASS, holder.id)
    dump.write(tmp_path / "original.hprof")
    redact_dump(tmp_path / "original.hprof", tmp_path / "shared.hprof")
    assert b"secret" not in (tmp_path / "shared.hprof").read_bytes()
    assert differences(tmp_path / "original.hprof", tmp_path / "shared.hprof") == []
