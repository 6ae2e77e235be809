"""What each phase of a run costs, for developers: `--debug` writes a line to standard error when a phase ends."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from mqdiag.language import english
from mqdiag.process_use import own_memory_bytes
from mqdiag.progress import Passing, Progress
from mqdiag.text import Text, say

LOOK_S = 0.01
"""between two looks at the memory"""
_log = logging.getLogger(__name__)


class _Cost(NamedTuple):
    """Where the process is: seconds on the clock and of its processors, bytes of files that it has mapped in."""

    wall_s: float
    cpu_s: float
    mapped_bytes: int

    @staticmethod
    def now() -> _Cost:
        return _Cost(time.monotonic(), time.process_time(), _mapped_bytes())


class PhaseCosts(Passing):
    """Progress that measures the phases, and hands everything on."""

    def __init__(self, progress: Progress) -> None:
        super().__init__(progress)
        self._name, self._begun = say("starting"), _Cost.now()
        self._peak_bytes = 0
        self._ended = threading.Event()
        self._watcher: threading.Thread | None = threading.Thread(
            target=self._watch, name="mqdiag-phase-costs", daemon=True
        )
        try:
            self._watcher.start()
        except RuntimeError:
            self._watcher = None  # this user may start no more threads: the memory is looked at when phases end

    def phase(self, name: Text) -> None:
        """Tell what the phase before it has cost."""
        self._tell()
        self._name = name
        self._progress.phase(name)

    def close(self) -> None:
        """Tell what the last phase has cost."""
        self._ended.set()
        if self._watcher is not None:
            self._watcher.join()
        self._tell()

    def _tell(self) -> None:
        now, begun = _Cost.now(), self._begun
        _log.debug(
            "%s: %.3f s, %.3f s of processor time, %.1f MB of files mapped in, at most %.1f MB of anonymous memory",
            english()(self._name),
            now.wall_s - begun.wall_s,
            now.cpu_s - begun.cpu_s,
            max(now.mapped_bytes - begun.mapped_bytes, 0) / 1e6,
            max(self._peak_bytes, own_memory_bytes()) / 1e6,
        )
        self._begun, self._peak_bytes = now, 0

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_S):
            self._peak_bytes = max(self._peak_bytes, own_memory_bytes())


def _mapped_bytes() -> int:
    """Pages of files in the memory of this process: of the dump, and of arrays in temporary files."""
    with open("/proc/self/status") as status:
        found = [int(line.split()[1]) << 10 for line in status if line.startswith(("RssFile:", "RssShmem:"))]
    return sum(found)


@contextmanager
def phase_costs(progress: Progress) -> Iterator[Progress]:
    """Progress whose phases are measured while the block runs."""
    costs = PhaseCosts(progress)
    try:
        yield costs
    finally:
        costs.close()
