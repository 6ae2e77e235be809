"""Gzip data in chunks, as far as it can be inflated."""

from __future__ import annotations

import contextlib
import io
import zlib
from collections.abc import Iterator
from typing import IO, Any

from mqdiag.errors import InputError
from mqdiag.read.unpacked import Unpacked
from mqdiag.text import say

CHUNK = 1 << 20


def inflated(label: str, stream: IO[bytes], counts: Unpacked) -> Iterator[bytes]:
    """All members of gzip data, as far as they can be inflated: what is cut shows as a cut dump.

    Raises:
        InputError: it inflates to more than it may.
    """
    inflater: Any = zlib
    with contextlib.suppress(ImportError):
        from isal import isal_zlib as inflater
    inflate = inflater.decompressobj(31)
    while raw := stream.read(CHUNK >> 2):
        while raw:
            try:
                out = inflate.decompress(raw, CHUNK)
            except Exception:
                # isal and zlib raise errors of their own classes; the data is damaged from here on
                return
            if out:
                counts.take(label, len(out))
                yield out
            if inflate.eof:
                # the next member, or zeros that fill up a tape's block
                raw = inflate.unused_data.lstrip(b"\0")
                inflate = inflater.decompressobj(31)
            else:
                raw = inflate.unconsumed_tail


def gzip_chunks(label: str, stream: IO[bytes], counts: Unpacked) -> Iterator[bytes]:
    """Chunks of gzip data.

    Raises:
        InputError: not one byte can be inflated, or it inflates to more than it may.
    """
    seen = False
    for chunk in inflated(label, stream, counts):
        seen = True
        yield chunk
    if not seen:
        raise InputError(label, say("is damaged gzip data"))


class Joined(io.RawIOBase):
    """A stream of chunks whose beginning was read already; members of an archive cannot seek."""

    def __init__(self, first: bytes, rest: Iterator[bytes]) -> None:
        self._first = first
        self._rest = rest

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as the next chunk goes."""
        taken = self._first or next(self._rest, b"")
        taken, self._first = taken[: len(buffer)], taken[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)
