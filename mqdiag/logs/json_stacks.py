"""Where a literal stands in the stack of a record in JSON, and whether a text of a user imitates that stack."""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.json_records import STACK_KEYS, is_in_json, wrapped_head
from mqdiag.read.logs.heads import is_of_rocketmq

_KEY = lazy_pattern(rb'(?<!\\)"([\w.@]{1,60})"\s{0,4}:\s{0,4}"')
"""a key of a record in JSON; quotation marks inside of a value are escaped"""

_LINE_END_IN_JSON = b"\\n"
LONGEST_STACK = 64 << 10
"""bytes of a record below a literal"""
_END_OF_VALUE = lazy_pattern(rb'(?<!\\)"')
_LEFT_OUT_IN_JSON = lazy_pattern(rb"(?:\\t|\s)*\.\.\. ?\d")
"""how many frames a cause has in common with the exception above it"""
_FRAME_IN_JSON = lazy_pattern(rb"(?:\\t|\s)*(?:at |\.\.\. \d)")


def is_in_place(line: bytes, literal: bytes, *, is_frame: bool) -> bool:
    """Whether a literal stands in the stack of a record of JSON, and if it is no frame's, below frames or first.

    Args:
        line: the record.
        literal: of a statement.
        is_frame: whether the statement is a frame.
    """
    parts = _of_stack(line, literal)
    if parts is None or is_frame:
        return parts is not None
    above, below = parts
    return not above or (_FRAME_IN_JSON.match(above[-1]) is not None and not _goes_on_below(below))


def is_imitated(line: bytes, literal: bytes) -> bool:
    """Whether a literal stands in a stack of a record of JSON that a user's text imitates."""
    if not is_in_json(line) or is_of_rocketmq(wrapped_head(line).logger or ""):
        return False
    above, below = _of_stack(line, literal) or ([], b"")
    return bool(above) and _goes_on_below(below)


def _of_stack(line: bytes, literal: bytes) -> tuple[list[bytes], bytes] | None:
    """(whole lines above a literal in the stack of a record of JSON, text from the literal on); None outside of one."""
    at = max(line.find(literal), 0)
    keys = list(_KEY.finditer(line, 0, at))
    if not keys or keys[-1][1].decode() not in STACK_KEYS:
        return None
    return line[keys[-1].end() : at].split(_LINE_END_IN_JSON)[:-1], line[at : at + LONGEST_STACK]


def _goes_on_below(text: bytes) -> bool:
    """Whether frames of the thread stand below what caused an exception, where a printer says how many it leaves out.

    Those below a text that imitates a stack are of the exception that repeats it.

    Args:
        text: from the literal on, to the end of the record or as far as it is looked at.
    """
    value = _END_OF_VALUE.split(text, 1)[0]
    frames = [one for one in value.split(_LINE_END_IN_JSON)[1:] if one.strip()]
    return bool(frames) and _LEFT_OUT_IN_JSON.match(frames[-1]) is None
