"""The file that a command works on; `-` is standard input, spooled so that it can be mapped."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from mqdiag.errors import OPEN_FILES, InputError
from mqdiag.text import say


@contextmanager
def given_file(name: str) -> Iterator[str]:
    """The path to read for the name of a heap dump as given."""
    if name != "-":
        yield name
        return
    if sys.stdin is None:
        raise InputError(name, say("standard input is closed"))
    # Here, not above: most commands get a file.
    from mqdiag.read.open.spool import spooled

    with spooled(name, sys.stdin.buffer, _may_be_a_dump) as spool:
        yield f"{OPEN_FILES}{spool.fileno()}"


def _may_be_a_dump(head: bytes) -> bool:
    from mqdiag.diagnose.read_heaps import is_histogram
    from mqdiag.read.sniff import Content, content_of, packing_of

    return packing_of(head) is not None or content_of(head) is Content.HEAP_DUMP or is_histogram(head)
