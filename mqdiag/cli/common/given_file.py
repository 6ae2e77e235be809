"""The file that a command works on; `-` is standard input, spooled so that it can be mapped."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def given_file(name: str) -> Iterator[str]:
    """The path to read for a name as given."""
    if name != "-":
        yield name
        return
    with tempfile.NamedTemporaryFile(prefix="mqdiag-stdin-") as spool:
        shutil.copyfileobj(sys.stdin.buffer, spool, 1 << 20)
        spool.flush()
        yield spool.name
