"""Requests on standard input, in which halves of characters are mended: the SDK answers no request that has one."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_ESCAPES = re.compile(
    rb"(?i:\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|(?P<half>(?i:\\ud[89a-f][0-9a-f]{2}))|\\."
)
_NO_CHARACTER = rb"\ufffd"


def mended(line: bytes) -> bytes:
    """A line of JSON in which each half of a character is the character that stands for none."""
    return _ESCAPES.sub(lambda found: found[0] if found["half"] is None else _NO_CHARACTER, line)


class _Requests(io.RawIOBase):
    """The mended lines of a file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._rest = memoryview(b"")
        """what is left of a line; a view, since a line may have many megabytes and is taken in small parts"""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        if not self._rest:
            self._rest = memoryview(mended(self._file.readline()))
        room = memoryview(buffer).cast("B")
        count = min(len(room), len(self._rest))
        room[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


@contextmanager
def requests() -> Iterator[None]:
    """Let `sys.stdin` give the mended requests; programs that a question starts find an empty standard input."""
    if sys.stdin is None:
        yield
        return
    given, copy = sys.stdin, os.dup(0)
    with os.fdopen(os.open(os.devnull, os.O_RDONLY), "rb") as empty:
        os.dup2(empty.fileno(), 0)
    try:
        with os.fdopen(os.dup(copy), "rb") as file:
            sys.stdin = io.TextIOWrapper(io.BufferedReader(_Requests(file)), encoding="utf-8")
            yield
    finally:
        sys.stdin = given
        os.dup2(copy, 0)
        os.close(copy)
