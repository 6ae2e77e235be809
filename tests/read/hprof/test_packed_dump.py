"""Gzip dumps that are counted while they are inflated: the same counts, from few bytes that are kept."""

from __future__ import annotations

import errno
import gzip
import os
from pathlib import Path

import numpy as np
import pytest

import mqdiag.read.open.dump
from mqdiag.progress import Silent
from mqdiag.read.hprof import packed_dump
from mqdiag.read.hprof.dump import Dump, counted_dump, read_dump
from mqdiag.read.source import Source
from tests.graph.small_dump import small_dump
from tests.layers import one_in_each_run
from tests.writers import gzip_forms
from tests.writers import hprof_records as hprof
from tests.writers.hprof_records import BYTE

FIXTURE = Path(__file__).parents[3] / "fixtures" / "heap" / "no-rocketmq" / "dump.hprof.gz"
SMALL = small_dump().to_bytes()


def whole(data: bytes) -> Dump:
    return read_dump(Source("x", np.frombuffer(data, np.uint8), len(data)))


def counted(path: Path, limit: int | None = None) -> packed_dump.Counted | None:
    return packed_dump.count_while_inflating(str(path), Silent(), limit, lambda: None)


def described(dump: Dump) -> dict[str, object]:
    """All that a report of counts takes from a dump."""
    return {
        "counts": dump.counts.tolist(),
        "elements": dump.elements.tolist(),
        "classes": dump.classes.names,
        "heads": dump.classes.heads.tolist(),
        "roots": (dump.roots.types.tolist(), dump.roots.ids.tolist(), dump.roots.frames.tolist()),
        "problem": (dump.complete, dump.problem, dump.stopped_at),
    }


def with_large_array() -> bytes:
    dump = small_dump(segment_bytes=None)
    for size in (3, 50_000, 200_000, 5):
        dump.primitive_array(BYTE, bytes(size))
        dump.object_array(dump.known("[Lapp/Large;"), [0] * (size // 8))
        dump.object_array(dump.known("[Lapp/Holder;"), [0] * (size // 16))
    return dump.to_bytes()


DUMPS = {
    "segments": SMALL,
    "four-byte ids": small_dump(4).to_bytes(),
    "one heap record": small_dump(segment_bytes=None).to_bytes(),
    "large arrays": with_large_array(),
}


@one_in_each_run(4)
@pytest.mark.parametrize("step", [97, 700, 4 << 20])
@pytest.mark.parametrize("joined", [40, 64 << 10])
@pytest.mark.parametrize("name", DUMPS)
def test_counts_are_those_of_the_whole_dump(
    name: str, joined: int, step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = DUMPS[name]
    monkeypatch.setattr(packed_dump, "_JOINED_BYTES", joined)
    monkeypatch.setattr(mqdiag.read.open.dump, "_STEP", step)
    path = tmp_path / "given.hprof.gz"
    path.write_bytes(gzip.compress(data))
    found = counted(path)
    assert found is not None
    dump = counted_dump(found.source, found.segments, found.walked)
    assert dump is not None
    assert described(dump) == described(whole(data))


ODD = {
    "cut": gzip.compress(SMALL)[:-20],
    "damaged": gzip_forms.plain(SMALL)[:1000] + bytes(500) + gzip_forms.plain(SMALL)[1500:],
    "a member for each block": gzip_forms.jvm(SMALL, 512),
    "no dump": gzip.compress(b"2026-11-21 a log\n" * 100),
    "a cut dump": gzip.compress(SMALL[:-300]),
    "a heap record without a length": gzip.compress(SMALL + hprof.record(0x1C, b"", length=0) + bytes(100)),
    "an unknown sub-record": gzip.compress(SMALL + hprof.record(0x1C, b"\x77" * 100)),
    "a sub-record that is cut": gzip.compress(SMALL + hprof.record(0x1C, b"\x23" * 10)),
    "a wrong header": gzip.compress(b"JAVA PROFILE 9" + SMALL),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_dump_is_read_like_any_other(name: str, tmp_path: Path) -> None:
    path = tmp_path / "given.hprof.gz"
    path.write_bytes(ODD[name])
    assert counted(path) is None


def test_a_file_of_two_dumps_is_read_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "given.hprof.gz"
    path.write_bytes(gzip.compress(SMALL + small_dump().records()))
    found = counted(path)
    assert found is not None
    assert counted_dump(found.source, found.segments, found.walked) is None


def test_nothing_inflates_beyond_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "given.hprof.gz"
    path.write_bytes(gzip.compress(SMALL))
    assert counted(path, len(SMALL)) is not None
    assert counted(path, len(SMALL) - 1) is None


@pytest.mark.parametrize("limit", ["_MOST_KEPT_BYTES", "_MOST_LEFT_BYTES"])
def test_what_is_kept_or_left_has_a_limit(limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "given.hprof.gz"
    path.write_bytes(gzip.compress(SMALL))
    monkeypatch.setattr(mqdiag.read.open.dump, "_STEP", 700)
    assert counted(path) is not None
    monkeypatch.setattr(packed_dump, limit, 100)
    assert counted(path) is None


def test_little_memory_keeps_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "given.hprof.gz"
    path.write_bytes(gzip.compress(SMALL))
    monkeypatch.setattr(packed_dump, "available_bytes", lambda: 400)
    assert counted(path) is None


@pytest.mark.parametrize("call", ["memfd_create", "pwrite", "ftruncate"])
def test_a_dump_that_cannot_be_kept_is_read_like_any_other(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object) -> None:
        raise OSError(errno.EFBIG, "File too large")

    path = tmp_path / "given.hprof.gz"
    path.write_bytes(gzip.compress(SMALL))
    monkeypatch.setattr(os, call, refuse)
    assert counted(path) is None


def test_of_objects_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = []
    keep = packed_dump._Counter._keep
    monkeypatch.setattr(
        packed_dump._Counter, "_keep", lambda self, *args: (kept.append(args[3] - args[2]), keep(self, *args))
    )
    found = counted(FIXTURE)
    assert found is not None
    outside = found.source.data.size - sum(end - start for start, end in found.segments)
    classes = sum(int((part.class_ends - part.class_offsets).sum()) for part in found.walked)
    assert sum(kept) == outside + classes
