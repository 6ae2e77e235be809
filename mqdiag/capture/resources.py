"""What the kernel says of a process's processors and memory: its control groups and its own status, read at no cost.

A line `# file: NAME` stands before each file, and before what the JVM says of its heap.
"""

from __future__ import annotations

import re
from pathlib import Path

from mqdiag.capture.target import PROC

GROUPS = Path("/sys/fs/cgroup")
FILES = {
    "cpu": ("cpu.stat", "cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us"),
    "memory": (
        "memory.max", "memory.current", "memory.events", "memory.limit_in_bytes", "memory.usage_in_bytes",
        "memory.failcnt",
    ),
    "pids": ("pids.max", "pids.current", "pids.events"),
}  # fmt: skip
"""files of version 1 and 2, by the controller of version 1"""
MOST_BYTES = 1 << 16
"""size of one file"""
_STATUS = re.compile(r"(?:Name|Threads|Vm\w+|Rss\w+|voluntary_ctxt_switches|nonvoluntary_ctxt_switches):")


def resources(pid: int, heap_info: str = "") -> bytes:
    """The files of a process's control groups, and the lines of its status about memory and threads.

    Args:
        pid: of the process.
        heap_info: what `jcmd PID GC.heap_info` printed; it goes along.
    """
    parts = [f"# file: {path}\n{text}" for path in group_files(pid) if (text := _text(path)) is not None]
    status = _text(PROC / str(pid) / "status")
    if status is not None:
        kept = "".join(f"{line}\n" for line in status.splitlines() if _STATUS.match(line))
        parts.append(f"# file: /proc/{pid}/status\n{kept}")
    if heap_info:
        parts.append(f"# file: jcmd {pid} GC.heap_info\n{heap_info}")
    return "\n".join(parts).encode()


def group_files(pid: int) -> list[Path]:
    """The files that may be there: in the process's own group, else where a container sees it."""
    found = []
    for line in (_text(PROC / str(pid) / "cgroup") or "").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        for name in FILES if not controllers else [one for one in FILES if one in controllers.split(",")]:
            base = GROUPS / controllers if controllers else GROUPS
            own = base / group.lstrip("/")
            folder = own if own.is_dir() and ".." not in group else base
            found += [folder / file for file in FILES[name]]
    return list(dict.fromkeys(found))


def _text(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
