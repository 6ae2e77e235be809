"""Texts as lines of a terminal, and as columns beside each other: widths are counted in its cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mqdiag.lazy_pattern import lazy_pattern

NARROWEST = 7
"""cells that a column of words has at least, however narrow the page is"""
USUAL_WORD = 12
"""cells of words that a narrow column may not break, such as a date"""
_OWN_SIGNS = dict.fromkeys(map(ord, "…─·—–’“”"))
"""characters of our own texts that take one cell"""
_UNIT = r"(?<=\d) (?=%|(?:B|KiB|MiB|GiB|TiB|ms|s|min|h|days)\b)"
_WIDE = r"\u3000-\u303f\u4e00-\u9fff\uff01-\uff5e"
_CLOSING, _OPENING = "，。；：、？！）》」』”’", "（《「『“‘"
# Lines of Chinese may break between any two characters, but not before a closing mark or behind an opening one.
_CHINESE_BREAK = lazy_pattern(
    rf"(?<=[{_WIDE}”’])(?<![{_OPENING}])(?=[^\s{_CLOSING}])|(?<=[^\s{_OPENING}])(?=[{_WIDE}“‘])(?![{_CLOSING}])"
)
_WORD = lazy_pattern(r"\s*\S+\s*")
# No line breaks between a number and its unit.
_WORD_OR_AMOUNT = lazy_pattern(rf"\s*(?:\S|{_UNIT})+\s*")


def cell_len(text: str) -> int:
    """Cells that a text without control characters takes."""
    if text.isascii() or text.translate(_OWN_SIGNS).isascii():
        return len(text)
    from rich import cells  # most reports have no other character

    return cells.cell_len(text)


def chopped(text: str, width: int) -> list[str]:
    """A word in pieces of at most so many cells."""
    if text.isascii():
        return [text[at : at + width] for at in range(0, len(text), width)]
    from rich import cells

    return cells.chop_cells(text, width)


def wrapped(text: str, width: int, *, keep_units: bool = False, cut: bool = True) -> list[str]:
    """A text as lines, one at least.

    Args:
        text: without line breaks.
        width: cells of a line.
        keep_units: leave a number and its unit on one line.
        cut: break a word that is longer than a line. Without it the line is longer: a frame, a setting or a path that a
            person copies must be whole.
    """
    width = max(width, NARROWEST)
    if len(text) <= width and text.isascii():
        return [text.rstrip()]
    lines: list[str] = []
    line, used = "", 0
    for word in _words(text, _WORD_OR_AMOUNT if keep_units else _WORD):
        visible = word.rstrip()
        needed = cell_len(visible)
        if used + needed <= width:
            line, used = line + word, used + cell_len(word)
            continue
        if line:
            lines.append(line)
        if needed > width and cut:
            *whole, visible = chopped(visible, width)
            lines += whole
            word = visible + " " * (len(word) - len(word.rstrip()))
        line, used = word, cell_len(word)
    lines.append(line)
    return [line.rstrip() for line in lines]


def flowing(parts: Iterable[str], width: int) -> list[str]:
    """Short texts one behind the other, with a dot between them; a line breaks inside of one only where it must."""
    lines: list[str] = []
    for part in parts:
        if lines and cell_len(lines[-1]) + cell_len(part) + 5 <= width:
            lines[-1] += f" · {part}"
            continue
        if lines:
            lines[-1] += " ·"
        lines += wrapped(part, width - 2, keep_units=True)
    return lines


def _words(text: str, word: re.Pattern[str]) -> Iterator[str]:
    """The parts between which a line may break, with the spaces behind each."""
    for found in word.findall(text):
        # compiling the pattern takes as long as wrapping a page, and no word of other languages needs it
        if any(one >= "\u3000" or one in "”’“‘" for one in found):
            yield from _CHINESE_BREAK.split(found)
        else:
            yield found


def longest_word(text: str) -> int:
    """Cells of the longest part of a text that no line break may divide."""
    return max((cell_len(word.strip()) for word in _words(text, _WORD)), default=0)


def fitted(widths: Sequence[int], least: Sequence[int], width: int) -> list[int]:
    """The widths of columns side by side; the widest are narrowed until all of them fit, or can be no narrower.

    Args:
        widths: cells that the longest line of each column takes.
        least: cells that each column needs.
        width: cells for all columns.
    """
    fitting = list(widths)
    while (excess := sum(fitting) - width) > 0:
        able = [place for place, own in enumerate(fitting) if own > least[place]]
        if not able:
            break
        most = max(fitting[place] for place in able)
        widest = [place for place in able if fitting[place] == most]
        floor = max(
            [fitting[place] for place in able if fitting[place] < most] + [least[place] for place in widest]
        )
        share = max(1, min(most - floor, excess // len(widest)))
        for place in widest[: excess if share == 1 else None]:
            fitting[place] -= share
    return fitting
