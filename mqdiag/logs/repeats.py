"""What a few lines say again and again: people cut out what does not move."""

from __future__ import annotations

from collections import Counter

from mqdiag.facts.logs import EXCERPT_LINES
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs.levels import HEAD_BYTES, LOUD, level_in

LEAST_TIMES = 3
_TIME = lazy_pattern(rb"^[\[(]?[\d:.,TZ/+\- \t]{5,40}[\])]?")
_OF_A_RECORD = (b"at ", b"...", b"Caused by", b"}", b"{", b"See http", b"For more information")


def repeated_text(lines: list[bytes]) -> tuple[str, int] | None:
    """The text that at least half of a few lines have in common, and how often; None where there is none.

    Times do not count, numbers do: a counter or an offset that moves makes two texts. Warnings and errors are left out,
    because the catalogue judges them.
    """
    filled = [line.strip() for line in lines if line.strip()]
    if not LEAST_TIMES <= len(filled) < EXCERPT_LINES:  # a longer log repeats something in any case
        return None
    times = Counter(text for line in filled if (text := _quiet_text(line)))
    if not times:
        return None
    text, count = times.most_common(1)[0]
    if count < LEAST_TIMES or 2 * count < len(filled):
        return None
    return text.decode(errors="replace"), count


def _quiet_text(line: bytes) -> bytes | None:
    """A line without its time; None for a warning, an error or a part of a record."""
    if line.startswith(_OF_A_RECORD):
        return None
    level = level_in(line, HEAD_BYTES)
    if level is not None and level[0].upper() in LOUD:
        return None
    return _TIME.sub(b"", line, count=1).strip() or None
