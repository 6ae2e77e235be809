"""What can be read once only, copied to a nameless file for readers that go back and forth."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import IO

from mqdiag.errors import InputError
from mqdiag.files import fits
from mqdiag.read.open.limits import MOST_ZEROS
from mqdiag.read.sniff import HEAD_BYTES
from mqdiag.text import say

CHUNK = 1 << 20
CHECK_EVERY = 64 << 20


@contextmanager
def spooled(label: str, pipe: IO[bytes], wanted: Callable[[bytes], bool] | None = None) -> Iterator[IO[bytes]]:
    """What a pipe gives, as a file.

    Args:
        label: what the user calls it.
        pipe: where it comes from.
        wanted: asked of the first bytes; of what is not wanted no more than these is copied, so that its reader can
            say what it is and an endless pipe ends.

    Raises:
        InputError: it does not end, or there is no room for it.
    """
    head = pipe.read(HEAD_BYTES)
    more = wanted is None or wanted(head)
    with kept(label, chain((head,), _piped(label, pipe, zeros=not head.strip(b"\0")) if more else ())) as file:
        yield file


@contextmanager
def kept(label: str, chunks: Iterator[bytes]) -> Iterator[IO[bytes]]:
    """What chunks hold, as a file; those behind an error are missing.

    Raises:
        InputError: there is no room for them.
    """
    # Without a name, so that a killed run leaves no copy of a heap behind.
    with tempfile.TemporaryFile(prefix="mqdiag-stdin-") as file:
        written = unchecked = 0
        for chunk in chunks:
            written += len(chunk)
            unchecked += len(chunk)
            if unchecked >= CHECK_EVERY:
                unchecked = 0
                if not fits(tempfile.gettempdir(), CHECK_EVERY):
                    raise InputError(
                        label,
                        say(
                            "there is no room to keep it in {folder}, {size:bytes} so far",
                            folder=tempfile.gettempdir(),
                            size=written,
                        ),
                        hint=say("set TMPDIR to a folder with room, or name the file"),
                        lack="no-room",
                    )
            file.write(chunk)
        file.flush()
        file.seek(0)
        yield file


def _piped(label: str, pipe: IO[bytes], *, zeros: bool) -> Iterator[bytes]:
    # One system call at a time: within a longer read an interrupt would not be noticed until the pipe goes on.
    read = getattr(pipe, "read1", pipe.read)
    done = 0
    while chunk := read(CHUNK):
        zeros = zeros and not chunk.strip(b"\0")
        done += len(chunk)
        if zeros and done > MOST_ZEROS:
            raise InputError(label, say("only zero bytes come out of it"))
        yield chunk
