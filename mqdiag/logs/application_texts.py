"""Texts of an application in records of RocketMQ's client: what a listener threw, and what a message holds.

An application repeats what its users write in the text of an exception, and the client logs it under its own name. The
text of RocketMQ's own exceptions and of the JVM's errors is no user's, nor is one that stands right behind its class.

Source: ConsumeMessageConcurrentlyService, ConsumeMessageOrderlyService and their like for POP, Message.toString,
MessageExt.toString, 3.2.6 to 5.5.0; Throwable.toString and printStackTrace, JDK 8 to 25.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import Literal

from mqdiag.knowledge.own_code import is_own
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.message import BETWEEN_FRAMES, Message, line_of_stack, lines_above
from mqdiag.logs.provenance import USUAL_HEAD, starts_of
from mqdiag.logs.statements import Statement
from mqdiag.logs.whole_stack import Part as StackPart
from mqdiag.logs.whole_stack import WholeStack, whole_stack
from mqdiag.read.logs.heads import begin_of
from mqdiag.read.logs.levels import HEAD_BYTES, SAME_DIGITS, level_in

MOST_LINES = 60
"""lines below a text that are looked at"""
_OF_A_MESSAGE = lazy_pattern(r"\bMsgs: ?\[|\bMessage(?:Ext|ClientExt)? ?[\[{]|\bproperties=\{")
"""what RocketMQ prints before the keys and properties of a message"""
_HEAD = lazy_pattern(USUAL_HEAD)
_NAMES_A_TEXT = lazy_pattern(rb"Exception|Error|Throwable|Msgs|Message|properties=\{")
"""words of which one stands before each text of an application"""
_THROWN = lazy_pattern(
    r"(?<![\w.$])(?:[\w$-]+\.){1,12}[\w$]*[A-Z][\w$]*(?:Exception|Error|Throwable)(?![\w.$])"
)
_CHAIN = lazy_pattern(r"(?:(?:[\w$-]+\.){1,12}[\w$]+: ){1,8}\Z")
"""classes of exceptions, each the text of the one before it"""
_TOLD_BY_LIBRARIES = lazy_pattern(r"(?:nested exception is|[Cc]ause[: ]|Caused by:?).{0,400}\Z")
"""how a library puts the exception that it caught into the text of its own"""
_OF_ROCKETMQ = lazy_pattern(r"[\w.$]{0,60}rocketmq[\w.$]{1,140}: ")
"""an exception whose text is RocketMQ's own, as in a standing"""
_BEGINS_WITH_CLASS = lazy_pattern(r"(?:[\w$-]+\.){1,12}[\w$]*[A-Z]")
_ROCKETMQ = ("org.apache.rocketmq.", "com.alibaba.rocketmq.")
_OF_A_STACK = ("at ", "...")
_OF_FILES = ("java.io.", "java.nio.", "java.net.")
"""packages whose exceptions put the name of a file or an address before what the system says"""
_CAUSES = ("Caused by: ", "Suppressed: ")


Part = Literal["words", "exception"]


def part_of_an_application(message: Message, statement: Statement, found_by: bytes) -> Part | None:
    """As what a statement stands where the client repeats a text of the application.

    Args:
        message: a line of the client, or of a stack below it.
        statement: it stands in its own place.
        found_by: its literal.

    Returns:
        words that a user may have written; exception: the whole text of one that the application threw, as Java puts
        the cause there; None for what is none of these.
    """
    if _is_plain(message, found_by):
        return None
    text, literal = message.text, found_by.decode()
    at = max(text.find(literal), 0)
    above, _, line = text[:at].rpartition("\n")
    if _OF_A_MESSAGE.search(line) is not None:
        return "words"
    if not above and level_in(line.encode(), HEAD_BYTES) is not None:
        part = _as_caused(message, line, statement, literal)
        return "words" if part is None and _is_before_a_stack(message, text[at:]) else part
    if statement.place == "frame":
        return None
    bare = line[begin_of(line) :].lstrip()
    if _is_exception(bare + text[at:].partition("\n")[0]):
        if not _stands_in_a_stack(bare, _line_above(message, above)):
            return "words"
        return _as_caused(message, bare, statement, literal)
    return "words" if _is_before_a_stack(message, text[at:]) else None


