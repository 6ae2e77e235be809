"""Dumps cut at every byte and flipped at random: always a clear answer, never a crash, a hang or a flood of memory.

A few hundred cases run each time; `pytest -m nightly` runs 24,000, and some with bounds checks in the kernels.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.graph.small_dump import small_dump
from tests.layers import CHECK, NIGHTLY

pytestmark = CHECK


ROOT = Path(__file__).parents[2]
REAL = min(ROOT.glob("fixtures/heap/*/dump.hprof.gz"), key=lambda file: file.stat().st_size)
MEMORY_MIB = 600
"""room beyond a clean run: what one case may take at once, the address space of thread stacks included"""


def hostile(
    kind: str,
    file: Path,
    number: int,
    *,
    seed: int = 1,
    memory: int = MEMORY_MIB,
    program: tuple[str, str] = ("-m", "tests.graph.hostile"),
    **env: str,
) -> dict[str, int]:
    """How many cases ended how; a failure shows the case's name and all that the process said."""
    done = subprocess.run(
        [
            sys.executable, "-W", "error", *program, kind, str(file),
            "--number", str(number), "--seed", str(seed), "--memory-mib", str(memory),
        ],
        cwd=ROOT,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    outcomes: dict[str, int] = eval(done.stdout)
    return outcomes


@pytest.fixture(params=[4, 8])
def small(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return small_dump(request.param).write(tmp_path / f"ids of {request.param}.hprof")


@pytest.fixture
def real(tmp_path: Path) -> Path:
    path = tmp_path / "real.hprof"
    path.write_bytes(gzip.decompress(REAL.read_bytes()))
    return path


@NIGHTLY
def test_a_small_dump_cut_at_every_byte(tmp_path: Path) -> None:
    path = small_dump(4).write(tmp_path / "small.hprof")
    outcomes = hostile("cuts", path, path.stat().st_size)
    assert sum(outcomes.values()) == path.stat().st_size
    assert set(outcomes) == {"refused", "partial"}


def test_small_dumps_with_flipped_bits(small: Path) -> None:
    assert set(hostile("flips", small, 75)) == {"refused", "partial", "whole"}


def test_a_real_dump_cut(real: Path) -> None:
    assert set(hostile("cuts", real, 12)) == {"refused", "partial"}


def test_a_real_dump_with_flipped_bits(real: Path) -> None:
    assert "whole" in hostile("flips", real, 12)


def test_a_gzip_file_cut_and_with_flipped_bits(tmp_path: Path) -> None:
    path = tmp_path / "small.hprof.gz"
    path.write_bytes(gzip.compress(small_dump(8).to_bytes(), mtime=0))
    assert "partial" in hostile("cuts", path, 60)
    assert "partial" in hostile("flips", path, 60)


@pytest.mark.parametrize(
    ("second", "error"), [("1 // 0", "ZeroDivisionError"), ("bytearray(2 << 30)", "MemoryError")]
)
def test_the_loop_sees_a_crash(tmp_path: Path, second: str, error: str) -> None:
    """The clean run passes, the first damaged case fails or wants too much memory."""
    path = small_dump(8).write(tmp_path / "small.hprof")
    code = (
        "from tests.graph import hostile as run; clean = [run.WHOLE]; "
        f"run.examine = lambda _: clean.pop() if clean else {second}; run.main()"
    )
    with pytest.raises(AssertionError, match=rf"small\.hprof: case 0, bytes(?s:.*){error}"):
        hostile("flips", path, 1, program=("-c", code))


@NIGHTLY
def test_small_dumps_with_many_flipped_bits(small: Path) -> None:
    for seed in range(5):
        hostile("flips", small, 2000, seed=100 + seed)


@NIGHTLY
def test_a_real_dump_with_many_flipped_bits(real: Path) -> None:
    hostile("flips", real, 2000, seed=100)
    hostile("cuts", real, 1000)


@NIGHTLY
def test_small_dumps_with_bounds_checks_in_the_kernels(small: Path, tmp_path: Path) -> None:
    checked = {"NUMBA_BOUNDSCHECK": "1", "MQDIAG_KERNELS": str(tmp_path)}
    hostile("flips", small, 1000, seed=200, memory=2 * MEMORY_MIB, **checked)
    hostile("cuts", small, 500, memory=2 * MEMORY_MIB, **checked)
