"""Numbers of the lines on which threads begin in a file as it stands, for people who look it up."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.lazy_pattern import lazy_pattern

MOST_BYTES = 4 << 20
"""size of a text that is searched; a longer one has so many threads that nobody reads it by lines"""
MOST_NAME = 400
"""bytes of a name"""
_BEHIND_NAME = lazy_pattern(rb'" (?:#\d|daemon |(?:os_)?prio=|tid=|Id=|J9VMThread)')


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
        line, counted, free = 1, 0, 0
        for behind in _BEHIND_NAME.finditer(text):
            # From here backwards: a text of JSON is full of quotation marks, and hardly any has this behind it.
            least = max(free, behind.start() - MOST_NAME - 1)
            end = max(behind.start() - 1, 0)  # a name has at least one character
            first = text.find(b'"', max(least, text.rfind(b"\n", least, end + 1) + 1), end)
            if first < 0:
                continue
            line += text.count(b"\n", counted, first)
            counted, free = first, behind.end()
            self.lines[text[first + 1 : behind.start()].decode(errors="replace")] = line
