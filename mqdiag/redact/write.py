"""The plan carried out: stretches of the file read, rewritten and written on all cores."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import InputError
from mqdiag.progress import Progress
from mqdiag.read.cores import LEAST_BYTES, in_order, pool, worker_count
from mqdiag.read.hprof.mapped import MappedDump
from mqdiag.redact.keep import Rewriting
from mqdiag.redact.kernels.rewrite_objects import rewrite_sub_records
from mqdiag.redact.kernels.rewrite_records import rewrite_records
from mqdiag.redact.plan import JOB_BYTES, Action, Piece, Plan
from mqdiag.text import say

_Made = TypeVar("_Made")
_LETTER = ord("x")
_AHEAD = 2
"""portions for each thread that may wait to be written"""
_NOT_READ = (Action.BLANK, Action.LETTERS, Action.WIDE_LETTERS)
Write = Callable[[int, NDArray[np.uint8]], None]
"""takes bytes, valid until it returns, and their place in the file"""


class Rewriter:
    """Makes the redacted bytes of jobs."""

    def __init__(self, original: MappedDump, id_size: int, plan: Plan, rewriting: Rewriting) -> None:
        self._original, self._id_size, self._plan, self._rewriting = original, id_size, plan, rewriting
        self._local = threading.local()

    def redact(self, job: list[Piece], write: Write, *, holes: bool) -> NDArray[np.int64]:
        """Hand the bytes of a job to `write` in file order.

        Args:
            job: the pieces.
            write: where the bytes go.
            holes: leave out the zeros, which the file has already where nothing was written.

        Returns:
            arrays by action as the kernel counts them.
        """
        counts = np.zeros(4, np.int64)
        for is_read, pieces in _runs(job, holes=holes):
            start, end = pieces[0].start, pieces[-1].end
            data = self._buffer(end - start)
            if is_read:
                self._read(data, start)
            self._apply(pieces, data, counts)
            write(start, data)
        return counts

    def _buffer(self, size: int) -> NDArray[np.uint8]:
        found: NDArray[np.uint8] | None = getattr(self._local, "buffer", None)
        if found is None or found.size < size:
            found = self._local.buffer = np.empty(max(size, 2 * JOB_BYTES), np.uint8)
        return found[:size]

    def _read(self, data: NDArray[np.uint8], start: int) -> None:
        done = 0
        while done < data.size:
            got = os.preadv(self._original.descriptor, [data.data[done:]], start + done)
            if not got:
                raise InputError(
                    self._original.source.path, say("became shorter while it was read"), offset=start + done
                )
            done += got

    def _apply(self, pieces: list[Piece], data: NDArray[np.uint8], counts: NDArray[np.int64]) -> None:
        rewriting, plan, base = self._rewriting, self._plan, pieces[0].start
        stretches = []
        for piece in pieces:
            part = data[piece.start - base : piece.end - base]
            if piece.action is Action.OBJECTS:
                stretches.append((piece.start - base, piece.end - base))
            elif piece.action is Action.BLANK:
                part[:] = 0
            elif piece.action is Action.LETTERS:
                part[:] = _LETTER
            elif piece.action is Action.WIDE_LETTERS:
                part[0::2], part[1::2] = 0, _LETTER
            elif piece.action is Action.RECORDS:
                chosen = slice(piece.first, piece.last)
                columns = plan.tags[chosen], plan.offsets[chosen], plan.lengths[chosen], plan.kept[chosen]
                rewrite_records(part, piece.start, *columns, self._id_size, *rewriting.key)
        if stretches:
            starts, ends = np.array(stretches, np.int64).T.copy()
            rewrite_sub_records(
                data, starts, ends, self._id_size, *rewriting.key, rewriting.layouts, rewriting.kept, counts
            )


def _runs(job: list[Piece], *, holes: bool) -> Iterator[tuple[bool, list[Piece]]]:
    """(whether it must be read, pieces) of stretches that are made together."""
    for action, pieces in groupby(job, lambda piece: piece.action if piece.action in _NOT_READ else None):
        if not (holes and action is Action.BLANK):
            yield action is None, list(pieces)


def redacted(
    rewriter: Rewriter, plan: Plan, write: Write, progress: Progress, *, in_file: bool
) -> NDArray[np.int64]:
    """Rewrite all and hand it on; the sums of the counts.

    Args:
        rewriter: makes the bytes.
        plan: of which stretches.
        write: takes bytes and their place in the file.
        progress: who listens.
        in_file: `write` writes into a file of zeros, from several threads at once; else it gets everything, in file
            order and from one thread.
    """
    progress.phase(say("redacting"))
    counts = plan.counts.copy()

    def work(job: list[Piece]) -> tuple[list[tuple[int, NDArray[np.uint8]]], int, NDArray[np.int64]]:
        made: list[tuple[int, NDArray[np.uint8]]] = []
        if in_file:
            counted = rewriter.redact(job, write, holes=True)
        else:
            counted = rewriter.redact(job, lambda start, data: made.append((start, data.copy())), holes=False)
        return made, job[-1].end, counted

    with pool(worker_count(), is_large=plan.size >= LEAST_BYTES) as threads:
        for made, end, counted in in_order(threads, work, plan.jobs(holes=in_file), _AHEAD * worker_count()):
            for start, data in made:
                write(start, data)
            counts += counted
            progress.advance(end / max(plan.size, 1))
    return counts