def _is_plain(message: Message, literal: bytes) -> bool:
    """Whether a line is a record with no exception before its literal, and the next line is a record too: most are."""
    hit = message.hit
    line, block = hit.line, hit.block
    at = max(line.find(literal), 0)
    if not _begins_plain(line[:at].translate(SAME_DIGITS)):
        head = _HEAD.match(line)
        if head is None or _NAMES_A_TEXT.search(line, head.end(), at) is not None:
            return False
    end = block.find(b"\n", hit.start)
    return end >= 0 and _HEAD.match(block, end + 1) is not None


@lru_cache(maxsize=4096)
def _begins_plain(before: bytes) -> bool:
    """Whether the head of a record and no exception stands before a literal; digits tell nothing."""
    head = _HEAD.match(before)
    return head is not None and _NAMES_A_TEXT.search(before, head.end()) is None


def _as_caused(message: Message, before: str, statement: Statement, literal: str) -> Part | None:
    """As what a statement stands in an exception: a stack below it shows whether another one caused it."""
    part = _behind_thrown(before, statement, literal)
    if part is None:
        return None
    is_record = level_in(before.encode(), HEAD_BYTES) is not None
    parts = (WholeStack(0, "", [*message.stack()]) if is_record else whole_stack(message)).parts
    thrown = next((one for one in parts if literal in one.thrown), None)
    if thrown is not None and _is_of_rocketmq(thrown):
        return None
    if part == "words" or not any(one.frames for one in parts):
        return part
    words = (before + literal).rpartition(": ")[2]
    return part if any(words in one.thrown for one in parts[1:]) else "words"


def _is_of_rocketmq(part: StackPart) -> bool:
    """Whether RocketMQ itself threw an exception, and no code of the application called it."""
    methods = part.methods
    return bool(methods) and methods[0].startswith(_ROCKETMQ) and not any(map(is_own, methods))


@lru_cache(maxsize=4096)
def _behind_thrown(before: str, statement: Statement, literal: str) -> Part | None:
    thrown = _THROWN.search(before)
    if thrown is None or "rocketmq" in thrown[0]:
        return None
    start = min(starts_of(before, statement), default=len(before))
    rest = before[thrown.start() : start]
    if not rest:
        return None  # it is the statement's own class
    own = _OF_ROCKETMQ.search(rest)
    rest = rest if own is None else rest[: own.end()]
    if _CHAIN.match(rest) is None:
        told = not _is_generic(thrown[0]) and _TOLD_BY_LIBRARIES.search(rest) is not None
        return None if told or thrown[0].startswith(_OF_FILES) else "words"
    classes = rest.split(": ")[:-1]
    is_generic = _is_generic(classes[-1])
    if not is_generic and (len(classes) == 1 or not _is_generic(classes[0])):
        return None
    whole = before[start:] + literal
    is_exception = statement.place == "exception" and (
        not is_generic or _BEGINS_WITH_CLASS.match(whole) is not None
    )
    return "exception" if is_exception else "words"


def _is_generic(name: str) -> bool:
    """Whether programs throw a class with texts of their own: one of theirs, or an exception of the language."""
    return is_own(name) or (name.startswith("java.lang.") and not name.endswith("Error"))


def _is_exception(line: str) -> bool:
    for word in _CAUSES:
        line = line.removeprefix(word)
    return _THROWN.match(line) is not None


def _stands_in_a_stack(line: str, above: str) -> bool:
    """Whether an exception stands below frames, as a cause does, or is the first line below a record."""
    bare = line_of_stack(above)[0]
    if not bare or bare.startswith((*_OF_A_STACK, *BETWEEN_FRAMES)):
        return True
    return not line.startswith(_CAUSES) and level_in(above.encode(), HEAD_BYTES) is not None


def _line_above(message: Message, above: str) -> str:
    if above:
        return above.rpartition("\n")[2]
    hit = message.hit
    return next((line for _, line in lines_above(hit.block, hit.start)), b"").decode(errors="replace")


def _is_before_a_stack(message: Message, rest: str) -> bool:
    """Whether frames stand below a line, and no line between them says what was thrown: that stands above it then."""
    for raw in islice(message.behind(rest), MOST_LINES):
        text = raw if isinstance(raw, str) else raw.decode(errors="replace")
        bare = line_of_stack(raw)[0]
        if bare.startswith("at "):
            return True
        if _is_exception(bare) or level_in(text.encode(), HEAD_BYTES) is not None:
            return False
    return False
