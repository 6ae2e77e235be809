"""Files that are written whole or not at all, the free space of the disk that takes them, and who else opens a path."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

RESERVE_BYTES = 64 << 20
"""stays free on every disk that mqdiag writes large files to: other programs of the host write there too"""
_unfinished: set[str] = set()
"""files that have not got their name yet, and temporary folders"""


@contextmanager
def whole_file(
    path: str | os.PathLike[str], *, mode: int | None = None, durable: bool = False
) -> Iterator[BinaryIO]:
    """A new file, which takes its name when the block ends: readers see the old file or the complete new one.

    The file is written beside its final place. When the block or the disk fails, it is removed, and an older file of
    that name stays as it was.

    Args:
        path: the final name. A link of that name is replaced, not followed.
        mode: permissions of the new file; None for those that the umask gives to any new file.
        durable: wait until the disk has the content.

    Raises:
        OSError: the file cannot be written there.
    """
    folder, name = os.path.split(os.fspath(path))
    # 50 characters are at most 200 bytes, so that the longer name fits into the 255 bytes of a file system.
    beside = os.path.join(folder, f".{name[:50]}.{os.urandom(8).hex()}")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(beside, flags, 0o666 if mode is None else mode)
    _unfinished.add(beside)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            if mode is not None:
                os.fchmod(descriptor, mode)
            yield file
            file.flush()
            if durable:
                os.fsync(descriptor)
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise
    finally:
        _unfinished.discard(beside)


def write_whole(
    path: str | os.PathLike[str], data: bytes, *, mode: int | None = None, durable: bool = False
) -> None:
    """Write a file in one piece; arguments and errors as in `whole_file`."""
    with whole_file(path, mode=mode, durable=durable) as file:
        file.write(data)


@contextmanager
def temporary_folder() -> Iterator[str]:
    """A folder that is gone after the block."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="mqdiag-") as folder:
        _unfinished.add(folder)
        try:
            yield folder
        finally:
            _unfinished.discard(folder)


def remove_unfinished() -> None:
    """Remove files that are half written and temporary folders, for a process that ends without unwinding."""
    import shutil

    for path in list(_unfinished):
        with contextlib.suppress(OSError):
            os.unlink(path)
        shutil.rmtree(path, ignore_errors=True)


def free_bytes(folder: str | os.PathLike[str] | int) -> int:
    """Bytes that this user can still write to the disk of a folder, which may be a descriptor."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def fits(folder: str | os.PathLike[str], size_bytes: int) -> bool:
    """Whether the disk of a folder takes so many bytes and keeps its reserve."""
    return free_bytes(folder) >= size_bytes + RESERVE_BYTES


def opens_elsewhere(path: str) -> bool:
    """Whether another process opens the same file by this path: not a pipe, nor a file by a descriptor's number."""
    if path.startswith(("/dev/", "/proc/")):
        return False
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False
