"""The plan carried out: stretches of the file read, rewritten and written on all cores."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import InputError
from mqdiag.progress import Progress
from mqdiag.read.hprof.walk import worker_count
from mqdiag.redact.keep import Rewriting
from mqdiag.redact.kernels.records import rewrite_records
from mqdiag.redact.kernels.rewrite import rewrite_sub_records
from mqdiag.redact.original import Original
from mqdiag.redact.plan import Fate, Piece, Plan

_Made = TypeVar("_Made")
_LETTER = ord("x")
_AHEAD = 2
"""stretches for each thread that may wait to be written"""


class Rewriter:
    """Makes the redacted bytes of jobs."""

    def __init__(self, original: Original, id_size: int, plan: Plan, rewriting: Rewriting) -> None:
        self._original, self._id_size, self._plan, self._rewriting = original, id_size, plan, rewriting
        self._local = threading.local()

    def redact(self, job: list[Piece]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """(the bytes, valid until this thread's next call; arrays by fate as the kernel counts them)."""
        start, end = job[0].start, job[-1].end
        data = self._buffer(end - start)
        if any(piece.fate is not Fate.BLANK for piece in job):
            self._read(data, start)
        counts = np.zeros(4, np.int64)
        for piece in job:
            self._apply(piece, data[piece.start - start : piece.end - start], counts)
        return data, counts

    def _buffer(self, size: int) -> NDArray[np.uint8]:
        found: NDArray[np.uint8] | None = getattr(self._local, "buffer", None)
        if found is None or found.size < size:
            found = self._local.buffer = np.empty(size, np.uint8)
        return found[:size]

    def _read(self, data: NDArray[np.uint8], start: int) -> None:
        done = 0
        while done < data.size:
            got = os.preadv(self._original.descriptor, [data.data[done:]], start + done)
            if not got:
                raise InputError(
                    self._original.source.path, "became shorter while it was read", offset=start + done
                )
            done += got

    def _apply(self, piece: Piece, data: NDArray[np.uint8], counts: NDArray[np.int64]) -> None:
        rewriting, plan = self._rewriting, self._plan
        if piece.fate is Fate.BLANK:
            data[:] = 0
        elif piece.fate is Fate.LETTERS:
            data[:] = _LETTER
        elif piece.fate is Fate.WIDE_LETTERS:
            data[0::2], data[1::2] = 0, _LETTER
        elif piece.fate is Fate.RECORDS:
            chosen = slice(piece.first, piece.last)
            columns = plan.tags[chosen], plan.offsets[chosen], plan.lengths[chosen], plan.kept[chosen]
            rewrite_records(data, piece.start, *columns, self._id_size, *rewriting.key)
        elif piece.fate is Fate.OBJECTS:
            done = rewrite_sub_records(
                data, self._id_size, *rewriting.key, rewriting.class_keys, rewriting.class_rows, rewriting.lengths,
                rewriting.field_starts, rewriting.fields, rewriting.texts, rewriting.hash_codes, rewriting.bodies,
                counts,
            )  # fmt: skip
            # Only a file that changes under the reading has other sub-records now.
            data[done:] = 0


def redacted(
    rewriter: Rewriter,
    plan: Plan,
    write: Callable[[int, NDArray[np.uint8]], None],
    progress: Progress,
    *,
    ordered: bool,
) -> NDArray[np.int64]:
    """Rewrite all and hand it on; the sums of the counts.

    Args:
        rewriter: makes the bytes.
        plan: of which stretches.
        write: takes bytes and their place in the file.
        progress: who listens.
        ordered: call `write` in file order and from one thread; else from several at once.
    """
    progress.phase("redacting")
    counts = plan.counts.copy()

    def work(job: list[Piece]) -> tuple[int, NDArray[np.uint8] | None, NDArray[np.int64]]:
        data, counted = rewriter.redact(job)
        if ordered:
            return job[0].start, data.copy(), counted
        write(job[0].start, data)
        return job[0].start, None, counted

    with ThreadPoolExecutor(worker_count()) as pool:
        for start, data, counted in _in_order(pool, work, plan.jobs()):
            if data is not None:
                write(start, data)
            counts += counted
            progress.advance(start / max(plan.size, 1))
    return counts


def _in_order(
    pool: ThreadPoolExecutor, work: Callable[[list[Piece]], _Made], given: Iterator[list[Piece]]
) -> Iterator[_Made]:
    """Results in order, with only a few ahead of the one that is taken."""
    waiting: deque[Future[_Made]] = deque()
    for each in given:
        waiting.append(pool.submit(work, each))
        if len(waiting) > _AHEAD * worker_count():
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
