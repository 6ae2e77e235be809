"""How much memory this process can still take before the system ends it."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_NO_LIMIT = 1 << 60
"""cgroup version 1 writes about 2^63 where there is no limit"""


def available_bytes() -> int | None:
    """The least that the machine, the control groups and the limits of the process leave; None if nothing tells.

    Sources: proc(5) for meminfo and statm, cgroups(7), getrlimit(2).
    """
    return min((max(left, 0) for left in _all_left()), default=None)


def _all_left() -> Iterator[int]:
    with suppress(OSError, ValueError, KeyError):
        yield _table(Path("/proc/meminfo"))["MemAvailable:"] << 10
    with suppress(OSError, ValueError, IndexError):
        yield from _left_of_process()
    with suppress(OSError):
        for folder in _control_groups():
            with suppress(OSError, ValueError):
                yield from _left_of_group(folder)


def _left_of_process() -> Iterator[int]:
    fields = [int(field) * _PAGE_BYTES for field in Path("/proc/self/statm").read_text().split()]
    for limit_of, used in ((resource.RLIMIT_AS, fields[0]), (resource.RLIMIT_DATA, fields[5])):
        limit, _ = resource.getrlimit(limit_of)
        if limit != resource.RLIM_INFINITY:
            yield limit - used


def _control_groups() -> Iterator[Path]:
    """Folders of the memory controller for the groups of this process, from its own up to the mounted root."""
    root = Path("/sys/fs/cgroup")
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        mounted = root / "memory" if controllers else root
        own = mounted / path.lstrip("/")
        # In a container the path is the host's, and the own group is what is mounted.
        yield from (
            folder for folder in (own, *own.parents) if folder.is_relative_to(mounted) and folder.is_dir()
        )


def _left_of_group(folder: Path) -> Iterator[int]:
    for limit_name, used_name, cached_name in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        file = folder / limit_name
        if not file.is_file():
            continue
        limit = file.read_text().strip()
        if limit == "max" or int(limit) >= _NO_LIMIT:
            continue
        used = int((folder / used_name).read_text())
        yield int(limit) - used + _table(folder / "memory.stat").get(cached_name, 0)


def _table(file: Path) -> dict[str, int]:
    return {words[0]: int(words[1]) for line in file.read_text().splitlines() if len(words := line.split()) > 1}
