"""Readers of logs that start while files are told by their content, which one processor does."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import islice

from mqdiag import workers

PREPARE = "mqdiag.logs.file_reader.prepare"
"""what the workers call; not imported here, as that would delay them"""
MOST_FILES = 1000
"""whose sizes are looked at"""
_LOG = ".log"


def readers_ahead(paths: Sequence[str], jobs: int) -> AbstractContextManager[None]:
    """Workers for the block, where names and sizes of files promise that logs are shared out.

    A wrong guess costs what the start of a process takes, on a processor that has nothing else to do.

    Args:
        paths: files and folders.
        jobs: the most workers at once.
    """
    sizes = list(islice(_sizes(paths), MOST_FILES)) if jobs > 1 else []
    count = min(jobs, len(sizes), sum(sizes) // workers.BYTES_FOR_A_WORKER)
    return workers.workers_ahead(count, PREPARE) if count > 1 else nullcontext()


def _sizes(paths: Sequence[str]) -> Iterator[int]:
    """Bytes of each file that is called a log."""
    for path in paths:
        folders = (
            ((folder, names) for folder, _, names in os.walk(path)) if os.path.isdir(path) else [("", [path])]
        )
        for folder, names in folders:
            for name in names:
                with suppress(OSError):
                    if _LOG in name:
                        yield os.stat(os.path.join(folder, name)).st_size
