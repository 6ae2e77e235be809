"""Files that the process wrote where everybody may write, moved into the folder of the capture."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path

from mqdiag.capture.jdk import ToolFailed
from mqdiag.capture.target import Target
from mqdiag.text import say


def move_written(there: int, seen: str, kept: Path, target: Target) -> bool:
    """Whether the process wrote the file; it is in the folder of the capture then. Arguments as of `take_over`.

    Raises:
        ToolFailed: it is no file of the process.
        OSError: it cannot be moved.
    """
    if not os.access(os.path.basename(seen), os.F_OK, dir_fd=there, follow_symlinks=False):
        return False
    kept.parent.mkdir(exist_ok=True)
    take_over(there, seen, kept, target)
    return True


def take_over(there: int, seen: str, kept: Path, target: Target) -> None:
    """Move the file that the process wrote in a folder of everybody, and nothing that is there in its place.

    Args:
        there: the folder.
        seen: the file's path, as this process sees it.
        kept: where to.
        target: the process.

    Raises:
        ToolFailed: it cannot be opened, as a link cannot, or it is no regular file of the process's user.
    """
    name = os.path.basename(seen)
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=there)
    except OSError as error:
        raise ToolFailed(say("{path}: cannot be opened: {reason}", path=seen, reason=error.strerror)) from None
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise ToolFailed(say("{path}: is not a regular file; it is left there", path=seen))
        if found.st_uid != target.uid:
            raise ToolFailed(say("{path}: belongs to another user; it is left there", path=seen))
        try:
            os.rename(name, kept, src_dir_fd=there)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            with kept.open("wb") as copy:
                shutil.copyfileobj(file, copy)
            os.unlink(name, dir_fd=there)
            return
        # The folder is private: what was moved stays what it is.
        if not os.path.samestat(found, kept.lstat()):
            kept.unlink()
            raise ToolFailed(say("{path}: was replaced while it was moved", path=seen))
