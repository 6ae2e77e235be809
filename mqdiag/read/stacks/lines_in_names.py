"""Names of threads with line ends: a reader of logs must not take what stands in them for lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs.scan import holds_any

_DUMP = b"Full thread dump"
_NAME = lazy_pattern(
    rb"(?<=\n)\"[^\"\n]{0,400}\n[^\"]{0,8000}\"(?= (?:#\d|daemon |prio=|os_prio=|tid=|Id=|\[))"
)
_TEXT = lazy_pattern(rb"[^\n]+")


def without_lines_in_names(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same text with nothing in such names of a thread dump, and as many lines.

    Args:
        chunks: of a text; a name that goes from one into the next stays.
    """
    has_dump = False
    for chunk in chunks:
        has_dump = has_dump or holds_any(chunk, (_DUMP,))
        yield _NAME.sub(_emptied, chunk) if has_dump else chunk


def _emptied(name: re.Match[bytes]) -> bytes:
    return _TEXT.sub(b" ", name[0])
