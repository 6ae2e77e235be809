"""The name of a thread in the head of a record: a program may name it as its user says, such as after an order."""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs.heads import head_of
from mqdiag.read.logs.levels import ANY

_TIME = lazy_pattern(r"\d\d:\d\d")
_ENDS_OF_HEADS = (" - ", " : ", ": ")
_HEAD_BEHIND = lazy_pattern(rf"\s{{0,4}}(?:\d{{2,4}}[-/:.]\d\d|{ANY}\b)")
_OWN = lazy_pattern(rf"\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d(?:,\d{{3}})? +{ANY} +(?!- )(\S[^\n]{{0,300}}?) - ")
"""a record of RocketMQ's own files"""
_BETWEEN_BARS = lazy_pattern(
    rf"\S[^\[\n]{{0,80}}?\d\d:\d\d\S{{0,20}} +\|? *{ANY} *\| *([^|\n]{{1,300}}?) *\|[^|\n]{{1,300}}\|"
)
"""a record with bars between its parts"""


def is_in_its_name(text: str, literal: str, *, own_file: bool) -> bool:
    """Whether words of a record stand in the name of its thread, or in another value of its head.

    Args:
        text: the record.
        literal: the words, of which the first place counts.
        own_file: whether it is one of RocketMQ's own files.
    """
    at = text.find(literal)
    if at < 0:
        return False
    begin = text.rfind("\n", 0, at) + 1
    if _is_in_brackets(text, begin, at, at + len(literal)):
        return True
    found = (_OWN if own_file else _BETWEEN_BARS).match(text, begin)
    return found is not None and found.start(1) <= at and at + len(literal) <= found.end(1)


def _is_in_brackets(text: str, begin: int, at: int, end: int) -> bool:
    """Whether words are in brackets behind a time and before a further part of a record."""
    opened, closed = text.rfind("[", begin, at), text.find("]", at)
    if opened < 0 or closed < end or text.find("]", opened, at) >= 0:
        return False
    behind = text[closed + 1 :].partition("\n")[0]
    if "\n" in text[at:closed] or not behind.strip():
        return False
    ahead = text[begin:opened]
    if not ahead.strip():
        return _HEAD_BEHIND.match(behind) is not None
    is_head = _TIME.search(ahead) is not None and not ahead.endswith(_ENDS_OF_HEADS)
    return is_head and head_of(ahead) is not None
