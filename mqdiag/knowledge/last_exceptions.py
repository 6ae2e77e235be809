"""What the deepest exception of a start that failed means, as `last_exceptions.toml` says it."""

# Without annotations as strings: msgspec would compile each of them at the first use of a type, 0.2 ms in each run.

import re
from functools import cache
from typing import NamedTuple

import msgspec

from mqdiag.knowledge import packed


class LastException(NamedTuple):
    """One row."""

    kind: str
    """kind of the event"""
    thrown: str
    """pattern of the exception with its message"""
    frames: str
    """pattern of the frames; empty where they do not matter"""


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rows: tuple[LastException, ...]


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str], re.Pattern[str] | None], ...]:
    rows = packed.decode(packed.ROOT, "last_exceptions", _Table).rows
    return tuple(
        (row.kind, re.compile(row.thrown), re.compile(row.frames) if row.frames else None) for row in rows
    )


def kind_of_last(thrown: str, frames: str) -> str | None:
    """The kind of event that an exception means; None where no row has it."""
    for kind, of_thrown, of_frames in _patterns():
        if of_thrown.search(thrown) is not None and (of_frames is None or of_frames.search(frames) is not None):
            return kind
    return None
