"""A file that is written over there, streamed into the folder of the capture."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from mqdiag.capture.folder import CaptureFolder
from mqdiag.capture.jdk import ToolFailed
from mqdiag.capture.remote.reach import ConnectionLost, Reach, stream
from mqdiag.files import RESERVE_BYTES, free_bytes
from mqdiag.text import say

_LONGEST_SIZE = 20
"""bytes of the line with the size of the file"""


def fetch_file(
    folder: CaptureFolder,
    note: dict[str, object],
    name: str,
    reach: Reach,
    script: str,
    *words: str,
    seconds: float,
) -> Path:
    """Run a script that prints the size of a file in bytes and then the file; a part that came is kept.

    Args:
        folder: where to.
        note: of the step; it keeps the name and the size.
        name: of the file in the folder.
        reach: the way there.
        script: which; see `SizedFile`.
        words: its arguments.
        seconds: how long it may take.

    Raises:
        ToolFailed: it did not print that.
        ConnectionLost: the way is gone.
        MqdiagError: the disk here is full.
    """
    note["file"] = name
    with folder.new_file(name) as file:
        sized = SizedFile(file)
        room = free_bytes(folder.path) - RESERVE_BYTES
        stream(reach, script, *words, out=sized, most_bytes=room, seconds=seconds)
        if sized.left is None:
            raise ToolFailed(say("the other side did not report the size of the file"))
        if sized.left:
            raise ConnectionLost(say("{bytes:count} bytes of the file did not come", bytes=sized.left))
    path = folder.path / name
    note["bytes"] = path.stat().st_size
    return path


class SizedFile:
    """Takes a line with a number of bytes, and then these bytes for a file.

    Raises:
        ToolFailed: the line is no number, or more bytes come than it says.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._head = b""
        self.left: int | None = None
        """bytes that are still to come; None before the line"""

    def write(self, data: bytes, /) -> None:
        """Take the next bytes."""
        if self.left is None:
            self._head += data
            line, end, data = self._head[: _LONGEST_SIZE + 1].partition(b"\n")
            if not end and len(self._head) <= _LONGEST_SIZE:
                return
            if not end or not line.isdigit():
                raise ToolFailed(say("the other side did not report the size of the file"))
            data = self._head[len(line) + 1 :]
            self.left = int(line)
        if len(data) > self.left:
            raise ToolFailed(say("the other side sent more than the file"))
        self._file.write(data)
        self.left -= len(data)
