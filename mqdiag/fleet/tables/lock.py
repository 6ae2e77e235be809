"""One run at a time in one output folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from mqdiag.errors import UsageError
from mqdiag.fleet.tables.layout import Layout
from mqdiag.text import say


class BusyError(UsageError):
    """Another run holds the output."""


@contextmanager
def output_lock(layout: Layout) -> Iterator[None]:
    """Hold the output folder; an object store has no locks, there the caller must see to it.

    Raises:
        BusyError: another run holds it.
        UsageError: it cannot be written.
    """
    if not layout.store.is_local:
        yield
        return
    try:
        os.makedirs(layout.root, exist_ok=True)
        descriptor = os.open(f"{layout.root}/_lock", os.O_WRONLY | os.O_CREAT, 0o666)
    except OSError as error:
        raise UsageError(say("--out {root}: {reason}", root=layout.root, reason=error.strerror)) from error
    with os.fdopen(descriptor, "w"):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BusyError(say("--out {root}: another run is at work there", root=layout.root)) from None
        yield
