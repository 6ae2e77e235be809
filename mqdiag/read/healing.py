"""Text as its writer left it: undoes what pages, consoles, collectors and tools did to it, before any reader sees it.

A sample of the beginning tells what has to be undone. A text that nothing was done to goes through untouched: the same
objects, without a second look.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain, pairwise

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.alone import stands_alone, whole_lines
from mqdiag.read.oldest_first import OldestFirst, has_lines_turned, is_newest_first
from mqdiag.read.wrappers import wrapper_of

SAMPLE_BYTES = 64 << 10
MAX_LINE = 16 << 20
"""bytes after which text without a line end is cut, so that memory stays bounded"""
MAX_LEVELS = 3
"""wrappers one inside the other: a collector's record around kubectl's pod around a quoted line, say"""
FEWEST_RETURNS = 2
"""CRs in a text without any LF, from which on they are its line ends"""
_LEAST_ODD = 3
_ODD_SHARE = 50
"""one odd blank for so many usual ones was put there by a page; fewer belong to the text"""
_ODD_BLANKS = ("\u00a0", "\u202f", "\u2007")
_WIDTHLESS = ("\u200b", "\u200c", "\u200d", "\u2060", "\ufeff")
_CHARACTERS = str.maketrans(
    {
        **dict.fromkeys(_ODD_BLANKS, " "),
        **dict.fromkeys(_WIDTHLESS, ""),
        **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
        **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
    }
)
_SMART_NAME = lazy_pattern(
    r"(?m)^[\u201c\u201d\u201e][^\n\u201c-\u201f]{1,300}[\u201c\u201d] (?:#\d|daemon|prio=|Id=|tid=)"
)
_ESCAPE = "\x1b["
_RESETS = ("\x1b[0", "\x1b[m", "\x1b[K")
"""what ends a colour or a line of a terminal; an escape without them is of the text, such as a hostile name"""
_COLOUR = lazy_pattern(r"\x1b\[[\d;]*[A-Za-z]")
_PAGE = lazy_pattern(r"\s*<(?:pre|code|html|body|div|p|span|!DOCTYPE)\b", re.I)
_TAGS = lazy_pattern(
    r"</?(?:pre|p|div|span|code|html|body|head|b|i|tt|font|a|li|ul|td|tr|table)\b[^>\n]{0,200}>|<!DOCTYPE[^>\n]{0,200}>",
    re.I,
)
_BREAKS = lazy_pattern(r"<br ?/?> ?\n?", re.I)
_FENCE = lazy_pattern(
    r"(?m)^[ \t]*(?:```+[\w+-]{0,20}|\{(?:code|noformat|quote)(?::[^}\n]{0,60})?\})[ \t]*\r?(?:\n|$)"
)
_FENCE_SIGNS = ("```", "{code", "{noformat", "{quote")
_CLOSING_FENCE = lazy_pattern(r"(?m)(?:```|\{(?:code|noformat|quote)\})[ \t]*$")
_LEAST_DOUBLED = 4
_DOUBLED = 0.9
"""share of the lines that a blank one follows where a page put them there"""
Step = Callable[[str], str]
"""text of whole lines to text of whole lines; one object reads one file"""


def healed(chunks: Iterator[bytes], *, keeps_times: bool = False) -> Iterator[bytes]:
    """The chunks of a text, whole lines as their writer left them; the same objects where nothing was done to them.

    Args:
        chunks: of a file.
        keeps_times: whether wrappers with times stay, for a reader that finds times and their zones in them.
    """
    ahead: list[bytes] = []
    while sum(map(len, ahead)) < SAMPLE_BYTES and (chunk := next(chunks, b"")):
        ahead.append(chunk)
    sample = b"".join(ahead)[:SAMPLE_BYTES]
    every: Iterator[bytes] = chain(ahead, chunks)
    if _ends_by_returns(sample):
        sample, every = _with_line_ends(sample), map(_with_line_ends, every)
    steps = steps_for(sample, keeps_times=keeps_times)
    if not steps:
        yield from every
        return
    rest: list[bytes] = []
    for chunk in every:
        end = chunk.rfind(b"\n") + 1
        rest.append(chunk[:end] if end else chunk)
        if end or sum(map(len, rest)) > MAX_LINE:
            if out := _applied(steps, b"".join(rest)):
                yield out
            rest = [chunk[end:]] if end else []
    yield from filter(None, (_applied(steps, b"".join(rest)), _ended(steps)))


def heal(text: bytes, *, keeps_times: bool = False) -> bytes:
    """A whole text, or its beginning, as its writer left it; the same object where nothing was done to it."""
    text = _with_line_ends(text) if _ends_by_returns(text[:SAMPLE_BYTES]) else text
    steps = steps_for(text[:SAMPLE_BYTES], keeps_times=keeps_times)
    return _applied(steps, text) + _ended(steps) if steps else text


def _ends_by_returns(sample: bytes) -> bool:
    """Whether some terminal or old editor wrote CR alone at the ends of lines."""
    return b"\n" not in sample and sample.count(b"\r") >= FEWEST_RETURNS


def _with_line_ends(text: bytes) -> bytes:
    return text.replace(b"\r", b"\n")


def _applied(steps: list[Step], block: bytes) -> bytes:
    text = block.decode(errors="surrogateescape")
    for step in steps:
        if not text:
            break  # the step before waits for more
        text = step(text)
    return text.encode(errors="surrogateescape")


def _ended(steps: list[Step]) -> bytes:
    """What steps give that wait for more, for which the empty text is the end."""
    text = ""
    for step in steps:
        text = (step(text) if text else "") + step("")
    return text.encode(errors="surrogateescape")


def steps_for(sample: bytes, *, keeps_times: bool = False) -> list[Step]:
    """What has to be done to a text that begins like this; nothing for one that is not UTF-8."""
    if b"\0" in sample[:256] or not sample.strip():
        return []
    return list(_steps(sample.decode(errors="surrogateescape"), keeps_times))


def _steps(sample: str, keeps_times: bool) -> Iterator[Step]:
    if not sample.isascii() and _has_odd_characters(sample):
        yield _usual_characters
        sample = _usual_characters(sample)
    if _ESCAPE in sample and (sample.startswith(_ESCAPE) or any(sign in sample for sign in _RESETS)):
        yield _uncoloured
        sample = _uncoloured(sample)
    if sample.lstrip()[:1] == "<" and _PAGE.match(sample):
        yield of_page
        sample = of_page(sample)
    if any(sign in sample for sign in _FENCE_SIGNS) and _FENCE.search(sample):
        yield _unfenced
        sample = _unfenced(sample)
    waiting: list[Step] = []
    """what is undone only if what comes out is understood without it, such as the times that go with it"""
    in_doubt = is_turned = False
    for _ in range(MAX_LEVELS):
        if _is_doubled(sample):
            waiting.append(Halved())
            sample = Halved()(sample)
        lines = whole_lines(sample)
        wrapper = wrapper_of(lines)
        if not is_turned and (wrapper is None or wrapper.of_lines) and is_newest_first(lines):
            is_turned, by_lines = True, has_lines_turned(lines)
            waiting.append(OldestFirst(by_lines=by_lines))
            turn = OldestFirst(by_lines=by_lines)
            sample = turn(sample) or turn("")
        if wrapper is not None and not (wrapper.has_time and keeps_times):
            in_doubt = in_doubt or wrapper.has_time or wrapper.is_word
            waiting.append(wrapper.strip())
            strip = wrapper.strip()
            sample = strip(sample) or strip("")
        if not in_doubt or stands_alone(sample):
            yield from waiting
            waiting = []
            in_doubt = False
        if wrapper is None or (wrapper.has_time and keeps_times):
            return


def _has_odd_characters(sample: str) -> bool:
    blanks = sum(map(sample.count, _ODD_BLANKS))
    if blanks >= _LEAST_ODD and blanks * _ODD_SHARE >= sample.count(" "):
        return True
    widthless = sum(map(sample.count, _WIDTHLESS[:-1]))
    if widthless >= _LEAST_ODD or (widthless and sample.lstrip(" \n")[:1] in _WIDTHLESS):
        return True
    return ("\u201c" in sample or "\u201d" in sample) and _SMART_NAME.search(sample) is not None


def _usual_characters(text: str) -> str:
    return text if text.isascii() else text.translate(_CHARACTERS)


def _uncoloured(text: str) -> str:
    return _COLOUR.sub("", text)


def of_page(text: str) -> str:
    """Text without the tags and entities of a web page."""
    import html  # its table of entities takes time, and only pages have them

    return html.unescape(_TAGS.sub("", _BREAKS.sub("\n", text))).replace("\xa0", " ")


def _unfenced(text: str) -> str:
    return _CLOSING_FENCE.sub("", _FENCE.sub("\n", text))


def _is_doubled(sample: str) -> bool:
    if (sample.count("\n\n") + sample.count("\n\r\n")) * 3 < sample.count("\n"):
        return False
    lines = whole_lines(sample)
    followed = [not after.strip() for line, after in pairwise(lines) if line.strip()]
    return len(followed) >= _LEAST_DOUBLED and sum(followed) >= _DOUBLED * len(followed)


class Halved:
    """Text without the blank line that a page put behind each line."""

    def __init__(self) -> None:
        self._kept = False

    def __call__(self, text: str) -> str:
        """Whole lines without every other one, as far as that one is blank."""
        out = []
        for line in text.splitlines(keepends=True):
            self._kept = not (self._kept and not line.strip())
            if self._kept:
                out.append(line)
        return "".join(out)
