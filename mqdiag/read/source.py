"""A heap dump as bytes to walk over: mapped where it is plain, unpacked where it is packed in any way."""

from __future__ import annotations

import os
import stat

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.errors import InputError, empty_file, forbidden_file, given_folder, missing_file
from mqdiag.progress import Progress, Silent
from mqdiag.read.mapped_ahead import FileState
from mqdiag.read.mapping import map_file, refuse_changed
from mqdiag.read.sniff import PACKING_HEAD_BYTES, packing_of
from mqdiag.text import Text, say


class Source(msgspec.Struct):
    """An opened input.

    `data` is a read-only uint8 array of the uncompressed bytes.
    """

    path: str
    data: NDArray[np.uint8]
    file_bytes: int
    """size on disk, compressed if it is"""
    compression: str | None = None
    """how it is packed: "zip", "gzip-members" (many members, as the JVM writes them); None where it is not"""
    problem: Text | None = None
    """why the uncompressed data ends early"""
    state: FileState | None = None
    """state of a file that is mapped as it is; None for a copy in memory"""
    modified_ns: int = 0
    """when somebody last wrote to the file, in nanoseconds of the epoch"""

    def refuse_changed(self) -> None:
        """To be asked when everything was read.

        Raises:
            InputError: somebody has written to the file meanwhile.
        """
        if self.state is not None:
            refuse_changed(self.path, self.state)


def open_source(path: str, progress: Progress | None = None, max_inflated: int | None = None) -> Source:
    """Open a file.

    Args:
        path: the file.
        progress: told of the unpacking.
        max_inflated: bytes to which a packed file may inflate; see `open.dump.inflate`.

    Raises:
        InputError: missing, a directory, not readable, empty, or packed and nothing of it can be unpacked.
    """
    size = check_readable(path)
    try:
        with open(path, "rb") as file:
            state = FileState.of(file.fileno())
            if packing_of(file.read(PACKING_HEAD_BYTES)) is not None:
                # Here, not above: most dumps are not packed.
                from mqdiag.read.open.dump import inflate

                inflated = inflate(path, progress or Silent(), max_inflated)
                refuse_changed(path, state)
                return Source(
                    path,
                    inflated.data,
                    size,
                    inflated.compression,
                    inflated.problem,
                    modified_ns=state.modified_ns,
                )
            if state.size_bytes == 0:
                raise empty_file(path)
            data = np.frombuffer(map_file(file.fileno(), state.size_bytes, path), np.uint8)
    except PermissionError:
        raise forbidden_file(path) from None
    except OSError as error:
        raise InputError(path, say("cannot be read: {reason}", reason=str(error.strerror or error))) from None
    return Source(path=path, data=data, file_bytes=state.size_bytes, state=state, modified_ns=state.modified_ns)


def is_packed(path: str) -> bool:
    """Whether a file begins as packed data does; False for one that cannot be read."""
    try:
        with open(path, "rb") as file:
            is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return is_file and packing_of(file.read(PACKING_HEAD_BYTES)) is not None
    except (OSError, ValueError):
        return False


def check_readable(path: str) -> int:
    """The size of a file that may hold a dump.

    Raises:
        InputError: missing, a directory or other special file, or empty.
    """
    try:
        info = os.stat(path)
    except FileNotFoundError:
        raise missing_file(path) from None
    except OSError as error:
        raise InputError(path, say("cannot be opened: {reason}", reason=error.strerror)) from None
    if stat.S_ISDIR(info.st_mode):
        raise given_folder(path)
    if not stat.S_ISREG(info.st_mode):
        raise InputError(path, say("is not a regular file"), hint=say("copy the data to a file first"))
    if info.st_size == 0:
        raise empty_file(path)
    return info.st_size
