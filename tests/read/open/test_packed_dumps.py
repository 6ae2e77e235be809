"""Heap dumps in every packing: each command reads the same as from the plain file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mqdiag.config import Settings
from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.diagnose.secrets import secrets_in_heap
from mqdiag.errors import InputError
from mqdiag.findings import Report
from mqdiag.graph import open_dump, open_heap
from mqdiag.language import english
from mqdiag.read.source import open_source
from mqdiag.redact.redact_dump import redact_dump
from tests.graph.small_dump import small_dump
from tests.writers.packings import PACKINGS, SQUEEZED, tarred, zipped

DUMP = small_dump().to_bytes()


def written(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def told(report: Report) -> str:
    (given,) = report.inputs
    assert given.error is not None
    return english()(given.error)


def test_each_way_to_read_a_dump_takes_every_packing(tmp_path: Path) -> None:
    plain = written(tmp_path, "plain.hprof", DUMP)
    facts = [diagnose_heap(plain, Settings(), quick=quick).report.heap for quick in (False, True)]
    target = tmp_path / "redacted.hprof"
    redacted = replace(redact_dump(plain, target), path="")
    secrets = secrets_in_heap(plain, cache_bytes=0).secrets
    for ending, pack in PACKINGS.items():
        packed = written(tmp_path, f"given.{ending}", pack(DUMP))
        source = open_source(str(packed))
        assert (source.data.tobytes(), source.problem, source.file_bytes) == (DUMP, None, packed.stat().st_size)
        assert not source.data.flags.writeable
        for quick in (False, True):
            report = diagnose_heap(packed, Settings(), quick=quick).report
            assert report.heap == facts[quick], ending
            (given,) = report.inputs
            assert given.complete
            outer = {"gz": "gzip", "bz2": "bzip2", "zst": "zstd"}.get(
                ending.rpartition(".")[2], ending.rpartition(".")[2]
            )
            assert given.format == f"hprof 1.0.2, {outer}"
        assert replace(redact_dump(packed, target, force=True), path="") == redacted
        assert secrets_in_heap(packed, cache_bytes=0).secrets == secrets


def test_a_dump_is_found_among_other_files(tmp_path: Path) -> None:
    others = {"notes.txt": b"what happened\n", "picture.png": b"\x89PNG" + bytes(50), "bad.gz": b"\x1f\x8bno"}
    for pack in (zipped, tarred):
        path = written(tmp_path, "given", pack(**others, **{"dump.hprof": DUMP}, **{"after.txt": b"text\n"}))
        assert open_heap(str(path)).dump.source.data.tobytes() == DUMP


def test_two_dumps_are_not_one(tmp_path: Path) -> None:
    path = written(tmp_path, "given.zip", zipped(**{"a.hprof": DUMP, "b.hprof": DUMP}))
    with pytest.raises(
        InputError, match=r"holds several heap dumps, .*!a\.hprof and .*!b\.hprof; unpack the one"
    ):
        open_heap(str(path))
    assert "several heap dumps" in told(diagnose_heap(path).report)


def test_what_holds_no_dump_says_what_to_try(tmp_path: Path) -> None:
    path = written(tmp_path, "given.tar.gz", PACKINGS["tar.gz"](b"2026-11-21 08:00:00 INFO a log\n"))
    assert "holds no heap dump; mqdiag diagnose takes" in told(diagnose_heap(path).report)
    path = written(tmp_path, "given.xz", PACKINGS["xz"](b"2026-11-21 08:00:00 INFO a log\n"))
    assert "a thread dump or log; expected an hprof heap dump" in told(diagnose_heap(path).report)


@pytest.mark.parametrize("ending", [*SQUEEZED, "zip", "tar.zst"])
def test_a_cut_file_gives_what_comes_before(ending: str, tmp_path: Path) -> None:
    packed = PACKINGS[ending](DUMP)
    path = written(tmp_path, f"given.{ending}", packed[:-30])
    if ending in ("zip", "bz2", "zst", "tar.zst"):
        # the directory of a zip file stands at its end; so small, the others have one block
        with pytest.raises(InputError, match=r"damaged|ends before its first byte"):
            open_source(str(path))
        return
    source = open_source(str(path))
    assert DUMP.startswith(source.data.tobytes())
    assert source.problem is not None
    assert not open_dump(str(path)).complete


def test_what_inflates_too_far_names_the_option(tmp_path: Path) -> None:
    for ending in ("zst", "zip", "tar.xz"):
        path = written(tmp_path, f"given.{ending}", PACKINGS[ending](DUMP + bytes(1 << 20)))
        with pytest.raises(InputError, match=r"inflates to more than 1 MiB.*--max-inflated SIZE"):
            open_source(str(path), max_inflated=1 << 20)
