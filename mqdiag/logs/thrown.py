"""What a listener threw, by the line and the stack trace below it.

Source: RemotingHelper.exceptionSimpleDesc and UtilAll.exceptionSimpleDesc, 3.2.6 to 5.5.0; Throwable.printStackTrace.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

from mqdiag.knowledge.own_code import is_own
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.message import STACK_BYTES, Message, line_of_stack, lines_above

INTERRUPTED = "java.lang.InterruptedException"
_CLASS = r"(?:[\w$]{1,100}\.){1,15}[\w$]{1,200}"
_SIMPLE = lazy_pattern(rf"(?:consumeMessage exception: |, error:)({_CLASS})(?:[:,\s]|$)")
"""first the class, then its message, which may be anything, and the top frame; rocketmq-spring 2.1 has no frame"""
_TOP_FRAME = lazy_pattern(
    rf", (?:[\w.@]{{1,100}}/)?({_CLASS}\.[\w$<>]{{1,200}}\([^()\s]{{0,200}}(?: [A-Z]\w+)?\)) Group: "
)
_FRAME = lazy_pattern(rf"at (?:[\w.@-]{{1,100}}/{{1,2}})?({_CLASS}\.[\w$<>]{{1,200}}\([^()]{{0,200}}\))")
_CAUSE = lazy_pattern(rf"Caused by: ({_CLASS})(?:[:\s]|$)")
_FIRST = lazy_pattern(rf"({_CLASS})(?::|$)")


class Thrown(NamedTuple):
    """An exception that left a listener."""

    exception: str | None
    """its class; None where the line does not tell"""
    cause: str | None = None
    """class of the innermost cause, where there is one"""
    frame: str | None = None
    """the application's own top frame; the top frame where only that is known"""

    @property
    def interrupted(self) -> bool:
        """Whether its thread had been interrupted."""
        return INTERRUPTED in (self.exception, self.cause)


def thrown_in(message: Message) -> Thrown:
    """Read the line and what stands below it."""
    found = _SIMPLE.search(message.text)
    top = _TOP_FRAME.search(message.text, found.end()) if found else None
    thrown = _of_lines(message.stack(), found[1] if found else None)
    return thrown if thrown.frame or top is None else thrown._replace(frame=top[1])


def thrown_around(message: Message) -> Thrown:
    """Read the stack trace that a frame stands in; the message of an exception may have several lines."""
    return _of_lines(chain(message.above(), message.stack()))


def thrown_alone(message: Message) -> Thrown:
    """The same of a stack that no dated line stands above: up to the nearest line that is of no stack."""
    above: list[str] = []
    for _, line in lines_above(message.hit.block, message.hit.start, max(message.hit.start - STACK_BYTES, 0)):
        bare, is_of_stack = line_of_stack(line)
        if not is_of_stack:
            break
        above.append(bare)
    return _of_lines(chain(reversed(above), message.stack()))


def _of_lines(lines: Iterable[str], exception: str | None = None) -> Thrown:
    cause = own = None
    for line in lines:
        caused = _CAUSE.match(line)
        if caused is not None:
            cause = caused[1]
            continue
        frame = _FRAME.match(line)
        if frame is not None and own is None and is_own(frame[1].partition("(")[0]):
            own = frame[1]
        elif frame is None and exception is None and (first := _FIRST.match(line)) is not None:
            exception = first[1]
    return Thrown(exception, cause, own)
