"""All limits of packed evidence: what may come out of it, how many files, how deep, and what it may ask for."""

from __future__ import annotations

import io
from typing import IO, Any

from mqdiag.errors import InputError
from mqdiag.text import Text, say

LEAST_BYTES = 256 << 20
MOST_RATIO = 200
"""ratio of bytes that came out to bytes that were read; logs shrink to a hundredth at most, and what grows beyond this
is a bomb"""
LEAST_DUMP_BYTES = 16 << 30
MOST_DUMP_RATIO = 100
"""dumps shrink to a third or a tenth; what inflates beyond this is a bomb unless its owner says otherwise"""
MAX_DEPTH = 4
"""archives inside archives that are opened"""
MAX_MEMBERS = 20_000
MAX_UNPACKED = 64 << 30
"""bytes that one run writes to a disk"""
MAX_ZIP_DIRECTORY = 64 << 20
MAX_TAR_HEADER = 64 << 20
"""bytes between two members of a tar file; long names and attributes take a few KiB"""
MOST_DICTIONARY = 128 << 20
"""bytes for the dictionary of xz and zstd data, which the data itself asks for; `xz -9` needs 65 MiB"""
MOST_ZEROS = 256 << 20
"""a log that was truncated while it was written begins with zeros; more of them are no log"""


class TooMuchError(InputError):
    """More would come out of packed data than may."""


class Limits:
    """What may come out of packed files: counts what is read of them, and what comes out."""

    def __init__(self, most_members: int = MAX_MEMBERS) -> None:
        self.read_bytes = self.out_bytes = 0
        self._most_members = self._members = most_members
        self.are_exceeded = False

    def read(self, size: int) -> None:
        """So many packed bytes were read."""
        self.read_bytes += size

    def take(self, label: str, size: int) -> None:
        """Account for bytes that came out, or are about to.

        Raises:
            TooMuchError: that is too much for what was read.
        """
        self.out_bytes += size
        if not allowed(self.out_bytes, self.read_bytes):
            self.are_exceeded = True
            raise TooMuchError(
                label,
                say(
                    "unpacks to more than {least:bytes} and {ratio} times what was read of it",
                    least=LEAST_BYTES,
                    ratio=MOST_RATIO,
                ),
                hint=say("if you trust it, unpack it"),
            )

    def take_member(self, label: str) -> None:
        """Account for one more file.

        Raises:
            TooMuchError: there were too many.
        """
        if self._members <= 0:
            raise TooMuchError(
                label,
                say("holds more than {most:count} files", most=self._most_members),
                hint=say("unpack what matters"),
            )
        self._members -= 1

    def counting(self, stream: IO[bytes]) -> IO[bytes]:
        """A packed file; what is read of it is counted."""
        return io.BufferedReader(_Counting(stream, self), 1 << 16)


class DumpLimits(Limits):
    """What may come out of a packed heap dump.

    Args:
        packed_bytes: of the file.
        max_bytes: what its owner says; None for 16 GiB or a hundred times the file's size.
    """

    def __init__(self, packed_bytes: int, max_bytes: int | None) -> None:
        super().__init__()
        self._most = (
            max_bytes if max_bytes is not None else max(LEAST_DUMP_BYTES, MOST_DUMP_RATIO * packed_bytes)
        )

    @property
    def most_bytes(self) -> int:
        """To how many bytes it may inflate."""
        return self._most

    def take(self, label: str, size: int) -> None:
        """Account for bytes that came out, or are about to.

        Raises:
            TooMuchError: that is more than a file of its size may hold.
        """
        self.out_bytes += size
        if self.out_bytes > self._most:
            self.are_exceeded = True
            raise TooMuchError(
                label,
                say("inflates to more than {size:bytes}, the limit for a file of its size", size=self._most),
                hint=say("if it is a real dump, raise the limit: --max-inflated SIZE"),
            )


def allowed(out: int, read: int) -> bool:
    """Whether so many bytes may come out of so many packed ones."""
    return out <= LEAST_BYTES + MOST_RATIO * read


def nested_too_deep() -> Text:
    """Why an archive inside others is not opened."""
    return say("is an archive inside {count} others; unpack it first", count=MAX_DEPTH)


class _Counting(io.RawIOBase):
    def __init__(self, stream: IO[bytes], limits: Limits) -> None:
        self._stream, self._limits = stream, limits

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._stream.seekable()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._limits.read(len(data))
        return len(data)
