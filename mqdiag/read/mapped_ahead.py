"""A dump that is mapped, and its pages brought into the page table, while Python still imports what will read it.

A mapping begins with no page, and each one that is read costs a fault: a tenth of a second for each gigabyte, which
the walk over the objects would pay. While modules are imported a second core has nothing to do.
"""

from __future__ import annotations

import mmap
import os
import stat
import threading
from contextlib import suppress
from typing import NamedTuple

_LEAST_BYTES = 64 << 20
"""size of a file; a smaller one has too few faults to be worth a thread"""
_FAULT_BYTES = 64 << 10
"""which Linux maps around a page that is read first, as far as they are in memory (fault_around_bytes)"""
_TOUCHED_TOGETHER = 1024
"""bytes of one call, IOV_MAX of Linux"""
_WINDOW_BYTES = _TOUCHED_TOGETHER * _FAULT_BYTES
_PROBES = 4
"""pages of a window that are tested for whether it is in memory"""
_HEAD = b"JAVA PROFILE 1.0."
_SAMPLES = 16
"""places of a dump that tell whether a walk reads most of it"""
_SAMPLE_BYTES = 4 << 10
_ZEROS, _LEAST_ZEROS = b"\0\0\0", 64
"""repeated bytes that make up much of a sample: lengths, counts and most ids begin so, and small objects are full of
these"""
_LEAST_DIFFERENT = 24
"""values of the bytes of a sample, which an array of zeros has not"""


class FileState(NamedTuple):
    """What changes when somebody writes to a file."""

    device: int
    inode: int
    size_bytes: int
    modified_ns: int

    @staticmethod
    def of(file: str | int) -> FileState:
        """The state now, by path or descriptor."""
        found = os.stat(file)
        return FileState(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


class _Ahead(NamedTuple):
    state: FileState
    mapped: mmap.mmap
    is_taken: threading.Event


_ahead: list[_Ahead] = []
"""what nobody has taken yet, one at most"""


def map_ahead(path: str, kept_in: str | None) -> None:
    """Map a plain dump that is in memory, on a machine with more than one core; anything else is left alone.

    So is a dump that consists of large arrays, such as message bodies, for a walk skips these.

    Args:
        path: the file.
        kept_in: folder where an earlier run may have kept what it computed of the dump; None where that does not
            matter. Such a dump is hardly read: nothing is done unless the file is newer than all that is in the folder.
    """
    with suppress(OSError, ValueError, RuntimeError):
        found = os.stat(path)
        if (
            not stat.S_ISREG(found.st_mode)  # to open and close a pipe would end who writes to it
            or found.st_size < _LEAST_BYTES
            or len(os.sched_getaffinity(0)) < 2
            or (kept_in is not None and not _is_newer(found, kept_in))
        ):
            return
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            if os.pread(descriptor, len(_HEAD), 0) != _HEAD or not _has_small_objects(
                descriptor, found.st_size
            ):
                return
            state = FileState.of(descriptor)
            mapped = mmap.mmap(descriptor, state.size_bytes, access=mmap.ACCESS_READ)
            ahead = _Ahead(state, mapped, threading.Event())
            own = os.dup(descriptor)
        finally:
            os.close(descriptor)
        thread = threading.Thread(target=_touch, args=(own, ahead), name="mqdiag-map-ahead", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # this user may start no more threads
            os.close(own)
            raise
        _ahead[:] = [ahead]


def taken_ahead(descriptor: int, size_bytes: int) -> mmap.mmap | None:
    """The mapping of a file, if mapped ahead and nobody has written to it since; no more pages are brought in."""
    if not _ahead:
        return None
    ahead = _ahead.pop()
    ahead.is_taken.set()
    return ahead.mapped if ahead.state == FileState.of(descriptor) and len(ahead.mapped) == size_bytes else None


def _is_newer(found: os.stat_result, folder: str) -> bool:
    try:
        return found.st_mtime_ns > os.stat(folder).st_mtime_ns
    except FileNotFoundError:
        return True


def _has_small_objects(descriptor: int, size_bytes: int) -> bool:
    """Whether most samples of a dump look like small objects, for which a walk reads each page.

    Raises:
        OSError: a sample is not in memory, or the file system does not tell.
    """
    found = 0
    for number in range(_SAMPLES):
        sample = bytearray(_SAMPLE_BYTES)
        os.preadv(descriptor, [sample], size_bytes * number // _SAMPLES, os.RWF_NOWAIT)
        found += sample.count(_ZEROS) >= _LEAST_ZEROS and len(set(sample)) >= _LEAST_DIFFERENT
    return found > _SAMPLES // 2


def _touch(descriptor: int, ahead: _Ahead) -> None:
    """Have the system read a byte every `_FAULT_BYTES`.

    It copies them into a pipe: outside of the GIL, and with an error instead of a signal where the file was cut.
    """
    reader, writer = os.pipe()
    view = memoryview(ahead.mapped)
    try:
        with suppress(OSError):
            for begin in range(0, len(view), _WINDOW_BYTES):
                end = min(begin + _WINDOW_BYTES, len(view))
                if ahead.is_taken.is_set() or not _is_in_memory(descriptor, begin, end):
                    return
                os.writev(writer, [view[at : at + 1] for at in range(begin, end, _FAULT_BYTES)])
                os.read(reader, _TOUCHED_TOGETHER)
    finally:
        for each in (reader, writer, descriptor):
            os.close(each)


def _is_in_memory(descriptor: int, begin: int, end: int) -> bool:
    """Whether no part of a window must come from the disk first: there, readers ask for more than a page at a time.

    Raises:
        OSError: the file system does not tell.
    """
    probe = bytearray(1)
    try:
        for at in range(begin, end, max((end - begin) // _PROBES, 1)):
            os.preadv(descriptor, [probe], at, os.RWF_NOWAIT)
    except BlockingIOError:
        return False
    return True
