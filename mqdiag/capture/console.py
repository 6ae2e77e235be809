"""A thread dump that a JVM writes to its console, cut out of the file that the console goes to."""

from __future__ import annotations

import os
import time
from pathlib import Path

from mqdiag.capture.jdk import ToolFailed
from mqdiag.text import say

START = b"Full thread dump"
END = b"JNI global ref"
"""the last line of the threads; a summary of the heap may follow"""
MOST_SECONDS = 30.0
QUIET_SECONDS = 1.0
MOST_BYTES = 256 << 20
_STEP_SECONDS = 0.1


def console_dump(path: Path, before: int) -> bytes:
    """What the JVM wrote since then, once the dump is whole.

    Args:
        path: the console's file.
        before: its size before the signal; a file that is smaller now was started again.

    Raises:
        ToolFailed: no dump came; the console goes elsewhere.
        OSError: it cannot be read.
    """
    until = time.monotonic() + MOST_SECONDS
    size, quiet_since = -1, time.monotonic()
    while time.monotonic() < until:
        now = path.stat().st_size
        if now != size:
            size, quiet_since = now, time.monotonic()
        data = _since(path, before if now >= before else 0)
        if START in data:
            begun = data[data.index(START) :]
            if END in begun and time.monotonic() - quiet_since >= QUIET_SECONDS:
                return data
            if len(data) >= MOST_BYTES:
                return data
        time.sleep(_STEP_SECONDS)
    data = _since(path, before)
    if START in data:
        # other lines kept coming in between, or the end is written in another way
        return data
    raise ToolFailed(
        say(
            "no thread dump appeared in it within {limit_s:seconds}; it is not this JVM's console",
            limit_s=MOST_SECONDS,
        )
    )


def _since(path: Path, before: int) -> bytes:
    with path.open("rb") as file:
        file.seek(before)
        data = file.read(MOST_BYTES)
    return data[: data.rindex(b"\n") + 1] if b"\n" in data else b""


def is_readable_file(path: Path) -> bool:
    """Whether it is a regular file that this user can read."""
    return path.is_file() and os.access(path, os.R_OK)
