"""A pipe copied to a nameless file, for readers that go back and forth: within limits, if it can be evidence at all."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO

from mqdiag.errors import InputError
from mqdiag.files import fits
from mqdiag.read.sniff import HEAD_BYTES
from mqdiag.text import say

CHUNK = 1 << 20
CHECK_EVERY = 64 << 20
MOST_ZEROS = 256 << 20
"""a log that was truncated while it was written begins with zeros; more of them are no log"""


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
    # Without a name, so that a killed run leaves no copy of a heap behind.
    with tempfile.TemporaryFile(prefix="mqdiag-stdin-") as spool:
        head = pipe.read(HEAD_BYTES)
        spool.write(head)
        if wanted is None or wanted(head):
            _copy(label, pipe, spool, zeros=not head.strip(b"\0"))
        spool.flush()
        spool.seek(0)
        yield spool


def _copy(label: str, pipe: IO[bytes], spool: IO[bytes], *, zeros: bool) -> None:
    written = unchecked = 0
    # One system call at a time: within a longer read an interrupt would not be noticed until the pipe goes on.
    read = getattr(pipe, "read1", pipe.read)
    while chunk := read(CHUNK):
        zeros = zeros and not chunk.strip(b"\0")
        written += len(chunk)
        unchecked += len(chunk)
        if zeros and written > MOST_ZEROS:
            raise InputError(label, say("only zero bytes come out of it"))
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
        spool.write(chunk)
