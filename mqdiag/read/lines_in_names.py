"""Names of threads with line ends: a reader must not take what stands in them for lines of a log or of the JVM."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs.scan import holds_any

_DUMP = b"Full thread dump"
_FIRST, _REST = 400, 8_000
"""bytes of a name in its first line and behind it"""
_NAME = lazy_pattern(
    rb"(?<=\n)\"[^\"\n]{0,%d}\n[^\"]{0,%d}\"(?= (?:#\d|daemon |prio=|os_prio=|tid=|Id=|\[))" % (_FIRST, _REST)
)
_TEXT = lazy_pattern(rb"[^\n]+")
_BEGINS = b'\n"'
_BEHIND = 16
"""bytes behind a name that show that it is one"""


def without_lines_in_names(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same text with nothing in such names of a thread dump, and as many lines.

    Args:
        chunks: of a text, cut anywhere.
    """
    has_dump, held = False, b""
    for chunk in chunks:
        has_dump = has_dump or holds_any(chunk, (_DUMP,))
        if not has_dump:
            yield chunk
            continue
        text = _NAME.sub(_emptied, held + chunk)
        kept = len(text) - _open_at_end(text)
        held = text[kept:]
        if kept:
            yield text[:kept]
    if held:
        yield held


def _open_at_end(text: bytes) -> int:
    """Bytes at the end of a text that may be the beginning of such a name."""
    least = max(0, len(text) - _FIRST - _REST)
    begin = text.rfind(_BEGINS, least)
    before = text.rfind(_BEGINS, least, max(begin, 0))
    if before >= 0 and text.find(b'"', before + len(_BEGINS)) == begin + 1:
        begin = before  # the last quotation mark ends the name, on a line of its own
    end = -1 if begin < 0 else text.find(b'"', begin + len(_BEGINS))
    if begin >= 0 and (end < 0 or len(text) - end <= _BEHIND):
        return len(text) - begin
    return int(text.endswith(_BEGINS[:1]))


def _emptied(name: re.Match[bytes]) -> bytes:
    return _TEXT.sub(b" ", name[0])
