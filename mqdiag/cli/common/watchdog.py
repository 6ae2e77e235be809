"""The watchdog of last resort: a run that takes far more than its input is worth ends, with a line and what it has.

Readers are linear in their input by construction (SECURITY.md); this is for what nobody has thought of. At the budget,
the next step that a reader tells of ends the reading of that input, and the report is made of what was read. A run that
does not get there within as much again ends at once (docs/adr/0010-cut-files-and-budgets.md).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import msgspec

from mqdiag.config import parse_size
from mqdiag.errors import EXIT_INPUT, InputError, UsageError
from mqdiag.files import remove_unfinished
from mqdiag.process_use import own_memory_bytes, used
from mqdiag.progress import Passing, Progress, note_once
from mqdiag.text import Text, say

CPU_S, CPU_S_FOR_MB = 180.0, 3.0
"""a minute of it compiles kernels on a slow machine; logs that shrink to a fiftieth take 2 s for each packed MB"""
MEMORY_BYTES, MEMORY_FOR_BYTE = 1 << 30, 40
"""a graph takes 3 bytes for each of the dump, and dumps shrink to a tenth"""
MB_OF_PIPE = 1 << 10
"""what standard input is taken for, as nobody knows its size before its end"""
LOOK_S = 0.2
FURTHER = 2
"""times the budget, where the run is ended"""

CPU_VARIABLE, MEMORY_VARIABLE = "MQDIAG_MOST_CPU_S", "MQDIAG_MOST_MEMORY"


class Budget(msgspec.Struct):
    """What a run may take; 0 where it is not limited."""

    cpu_s: float
    memory_bytes: int
    for_size: bool
    """whether there is more for a large input: not where the user has said how much"""
    begun_cpu_s: float = msgspec.field(default_factory=lambda: _used_cpu_s())
    begun_memory_bytes: int = msgspec.field(default_factory=lambda: _used_memory_bytes())
    """what the process had taken before the run: a notebook or a test keeps other things too"""

    @staticmethod
    def of_environment() -> Budget:
        """The usual one, or what the user says.

        Raises:
            UsageError: a variable holds no number or size.
        """
        cpu, memory = os.environ.get(CPU_VARIABLE), os.environ.get(MEMORY_VARIABLE)
        if cpu is None and memory is None:
            return Budget(CPU_S, MEMORY_BYTES, for_size=True)

        if cpu is not None and not cpu.isdecimal():
            raise UsageError(
                say("{variable}={value} is not a number of seconds", variable=CPU_VARIABLE, value=cpu)
            )
        return Budget(
            CPU_S if cpu is None else float(cpu),
            MEMORY_BYTES if memory is None else 0 if memory == "0" else parse_size(memory),
            for_size=False,
        )

    def grow(self, paths: Sequence[str]) -> None:
        """Take the size of the input into account, once and only when the run has already taken long."""
        if self.for_size:
            self.for_size = False
            size_bytes = sum(map(_size_bytes, paths))
            self.cpu_s += CPU_S_FOR_MB * size_bytes / (1 << 20)
            self.memory_bytes += MEMORY_FOR_BYTE * size_bytes

    def exceeded(self, times: int = 1) -> Text | None:
        """What of it, multiplied, the run has used up."""
        if 0 < self.cpu_s * times < _used_cpu_s() - self.begun_cpu_s:
            return say(
                "took more than {cpu_s:seconds} of CPU time, the budget of a run over an input of this size",
                cpu_s=self.cpu_s * times,
            )
        if 0 < self.memory_bytes * times < _used_memory_bytes() - self.begun_memory_bytes:
            return say(
                "took more than {size:bytes} of memory, the budget of a run over an input of this size",
                size=self.memory_bytes * times,
            )
        return None


class Watched(Passing):
    """Progress that ends the reading of an input where the budget of the run is used up.

    A thread watches the budget. If this user can start no more threads, `check` does it instead.
    """

    def __init__(self, progress: Progress, paths: Sequence[str], budget: Budget) -> None:
        super().__init__(progress)
        self._paths, self._budget = paths, budget
        self._over: Text | None = None
        self._ended = threading.Event()
        self._looked_s: float | None = None
        """when `check` last looked at the budget; None where the thread does it"""
        try:
            threading.Thread(target=self._watch, name="mqdiag-watchdog", daemon=True).start()
        except RuntimeError:
            self._looked_s = 0.0

    def advance(self, share: float) -> None:
        """Handed on, within the budget.

        Raises:
            InputError: it is used up.
        """
        self.check()
        self._progress.advance(share)

    def check(self) -> None:
        """Go on within the budget.

        Raises:
            InputError: it is used up.
        """
        if self._looked_s is not None and time.monotonic() - self._looked_s >= LOOK_S:
            self._looked_s = time.monotonic()
            self._look()
        if self._over is not None:
            raise self._error(self._over)

    def close(self) -> None:
        """Watch no longer."""
        self._ended.set()

    def _error(self, over: Text) -> InputError:
        return InputError(
            self._paths[0],
            over,
            hint=say(
                "if you trust the input, set {cpu} or {memory}; 0 is no limit",
                cpu=CPU_VARIABLE,
                memory=MEMORY_VARIABLE,
            ),
        )

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_S):
            self._look()

    def _look(self) -> None:
        if self._budget.exceeded():
            self._budget.grow(self._paths)
        self._over = self._budget.exceeded()
        too_far = self._budget.exceeded(FURTHER)
        if too_far is not None and not self._ended.is_set():
            end_process(self._error(too_far).text, EXIT_INPUT)


def end_process(why: Text, code: int) -> None:
    """End this process from any of its threads, with one line and nothing half written."""
    remove_unfinished()
    note_once(why)
    os._exit(code)


@contextmanager
def watched(
    progress: Progress, paths: Sequence[str], *, more_cpu_s: float = 0.0, more_memory_bytes: int = 0
) -> Iterator[Progress]:
    """Progress for a run over these files and folders, which watches it while the block runs.

    Args:
        progress: who listens.
        paths: without any, nothing is watched: a fleet limits each of its processes itself.
        more_cpu_s: what the user allows the run beyond the work on its input; not where a variable sets the budget.
        more_memory_bytes: the same.
    """
    if not paths:
        yield progress
        return
    budget = Budget.of_environment()
    if budget.for_size:
        budget.cpu_s += more_cpu_s
        budget.memory_bytes += more_memory_bytes
    watching = Watched(progress, paths, budget)
    try:
        yield watching
    finally:
        watching.close()


def _size_bytes(path: str) -> int:
    if path == "-":
        return MB_OF_PIPE << 20
    files = [path, *(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)]
    total = 0
    for file in files:
        with suppress(OSError):
            total += os.stat(file).st_size
    return total


def _used_cpu_s() -> float:
    return time.process_time() + used.so_far()[0]


def _used_memory_bytes() -> int:
    return own_memory_bytes() + used.so_far()[1]
