"""A dump mapped into memory for one pass, with its pages given back after they were read, whatever its size."""

from __future__ import annotations

import mmap
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from mqdiag.errors import empty_file, forbidden_file
from mqdiag.progress import Passing, Progress
from mqdiag.read.mapped_ahead import FileState
from mqdiag.read.mapping import map_file, refuse_changed
from mqdiag.read.sniff import PACKING_HEAD_BYTES, PACKING_NAMES, packing_of
from mqdiag.read.source import Source, check_readable
from mqdiag.text import Text

RELEASE_BYTES = 8 << 20
"""after so many bytes, pages that were read are given back"""
_RELEASE_EVERY_S = 0.01
"""in that time two cores walk over some 60 MB"""


@dataclass(slots=True)
class MappedDump:
    """An opened dump, uncompressed."""

    source: Source
    descriptor: int
    mapped: mmap.mmap

    def release(self) -> None:
        """Give back what was mapped in by reading: it counts as memory of the process."""
        self.mapped.madvise(mmap.MADV_DONTNEED)


class Releasing(Passing):
    """Progress that gives back, after every few steps, what they read."""

    def __init__(self, progress: Progress, original: MappedDump) -> None:
        super().__init__(progress)
        self._original = original
        self._share = 0.0
        self._least_share = RELEASE_BYTES / original.source.data.size

    def phase(self, name: Text) -> None:
        """A new phase."""
        self._original.release()
        self._share = 0.0
        self._progress.phase(name)

    def advance(self, share: float) -> None:
        """A step of it, through the file from start to end."""
        if share - self._share > self._least_share:
            self._original.release()
            self._share = share
        self._progress.advance(share)


@contextmanager
def open_mapped(path: str, name: str, progress: Progress, max_inflated: int | None) -> Iterator[MappedDump]:
    """Open a dump; a packed one is unpacked into a nameless temporary file.

    Raises:
        InputError: see `mqdiag.read.source.open_source`.
    """
    file_bytes = check_readable(path)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except PermissionError:
        raise forbidden_file(name) from None
    opened = FileState.of(descriptor)
    problem, compression = None, None
    packing = packing_of(os.pread(descriptor, PACKING_HEAD_BYTES, 0))
    if packing is not None:
        # Here, not above: most dumps are not packed.
        from mqdiag.read.open.dump import inflate_to_disk

        os.close(descriptor)
        descriptor, problem = inflate_to_disk(path, progress, max_inflated)
        refuse_changed(path, opened)
        compression = PACKING_NAMES[packing]
    try:
        size = os.fstat(descriptor).st_size
        if size == 0:
            raise empty_file(name)
        mapped = map_file(descriptor, size, name)
        data = np.frombuffer(mapped, np.uint8)
        source = Source(name, data, file_bytes, compression, problem)
        if compression is None:
            source.state = opened
        yield MappedDump(source, descriptor, mapped)
    finally:
        os.close(descriptor)


@contextmanager
def releasing(release: Callable[[], None]) -> Iterator[None]:
    """Give back pages again and again: the reader's walk through one heap record of gigabytes makes no step between."""
    done = threading.Event()

    def repeat() -> None:
        while not done.wait(_RELEASE_EVERY_S):
            release()

    thread = threading.Thread(target=repeat, name="mqdiag-release", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
