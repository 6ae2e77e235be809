"""Whether a line stands in a stack that a logger printed: as the line of an exception, or as one of its frames."""

from __future__ import annotations

from collections.abc import Collection

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.json_records import unwrapped
from mqdiag.logs.json_stacks import is_in_place
from mqdiag.logs.message import Message, is_quiet, lines_above
from mqdiag.logs.record_heads import LEVEL_ALONE, layout_of, leading_time_of
from mqdiag.logs.statements import Statement
from mqdiag.logs.whole_stack import WholeStack, whole_stack
from mqdiag.read.logs.heads import begin_of
from mqdiag.read.logs.loggers import logger_of
from mqdiag.read.stacks.whole import has_first_frame

_EXCEPTION = lazy_pattern(
    r"\s{0,8}(?:Caused by: |Suppressed: |Exception in thread \".{1,200}?\" )?"
    # the text of RocketMQ's own exceptions is its own, that of others may be a user's
    r"(?:[\w.$]{0,200}|[\w.$]{0,60}rocketmq[\w.$]{1,140}: .{0,200})\Z"
)
"""what stands before a literal in the line of an exception"""
_CLASS = lazy_pattern(r"(?!java\.lang\.)(?:\w+\.){2,9}\w+(?:Exception|Error): \Z")
"""what stands before the whole text of an exception of one library"""
LEAST_FRAMES = 3
"""frames of a stack that a logger printed"""


def stack_of(
    message: Message, before: str, statement: Statement, layouts: Collection[str]
) -> WholeStack | None:
    """The stack below a record at WARN or ERROR, if it goes down to where its thread began and has an exception.

    Args:
        message: a line of it.
        before: what stands before the literal of its statement.
        statement: of the exception or of a frame.
        layouts: forms in which the records of the log begin.
    """
    is_line = statement.place == "exception" and begins_exception(before, statement)
    if not (is_line or statement.place == "frame") or is_quiet(message.record.header):
        return None
    stack = whole_stack(message)
    if not stack.parts or ("\n" not in message.text and not _is_below_a_record(message, stack, layouts)):
        return None  # a further line of a message
    methods = stack.parts[0].methods
    return stack if len(methods) >= LEAST_FRAMES and has_first_frame(methods) else None


def _is_below_a_record(message: Message, stack: WholeStack, layouts: Collection[str]) -> bool:
    """Whether a stack stands right below a record that is no quiet one.

    A record without a time, or with one behind something else, must begin as those of the log do.
    """
    above = stack.above
    if is_quiet(above):
        return False
    layout = layout_of(above)
    if layout == LEVEL_ALONE and layout in layouts:
        place = message.hit.start - message.hit.position + stack.position
        lines = (unwrapped(line)[0] for _, line in lines_above(message.hit.block, place))
        next((line for line in lines if line.strip()), None)  # the line above itself
        head = next(lines, "")
        return layout_of(head) in layouts and logger_of(head) is not None
    return layout is not None and (layout in layouts or leading_time_of(above) is not None)


def begins_exception(before: str, statement: Statement) -> bool:
    """Whether a literal stands in the line of an exception where no text of a user does.

    A statement may name the class whose text it is; those of `java.lang` have texts of all programs.
    """
    named = (text for text in statement.behind if _CLASS.match(text) is not None and before.endswith(text))
    texts = (before, *map(before.removesuffix, named))
    return any(_EXCEPTION.match(text, min(begin_of(before), len(text))) is not None for text in texts)


def is_in_stack(line: bytes, literal: bytes, before: str, statement: Statement) -> bool:
    """Whether a literal stands where a logger that writes JSON prints a stack, and not in the text of an exception.

    A further line of the text of an exception may be a user's; what caused it stands below frames.

    Args:
        line: the record.
        literal: of the statement.
        before: the text above the literal, as the record has it.
        statement: where it stands in a stack.
    """
    is_frame = statement.place == "frame"
    return is_in_place(line, literal, is_frame=is_frame) and (
        is_frame or begins_exception(before.rpartition("\n")[2], statement)
    )
