"""Texts as lines of a terminal, and as columns beside each other: widths are counted in its cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len, chop_cells

from mqdiag.lazy_pattern import lazy_pattern

NARROWEST = 7
"""cells that a column of words has at least, however narrow the page is"""
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
            *whole, visible = chop_cells(visible, width)
            lines += whole
            word = visible + " " * (len(word) - len(word.rstrip()))
        line, used = word, cell_len(word)
    lines.append(line)
    return [line.rstrip() for line in lines]


def _words(text: str, word: re.Pattern[str]) -> Iterator[str]:
    """The parts between which a line may break, with the spaces behind each."""
    for found in word.findall(text):
        if found.isascii():
            yield found
        else:
            yield from _CHINESE_BREAK.split(found)


def fitted(widths: Sequence[int], may_wrap: Sequence[bool], width: int) -> list[int]:
    """The widths of columns side by side; the widest that may wrap are narrowed until all of them fit.

    Args:
        widths: cells that the longest line of each column takes.
        may_wrap: which columns may be narrower than that.
        width: cells for all columns.
    """
    fitting = list(widths)
    excess = sum(fitting) - width
    while excess > 0:
        wrapping = sorted({own for own, may in zip(fitting, may_wrap, strict=True) if may}, reverse=True)
        if not wrapping or not wrapping[0]:
            break
        second = wrapping[1] if len(wrapping) > 1 else 0
        widest = [place for place, own in enumerate(fitting) if may_wrap[place] and own == wrapping[0]]
        for position, place in enumerate(widest):
            share = round(excess / (len(widest) - position))
            narrower = min(share, wrapping[0] - second)
            fitting[place] -= narrower
            excess -= narrower
    return fitting
