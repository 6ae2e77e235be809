"""The file that a command works on; `-` is standard input, spooled so that it can be mapped."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from mqdiag.errors import InputError


@contextmanager
def given_file(name: str) -> Iterator[str]:
    """The path to read for a name as given."""
    if name != "-":
        yield name
        return
    if sys.stdin is None:
        raise InputError(name, "standard input is closed")
    # Without a name, so that a killed run leaves no copy of a heap behind.
    with tempfile.TemporaryFile(prefix="mqdiag-stdin-") as spool:
        shutil.copyfileobj(sys.stdin.buffer, spool, 1 << 20)
        spool.flush()
        yield f"/proc/self/fd/{spool.fileno()}"
