"""The thread dumps of a series: several files, large ones read at once."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Sequence

from mqdiag.errors import InputError
from mqdiag.progress import Progress
from mqdiag.read.stacks.body import BodyParser
from mqdiag.read.stacks.reader import ReadResult, read_stacks
from mqdiag.read.stacks.records import Stack
from mqdiag.workers import Died, read_in_workers

BYTES_FOR_A_WORKER = 128 << 20
"""more than logs need: all threads come back from the worker, which takes a third of the time of reading them"""
_WORK = f"{__name__}.result_of"
"""what a worker calls for each path"""


def read_series(paths: Sequence[str], progress: Progress, jobs: int = 1) -> Iterator[ReadResult | InputError]:
    """What each path holds, in the order of the paths, or why it holds nothing.

    Args:
        paths: files, packed or not; "-" is standard input.
        progress: who listens.
        jobs: the most processes that read at once.
    """
    by_workers = read_in_workers(
        _WORK,
        [(path,) for path in paths],
        [_size(path) for path in paths],
        jobs,
        progress.advance,
        BYTES_FOR_A_WORKER,
    )
    bodies = BodyParser()
    known: dict[Stack, Stack] = {}
    for place, path in enumerate(paths):
        found = by_workers.get(place)
        if isinstance(found, Died):
            yield InputError(path, found.reason)
        elif found is None:
            try:
                progress.advance(place / len(paths))
                yield read_stacks(path, bodies, progress.check)
            except InputError as error:
                yield error
        else:
            if isinstance(found, ReadResult):
                _share_stacks(found, known)
            yield found


def result_of(path: str, step: Callable[[], None]) -> ReadResult | InputError:
    """For workers: what one path holds, or why it holds nothing."""
    # as for the command: hundreds of thousands of small objects, none in cycles
    gc.disable()
    try:
        return read_stacks(path, None, step)
    except InputError as error:
        return error


def _share_stacks(result: ReadResult, known: dict[Stack, Stack]) -> None:
    """Let threads of several workers have one stack where their stacks are equal, as those of one reader have."""
    # the entry keeps the stack alive, so no other stack can get its id
    shared: dict[int, tuple[Stack, Stack]] = {}
    for sample in result.samples:
        for thread in sample.threads:
            own = thread.stack
            if id(own) not in shared:
                shared[id(own)] = own, known.setdefault(own, own)
            thread.stack = shared[id(own)][1]


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size if path != "-" else 0
    except (OSError, ValueError):
        return 0
