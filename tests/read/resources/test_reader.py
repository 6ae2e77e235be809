"""Files of control groups: both versions, one by one and together, and texts that are no such files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mqdiag.capture.resources import resources
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.read.resources.reader import is_resources, read_resources

FIRST = """# file: /sys/fs/cgroup/cpu/docker/ab/cpu.stat
nr_periods 100
nr_throttled 90
throttled_time 8000000000

# file: /sys/fs/cgroup/cpu/docker/ab/cpu.cfs_quota_us
8000

# file: /sys/fs/cgroup/cpu/docker/ab/cpu.cfs_period_us
100000

# file: /sys/fs/cgroup/memory/docker/ab/memory.limit_in_bytes
9223372036854771712

# file: /proc/4711/status
Name:	java
VmRSS:	  300000 kB
RssAnon:	  200000 kB
Threads:	41

# file: jcmd 4711 GC.heap_info
4711:
 def new generation   total 59008K, used 15145K [0x00000000f4000000, 0x00000000f8000000, 0x00000000f8000000)
  eden space 52480K,  28% used [0x00000000f4000000, 0x00000000f4e7a230, 0x00000000f7340000)
 tenured generation   total 131072K, used 4900K [0x00000000f8000000, 0x0000000100000000, 0x0000000100000000)
 Metaspace       used 13031K, committed 13184K, reserved 1114112K
  class space    used 1347K, committed 1408K, reserved 1048576K
"""
SECOND = """usage_usec 5000
user_usec 4000
system_usec 1000
nr_periods 10
nr_throttled 3
throttled_usec 250000
"""


def test_version_1_with_the_status_and_the_heap() -> None:
    found = read_resources(FIRST, "01.txt")
    assert (found.pid, found.processors, found.periods, found.throttled_periods) == (4711, 0.08, 100, 90)
    assert (found.throttled_ms, found.memory_limit_bytes) == (8000.0, None)
    assert (found.resident_bytes, found.threads) == (200_000 << 10, 41)
    assert (found.heap_bytes, found.heap_used_bytes) == ((59_008 + 131_072) << 10, (15_145 + 4_900) << 10)
    assert found.metaspace_bytes == 13_184 << 10


def test_a_lone_cpu_stat_of_version_2() -> None:
    assert is_resources(SECOND)
    found = read_resources(SECOND, "cpu.stat")
    assert (found.periods, found.throttled_periods, found.throttled_ms, found.pid) == (10, 3, 250.0, None)


@pytest.mark.parametrize(
    "text", ["", "nr_periods many", "# file: /etc/passwd\nroot:x:0", "2026-11-28 INFO nr_periods 1"]
)
def test_other_texts_are_none(text: str) -> None:
    assert not is_resources(text)


def test_what_capture_writes_of_this_process_is_read(tmp_path: Path) -> None:
    text = resources(os.getpid()).decode()
    assert read_resources(text, "01.txt").resident_bytes
    (tmp_path / "01.txt").write_text(text)
    assert [given.kind for given in diagnose_incident([tmp_path]).report.inputs] == ["resources"]


def test_hostile_numbers_are_left_out() -> None:
    found = read_resources("# file: /x/cgroup/cpu.stat\nnr_periods " + "9" * 400 + "\nnr_throttled -1\n", "x")
    assert (found.periods, found.throttled_periods) == (None, None)
