"""Texts whose newest lines stand first, as pages of Kibana, Grafana, CloudWatch and `journalctl -r` save them.

Below the first line of an exception such a text has what stood above it, so it is turned round before anybody reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.wrappers import FRAME

if TYPE_CHECKING:
    from mqdiag.read.logs.stamps import Stamp, StampReader

LEAST_FALLS = 3
"""times that are before the one above them; one is enough where frames stand above their exception"""
MOST_RISES = 0.05
"""share of rises: threads write some lines a little late"""
MOST_LINES = 400
"""lines of a sample that are looked at"""
LONGEST = 4000
"""characters of a line that are looked at"""
MOST_HELD = 128 << 20
"""characters of a text that is turned round; a longer one stays as it is"""
MOST_LINES_HELD = 2_000_000
"""lines of such a text: a short one takes more memory than its characters"""
_MAY_BE_A_TIME = lazy_pattern(r"\d\d:\d\d|\d[.,]\d{3}|\b\d{10,19}\b")
_STACK = lazy_pattern(r"(?:^|.{0,200}?\s)" + FRAME)


def _stamps() -> StampReader:
    """A reader of times, which no thread dump needs: it has one time."""
    from mqdiag.read.logs.stamps import StampReader

    return StampReader()


def _stamp(read: StampReader, line: str) -> Stamp | None:
    return read.of_line(line[:LONGEST].encode(errors="surrogateescape"))


def is_newest_first(lines: Sequence[str]) -> bool:
    """Whether the times of lines nearly all fall.

    Args:
        lines: of a text; those without a time do not count.
    """
    if len([line for line in lines[:MOST_LINES] if _MAY_BE_A_TIME.search(line, 0, LONGEST)]) < 2:
        return False
    read = _stamps()
    given = lines[:MOST_LINES]
    first = next((stamp for line in given if (stamp := _stamp(read, line)) is not None), None)
    last = next((stamp for line in reversed(given) if (stamp := _stamp(read, line)) is not None), None)
    if first is None or last is None or first.wall_ms <= last.wall_ms:
        return False  # nearly all texts
    times = [stamp.wall_ms for line in given if (stamp := _stamp(read, line)) is not None]
    fallen = sum(after < before for before, after in pairwise(times))
    risen = sum(after > before for before, after in pairwise(times))
    if risen > MOST_RISES * (fallen + risen):
        return False
    return fallen >= LEAST_FALLS or (not lines[0].startswith("{") and has_lines_turned(lines))


def has_lines_turned(lines: Sequence[str]) -> bool:
    """Whether each line of a text with its newest lines first is a row: frames stand above their exception then."""
    if lines[0].startswith("{"):
        return True
    read = _stamps()
    above = below = 0
    run: list[str] = []
    for line in lines[:MOST_LINES]:
        if _stamp(read, line) is None:
            run.append(line)
            continue
        if run and any(map(_STACK.match, run)):
            is_above = _STACK.match(run[0]) is not None
            above += is_above
            below += not is_above
        run = []
    return above > below


class OldestFirst:
    """A text turned round, by its lines, or by its records with what stands below each of them.

    Args:
        by_lines: whether each line is a row.
    """

    def __init__(self, *, by_lines: bool) -> None:
        self._by_lines = by_lines
        self._held: list[str] = []
        self._size = self._lines = 0
        self._is_too_long = False

    def __call__(self, text: str) -> str:
        """Nothing until the end of the text, for which "" stands."""
        if self._is_too_long:
            return text
        self._held.append(text)
        self._size += len(text)
        self._lines += text.count("\n")
        if text and self._size <= MOST_HELD and self._lines <= MOST_LINES_HELD:
            return ""
        held = "".join(self._held)
        self._held = []
        self._size = self._lines = 0
        self._is_too_long = bool(text)
        return held if self._is_too_long else self._turned(held)

    def _turned(self, text: str) -> str:
        lines = text.removesuffix("\n").split("\n") if text else []
        # a record of JSON that was cut with the text
        cut = (
            [lines.pop()]
            if lines and lines[-1].startswith("{") and not lines[-1].rstrip().endswith("}")
            else []
        )
        if not self._by_lines:
            lines = ["\n".join(record) for record in _records(lines)]
        return "".join(f"{line}\n" for line in (*reversed(lines), *cut))


def _records(lines: Sequence[str]) -> list[list[str]]:
    """Lines with a time, each with the lines below it that have none."""
    read = _stamps()
    records: list[list[str]] = []
    for line in lines:
        if not records or _stamp(read, line) is not None:
            records.append([])
        records[-1].append(line)
    return records
