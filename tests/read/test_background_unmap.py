"""A large file leaves the page table early and stays readable; what is only in memory is left alone."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from mqdiag.read import background_unmap
from mqdiag.read.background_unmap import unmap_in_background
from mqdiag.read.cores import LEAST_BYTES
from mqdiag.read.source import Source, open_source
from tests.layers import CHECK


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_unmap, "worker_count", lambda: 2)


def of_file(path: Path, size_bytes: int) -> Source:
    with path.open("wb") as file:
        file.truncate(size_bytes)
        file.seek(size_bytes // 2)
        file.write(b"there")
    return open_source(str(path))


def mapped_kib(source: Source) -> int:
    """How much of it is in the page table, by /proc/self/smaps of proc(5)."""
    begin = f"{source.data.ctypes.data:x}-"
    lines = iter(Path("/proc/self/smaps").read_text().splitlines())
    next(line for line in lines if line.startswith(begin))
    return next(int(line.split()[1]) for line in lines if line.startswith("Rss:"))


def unmapped(source: Source) -> bool:
    """Whether a thread was begun for it; waits for its end."""
    before = set(threading.enumerate())
    unmap_in_background(source)
    begun = set(threading.enumerate()) - before
    for thread in begun:
        thread.join()
    return bool(begun) or mapped_kib(source) == 0


def test_the_pages_go_and_come_back(tmp_path: Path) -> None:
    source = of_file(tmp_path / "large.hprof", LEAST_BYTES + 4097)
    assert source.data[::4096].sum() >= 0
    assert mapped_kib(source) >= LEAST_BYTES >> 10
    assert unmapped(source)
    assert mapped_kib(source) == 0
    middle = source.data.size // 2
    assert source.data[middle : middle + 5].tobytes() == b"there"


def test_a_small_file_is_left_alone(tmp_path: Path) -> None:
    source = of_file(tmp_path / "small.hprof", 1 << 20)
    assert source.data[::4096].sum() >= 0
    assert not unmapped(source)


def test_one_core_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_unmap, "worker_count", lambda: 1)
    source = of_file(tmp_path / "large.hprof", LEAST_BYTES)
    assert source.data[::4096].sum() >= 0
    assert not unmapped(source)


@CHECK
def test_a_copy_in_memory_keeps_its_bytes() -> None:
    """Memory without a file behind it would be zeros afterwards."""
    source = Source("dump.hprof.gz", np.ones(LEAST_BYTES, np.uint8), 1, "gzip")
    before = threading.active_count()
    unmap_in_background(source)
    assert threading.active_count() == before
    assert source.data.all()
