"""Heap dumps that several processes read give the report that one process gives."""

from __future__ import annotations

import gzip
import os
import signal
from pathlib import Path

import pytest

from mqdiag import workers
from mqdiag.config import Settings
from mqdiag.diagnose import heaps_at_once
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.language import english
from mqdiag.report_json import to_values
from mqdiag.text import NOTHING
from tests.layers import CHECK

HEAPS = Path(__file__).parents[2] / "fixtures" / "heap"
CASES = ("stuck-one-4.9.8", "no-rocketmq")


def die(*given: object) -> None:
    """For workers: the process ends while it reads."""
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def dumps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A packed dump, a plain one, one of them twice, and two that are cut: one in its objects, one in its header."""
    monkeypatch.setattr(workers, "BYTES_FOR_A_WORKER", 1)
    packed, other = ((HEAPS / case / "dump.hprof.gz").read_bytes() for case in CASES)
    plain = gzip.decompress(other)
    folder = tmp_path / "dumps"
    folder.mkdir()
    for name, content in (
        ("a.hprof.gz", packed),
        ("b.hprof", plain),
        ("c.hprof", gzip.decompress(packed)),
        ("cut.hprof", plain[: len(plain) // 2]),
        ("head.hprof", plain[:25]),
    ):
        (folder / name).write_bytes(content)
    return folder


@CHECK
def test_the_report_is_that_of_one_process(dumps: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    start = workers.started
    monkeypatch.setattr(workers, "started", lambda module: started.append(module) or start(module))
    one = diagnose_incident([dumps], Settings(jobs=1, heap_limit=1 << 30)).report
    assert started == []
    several = diagnose_incident([dumps], Settings(jobs=3, heap_limit=1 << 30)).report
    assert len(started) == 3
    assert to_values(several) == to_values(one)
    assert len(one.other_processes) == 2


@CHECK
def test_large_dumps_are_read_one_after_the_other(dumps: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes all cores and much memory."""
    monkeypatch.setattr(heaps_at_once, "LEAST_BYTES", 1000)
    monkeypatch.setattr(workers, "started", lambda module: pytest.fail("a worker was started"))
    assert len(diagnose_incident([dumps], Settings(jobs=3)).report.other_processes) == 2


@CHECK
def test_a_reader_that_dies_is_told(dumps: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heaps_at_once, "_WORK", f"{__name__}.die")
    report = diagnose_incident([dumps], Settings(jobs=2)).report
    assert {english()(given.error or NOTHING) for given in report.inputs} == {
        "the process that read it was ended by signal 9"
    }
