"""How much may come out of packed data: 256 MiB, and a multiple of what was read of it so far."""

from __future__ import annotations

import io
from typing import IO, Any

from mqdiag.errors import InputError
from mqdiag.text import say

LEAST_BYTES = 256 << 20
MOST_RATIO = 200
"""logs shrink to a hundredth at most, dumps to a tenth; what grows beyond this is a bomb"""
MOST_XZ_MEMORY = 128 << 20
"""bytes for the dictionary of xz data, which the data itself asks for; `xz -9` needs 65 MiB"""


class Unpacked:
    """Counts what is read of packed files, and what comes out of them."""

    def __init__(self) -> None:
        self._read = self._out = 0

    def read(self, size: int) -> None:
        """So many packed bytes were read."""
        self._read += size

    def take(self, label: str, size: int) -> None:
        """Account for bytes that came out, or are about to.

        Raises:
            InputError: that is too much for what was read.
        """
        self._out += size
        if not allowed(self._out, self._read):
            raise InputError(
                label,
                say(
                    "unpacks to more than {least:bytes} and {ratio} times what was read of it",
                    least=LEAST_BYTES,
                    ratio=MOST_RATIO,
                ),
                hint=say("if you trust it, unpack it"),
            )

    def counting(self, stream: IO[bytes]) -> IO[bytes]:
        """A packed file; what is read of it is counted."""
        return io.BufferedReader(_Counting(stream, self), 1 << 16)


def allowed(out: int, read: int) -> bool:
    """Whether so many bytes may come out of so many packed ones."""
    return out <= LEAST_BYTES + MOST_RATIO * read


class _Counting(io.RawIOBase):
    def __init__(self, stream: IO[bytes], counts: Unpacked) -> None:
        self._stream, self._counts = stream, counts

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
        self._counts.read(len(data))
        return len(data)
