"""Shares of an executor's memory: an incident holds one, a large dump several, so that all fit that run at a time.

Local mode has no resource profiles, and other masters have them only for some ways of allocation. So the tasks of an
executor settle it among themselves: each share is a lock, which the kernel takes back however its holder ends.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from mqdiag.fleet.work.item import Job, WorkItem

OF_BYTES = 2
"""memory that a file can need, as a multiple of its size; a compressed one tells less"""
LOOK_S = 0.1


def shares_of(item: WorkItem, job: Job) -> int:
    """How many shares of `--memory` an incident gets: as many as its largest file can need, and all at most."""
    largest = max((file.bytes for file in item.files), default=0)
    return min(max(1, -(-OF_BYTES * largest // job.limits.memory_bytes)), job.cores)


@contextmanager
def shares(folder: Path, count: int, of: int) -> Iterator[None]:
    """Wait for shares and hold them.

    Args:
        folder: the same for all tasks of an executor.
        count: how many; no more than there are.
        of: how many there are, one for each core.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as held:
        # One task at a time collects: two with a part each would wait for each other.
        with (folder / "collecting").open("a") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            mine: set[int] = set()
            while len(mine) < count:
                for number in set(range(of)) - mine:
                    if len(mine) < count and (lock := _lock(folder / str(number))) is not None:
                        held.enter_context(lock)
                        mine.add(number)
                if len(mine) < count:
                    time.sleep(LOOK_S)
        yield


def _lock(path: Path) -> IO[str] | None:
    """The file, locked; None while another task has it."""
    file = path.open("a")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file
