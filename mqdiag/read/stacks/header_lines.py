"""Numbers of the lines on which threads begin in a file as it stands, for people who look it up."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.lazy_pattern import lazy_pattern

MOST_BYTES = 4 << 20
"""size of a text that is searched; a longer one has so many threads that nobody reads it by lines"""
_HEADER = lazy_pattern(rb'"([^"\n]{1,400})" (?:#\d|daemon |(?:os_)?prio=|tid=|Id=|J9VMThread)')


class HeaderLines:
    """The line of each thread's last header in one text."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}
        """by name; empty where the text is too long"""

    def of(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """The chunks, which are searched at their end."""
        size = 0
        kept: list[bytes] = []
        for chunk in chunks:
            size += len(chunk)
            if size <= MOST_BYTES:
                kept.append(chunk)
            else:
                kept.clear()
            yield chunk
        self._search(b"".join(kept))

    def _search(self, text: bytes) -> None:
        line, at = 1, 0
        for found in _HEADER.finditer(text):
            line += text.count(b"\n", at, found.start())
            at = found.start()
            self.lines[found[1].decode(errors="replace")] = line
