"""A dump redacted into a new file, which is there whole or not at all."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from mqdiag.errors import InputError, OutputError, UsageError
from mqdiag.files import RESERVE_BYTES, fits, free_bytes, whole_file
from mqdiag.kernel.ahead import compile_ahead
from mqdiag.progress import Progress, Silent
from mqdiag.read.hprof.mapped import Releasing, open_mapped
from mqdiag.read.hprof.outline import Outline, read_outline
from mqdiag.read.irreplaceable import refuse_input
from mqdiag.read.source import Source
from mqdiag.redact.keep import find_kept
from mqdiag.redact.kernels import rewrite_objects as kernel
from mqdiag.redact.plan import Plan, make_plan
from mqdiag.redact.retained_classes import RetainedClasses
from mqdiag.redact.write import Rewriter, redacted
from mqdiag.text import Text, say

_GZIP_SUFFIX = ".gz"
_GZIP_LEVEL = 1
_GZIP = 31  # zlib window bits for a gzip header and trailer
_LEAST_RATIO = 20
"""redacted dumps shrink less than that, so no packed one needs more disk than this part of its size"""


@dataclass(frozen=True, kw_only=True)
class Redacted:
    """What was written."""

    path: str
    bytes: int
    """bytes of the dump, before compression"""
    kept_texts: int
    """names and numbers that stay, in `byte[]` and `char[]`"""
    replaced_texts: int
    """other `byte[]` and `char[]`, now letters"""
    blanked_bodies: int
    """bodies of messages, now zeros"""
    blanked_arrays: int
    """other arrays of primitives, now zeros"""
    unread_bytes: int
    """zeros in the place of what could not be read"""
    problem: Text | None
    """what is wrong with the input"""
    stopped_at: int | None
    """byte of the uncompressed input where it first could not be read"""
    further_dumps: int
    """dumps behind the first in the same file, left out"""


def redact_dump(
    path: str | Path,
    target: Path,
    *,
    force: bool = False,
    digits_go: bool = False,
    progress: Progress | None = None,
    max_inflated: int | None = None,
    name: str | None = None,
) -> Redacted:
    """Write a dump that can be shared.

    Args:
        path: the dump, plain or gzip.
        target: the new file; compressed when its name ends in .gz. Never the dump itself.
        force: replace an older file of that name.
        digits_go: replace texts of digits too, numbers of cards and telephones among them.
        progress: who listens.
        max_inflated: bytes to which a gzip dump may inflate.
        name: what the user called the dump, where that is not `path`.

    Raises:
        UsageError: the target cannot be written there.
        InputError: the dump cannot be read at all.
        OutputError: the new file could not be written.
    """
    progress = progress or Silent()
    check_target(str(path), target, force=force)
    with open_mapped(str(path), name or str(path), progress, max_inflated) as original:
        compile_ahead(progress, "redact")
        progress = Releasing(progress, original)
        outline, asked, index = read_outline(original.source, RetainedClasses, original.release, progress)
        if not index.has_objects():
            raise InputError(
                original.source.path,
                say(
                    "no object could be read: {problem}",
                    problem=outline.problem or say("the heap record is empty"),
                ),
                hint=say("compare the file's size with the original and copy it again"),
                offset=outline.stopped_at,
            )
        rewriting = find_kept(outline, asked, index, progress, original.release, digits_go=digits_go)
        plan = make_plan(outline, rewriting, index)
        _check_free_space(target, plan.size)
        rewriter = Rewriter(original, outline.header.id_size, plan, rewriting)
        try:
            counts = _write(target, original.source, plan, rewriter, progress)
        except OSError as error:
            raise OutputError(
                say(
                    "{target}: the dump could not be written: {strerror}",
                    target=str(target),
                    strerror=error.strerror,
                )
            ) from error
        return _summary(target, outline, plan, counts)


def check_target(source: str, target: Path, *, force: bool) -> None:
    """Refuse a place that cannot be written, or must not be.

    Raises:
        UsageError: with what to do.
    """
    try:
        _check_target(source, target, force=force)
    except OSError as error:
        raise UsageError(say("{target}: {reason}", target=str(target), reason=error.strerror)) from error


def _check_target(source: str, target: Path, *, force: bool) -> None:
    if target.is_dir():
        raise UsageError(say("{target}: is a folder; name a file in it", target=str(target)))
    if target.exists():
        refuse_input(target, str(target), (source,))
        if not target.is_file():
            raise UsageError(say("{target}: is not a regular file", target=str(target)))
        if not force:
            raise UsageError(say("{target}: is there already; --force replaces it", target=str(target)))
    folder = target.resolve().parent
    if not folder.is_dir():
        raise UsageError(say("{target}: there is no folder {folder}", target=str(target), folder=str(folder)))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(
            say("{target}: no permission to write in {folder}", target=str(target), folder=str(folder))
        )


def _check_free_space(target: Path, size: int) -> None:
    needed = size // _LEAST_RATIO if target.suffix == _GZIP_SUFFIX else size
    folder = target.resolve().parent
    if not fits(folder, needed):
        raise OutputError(
            say(
                (
                    "{target}: {what:count} MiB are needed, {folder} has {what_2:count} MiB free; name a file"
                    " on another disk"
                ),
                target=str(target),
                what=needed + RESERVE_BYTES >> 20,
                folder=str(folder),
                what_2=free_bytes(folder) >> 20,
            )
        )


def _write(
    target: Path, source: Source, plan: Plan, rewriter: Rewriter, progress: Progress
) -> NDArray[np.int64]:
    with whole_file(target.resolve()) as file:
        counts = _fill(file, target, plan, rewriter, progress)
        source.refuse_changed()
        return counts


def _fill(
    file: BinaryIO, target: Path, plan: Plan, rewriter: Rewriter, progress: Progress
) -> NDArray[np.int64]:
    if target.suffix == _GZIP_SUFFIX:
        compressor = isal_zlib.compressobj(_GZIP_LEVEL, isal_zlib.DEFLATED, _GZIP)
        counts = redacted(
            rewriter, plan, lambda _, data: _put(file, compressor.compress(data)), progress, in_file=False
        )
        _put(file, compressor.flush())
        return counts
    descriptor = file.fileno()
    # Of a file with its full length, several threads may write parts at once, and what none writes is zeros.
    os.ftruncate(descriptor, plan.size)
    return redacted(
        rewriter, plan, lambda start, data: _write_at(descriptor, start, data), progress, in_file=True
    )


def _put(file: BinaryIO, data: bytes) -> None:
    file.write(data)


def _write_at(descriptor: int, start: int, data: NDArray[np.uint8]) -> None:
    done = 0
    while done < data.size:
        done += os.pwrite(descriptor, data.data[done:], start + done)


def _summary(target: Path, outline: Outline, plan: Plan, counts: NDArray[np.int64]) -> Redacted:
    kept, replaced, bodies, blanked = (
        int(counts[place]) for place in (kernel.KEPT, kernel.REPLACED, kernel.BODIES, kernel.BLANKED)
    )
    return Redacted(
        path=str(target),
        bytes=plan.size,
        kept_texts=kept,
        replaced_texts=replaced,
        blanked_bodies=bodies,
        blanked_arrays=blanked,
        unread_bytes=plan.unread_bytes,
        problem=outline.problem,
        stopped_at=outline.stopped_at,
        further_dumps=outline.further_dumps,
    )
