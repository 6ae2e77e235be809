"""Exceptions without a line at WARN or ERROR above them: an application printed them, or somebody cut them out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs.levels import HEAD_BYTES, LOUD, level_in
from mqdiag.read.logs.scan import holds_any, places_of_words

LONGEST_CUT_STACK = 16 << 10
"""bytes at the begin of a log that are looked at for a stack without its exception"""
MOST_HITS = 500
"""lines of a block, a MiB as a rule, that are looked at; one exception is enough to doubt a log"""
LONGEST_LINE = 2 << 10
LONGEST_STACK = 8 << 10
_OF_MQADMIN, _CAUSE = b".tools.command.SubCommandException: ", b"\nCaused by: "
_WORDS = (b"Exception", b"Error")
_HEAD = lazy_pattern(
    # what docker compose puts before each line, then the name of a class
    rb"(?:\S{1,60} +\| )?[ \t>]{0,8}(?:Caused by: |Exception in thread \".{1,200}?\" )?"
    rb"(?:[a-z_$][\w$]{0,80}\.){1,12}[\w$]{0,120}(?:Exception|Error)(?:: |\s|$)"
)
_OF_A_RECORD = lazy_pattern(
    rb"(?:\S{1,60} +\| )?\s*(?:at |\.\.\. \d|See http|For more information|Caused by: )"
)
"""a line above that belongs to a stack, so that the exception is the cause of one that was seen"""


_NEXT_FRAME = b"\n\tat "
_FRAME = lazy_pattern(
    rb"\s*((?:at (?:[\w.@-]{1,100}/{1,2})?[\w.$<>]{1,300}\(|\.\.\. \d{1,5} (?:more|common frames))[^\n]{0,200})"
)


def is_of_a_record(line: bytes) -> bool:
    """Whether a line is a part of a stack, or the first line of an exception."""
    return _OF_A_RECORD.match(line) is not None or _HEAD.match(line) is not None


def bare_exceptions(block: bytes, *, begins_log: bool = False) -> Iterator[tuple[int, bytes]]:
    """(place, text) of the first lines of exceptions in a block that begins and ends at line ends.

    Where an exception is cut off, the first line that is left of its stack.

    Args:
        block: the bytes.
        begins_log: whether nothing stands above it.
    """
    if begins_log or holds_any(block, (_NEXT_FRAME,)):
        yield from _rest_of_stack(block, begins_log=begins_log)
    for word, places in zip(_WORDS, places_of_words(block, _WORDS), strict=True):
        end = hits = 0
        for at in places:
            if at < end:
                continue
            if hits == MOST_HITS:
                break
            hits += 1
            start = block.rfind(b"\n", 0, at) + 1
            end = block.find(b"\n", at)
            end = len(block) if end < 0 else end
            line = block[start : min(end, start + LONGEST_LINE)]
            seen = word is not _WORDS[0] and _WORDS[0] in line
            if (
                not seen
                and _HEAD.match(line)
                and (not _belongs(block, start) or (begins_log and _is_cut_off(block, start)))
            ):
                yield start, _told(block, end, line)


def _told(block: bytes, end: int, line: bytes) -> bytes:
    """The line; for an exception of mqadmin, which says no more than the name of its command, what it was caused by."""
    if _OF_MQADMIN not in line:
        return line
    below = block[end : end + LONGEST_STACK]
    at = below.find(_CAUSE)
    return line if at < 0 else below[at + len(_CAUSE) :].split(b"\n", 1)[0][:LONGEST_LINE]


def _belongs(block: bytes, start: int) -> bool:
    """Whether the line above is a record at WARN or ERROR, or a part of a stack."""
    above = block[max(block.rfind(b"\n", 0, max(start - 1, 0)) + 1, start - LONGEST_LINE) : max(start - 1, 0)]
    level = level_in(above, HEAD_BYTES)
    if level is not None:
        return level[0].upper() in LOUD
    return is_of_a_record(above)


def _rest_of_stack(block: bytes, *, begins_log: bool) -> Iterator[tuple[int, bytes]]:
    """The first frames below no exception: what they belong to was cut off."""
    at = 0 if begins_log else block.find(_NEXT_FRAME)
    for _ in range(MOST_HITS):
        if at < 0:
            return
        found = _FRAME.match(block, at)
        if found is not None and _lacks_exception(block, found.start(1)):
            yield found.start(1), found[1]
            return
        at = block.find(_NEXT_FRAME, at + 1)


def _lacks_exception(block: bytes, start: int) -> bool:
    """Whether above a frame stands nothing, or a record below WARN without an exception, and no cause below it."""
    end = block.rfind(b"\n", 0, start)
    above = block[max(block.rfind(b"\n", 0, max(end, 0)) + 1, end - LONGEST_LINE) : max(end, 0)]
    if not _may_lack_exception(above):
        return False
    for line in block[start : start + LONGEST_CUT_STACK].splitlines():
        if _HEAD.match(line) is not None:
            return False  # it is found by itself
        if _OF_A_RECORD.match(line) is None:
            break
    return True


@lru_cache(maxsize=256)
def _may_lack_exception(above: bytes) -> bool:
    """Whether a line above a frame is none, or a record below WARN without an exception; few of them differ."""
    level = level_in(above, HEAD_BYTES)
    is_other = level is not None and level[0].upper() not in LOUD and not any(word in above for word in _WORDS)
    return is_other or not above.strip()


def _is_cut_off(block: bytes, start: int) -> bool:
    """Whether all lines above are of one stack, so that the exception that it belongs to was cut off."""
    above = block[:start] if start <= LONGEST_CUT_STACK else b""
    return bool(above) and all(_OF_A_RECORD.match(line) for line in above.splitlines())
