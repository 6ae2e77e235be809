"""The memory that a process can still take: limits of processes and of control groups, as the kernel enforces them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mqdiag.read.available_memory import available_bytes

LIMITED = """
import resource
from mqdiag.read.available_memory import available_bytes
resource.setrlimit(getattr(resource, "{limit}"), (1 << 30, 1 << 30))
print(available_bytes())
"""
GROUPS = Path("/sys/fs/cgroup/memory")


@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_a_limit_of_the_process(limit: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED.format(limit=limit)], capture_output=True, text=True, check=True
    )
    assert 0 < int(done.stdout) < 1 << 30


def test_the_memory_of_the_machine() -> None:
    lines = Path("/proc/meminfo").read_text().splitlines()
    total = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemTotal:"))
    available = available_bytes()
    assert available is not None
    assert 0 < available < total


def test_a_control_group() -> None:
    group = GROUPS / "mqdiag-test-of-memory"
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text("300M")
    except OSError:
        pytest.skip("no control group of version 1 can be made here")
    try:
        code = (
            f"import os; open({str(group / 'cgroup.procs')!r}, 'w').write(str(os.getpid()))\n"
            "from mqdiag.read.available_memory import available_bytes\nprint(available_bytes())"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    finally:
        group.rmdir()
    assert 0 < int(done.stdout) <= 300 << 20
