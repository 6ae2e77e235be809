"""What this process and its workers use: processor time and memory."""

from __future__ import annotations

import os
import threading
from contextlib import suppress

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Used:
    """What the workers of this process have used, for the watchdog of a run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[int] = set()
        self._ended_cpu_s = 0.0

    def begins(self, pid: int) -> None:
        """A worker was started."""
        with self._lock:
            self._running.add(pid)

    def ends(self, pid: int) -> None:
        """To be called before the process is waited for."""
        with self._lock:
            self._running.discard(pid)
            self._ended_cpu_s += _cpu_s(pid)

    def so_far(self) -> tuple[float, int]:
        """(seconds of CPU time that all workers have used, bytes of memory of those that run)."""
        with self._lock:
            running = tuple(self._running)
            ended_cpu_s = self._ended_cpu_s
        return ended_cpu_s + sum(map(_cpu_s, running)), sum(map(own_memory_bytes, running))


used = Used()


def own_memory_bytes(pid: int | str = "self") -> int:
    """Memory of a process without the pages of mapped files, which the system drops when it needs room."""
    with suppress(OSError), open(f"/proc/{pid}/statm", "rb") as file:
        _, resident, shared, *_ = map(int, file.read().split())
        return (resident - shared) * _PAGE_BYTES
    return 0


def _cpu_s(pid: int) -> float:
    with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        # the name of the program stands in brackets and may have any character
        fields = file.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S
    return 0.0
