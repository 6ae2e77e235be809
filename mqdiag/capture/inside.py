"""Opens files of a process that may run in a container, and change its folders at any moment.

A path of a container is walked here step by step, each folder by its descriptor: to the kernel an absolute link would
begin at the root of whoever opens it, and a folder that is exchanged for a link between a check and the opening would
lead to a file of the host.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

MOST_LINKS = 40


def open_file(root: str, path: str) -> int:
    """Open a regular file for reading, and return its descriptor.

    Args:
        root: where the process's file system begins, seen from here; "" where it is that of this process.
        path: inside it.

    Raises:
        OSError: it is not there, no regular file, or may not be read.
    """
    place = _place(root, path)
    try:
        if not stat.S_ISREG(os.fstat(place).st_mode):
            raise OSError(errno.EINVAL, "No regular file", path)
        return os.open(f"/proc/self/fd/{place}", os.O_RDONLY)
    finally:
        os.close(place)


@contextmanager
def opened_folder(root: str, path: str) -> Iterator[int]:
    """A folder as a descriptor, relative to which its files are named; see `open_file`.

    Raises:
        OSError: it is not there, no folder, or may not be read.
    """
    place = _place(root, path)
    try:
        folder = os.open(f"/proc/self/fd/{place}", os.O_RDONLY | os.O_DIRECTORY)
    finally:
        os.close(place)
    try:
        yield folder
    finally:
        os.close(folder)


def _place(root: str, path: str) -> int:
    """A descriptor that can only be looked at or opened again: nothing happens to a pipe or device."""
    if "\0" in path:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
    if not root:
        return os.open(path, os.O_PATH)
    folders = [os.open(root, os.O_PATH | os.O_DIRECTORY)]
    left, links = path.split("/")[::-1], 0
    try:
        while left:
            part = left.pop()
            if part == ".." and len(folders) > 1:
                os.close(folders.pop())
            if part in ("", ".", ".."):
                continue
            found = os.open(part, os.O_PATH | os.O_NOFOLLOW, dir_fd=folders[-1])
            folders.append(found)
            if not stat.S_ISLNK(os.fstat(found).st_mode):
                continue
            links += 1
            if links > MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
            link = os.readlink("", dir_fd=found)
            stays = 1 if link.startswith("/") else len(folders) - 1
            while len(folders) > stays:
                os.close(folders.pop())
            left += link.split("/")[::-1]
        return folders.pop()
    finally:
        for folder in folders:
            os.close(folder)
