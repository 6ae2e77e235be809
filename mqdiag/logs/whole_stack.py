"""The whole stack that a line is a part of: upwards to its first line, downwards to its deepest cause.

Source: Throwable.printStackTrace, JDK 8 to 25; SpringApplication.handleRunFailure.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.message import (
    BETWEEN_FRAMES,
    STACK_BYTES,
    Message,
    line_of_stack,
    lines_above,
    lines_of_stack,
)

MOST_LINES = 400
"""lines above that are looked at"""
_THROWN = lazy_pattern(
    r"(?:Exception in thread \".{1,200}?\" |Caused by: |Suppressed: )?"
    r"((?:[a-z_$][\w$]{0,80}\.){1,12}[A-Z][\w$]{0,120}(?:Exception|Error|Throwable|Failure)(?:\$\w{1,80})?(?![\w$])"
    r"(?::? .{0,2000}|:)?)\Z"
)
_IN_LINE = lazy_pattern(
    r"(?::|;| is| -|\])\s+((?:[a-z_$][\w$]{0,80}\.){1,12}[A-Z][\w$]{0,120}(?:Exception|Error)\b(?:: .{0,2000})?)\Z"
)
_NESTED = "; nested exception is "
_UNCAUGHT = "Exception in thread "
_FRAME = "at "
_USUAL_FRAME = b"\tat "
_METHOD = lazy_pattern(r"at (?:[\w.@-]{1,100}/{1,2})?([\w.$<>]{1,300})\(")


class Part(NamedTuple):
    """One exception of a stack."""

    thrown: str
    """its class and message"""
    frames: tuple[str, ...]

    @property
    def methods(self) -> tuple[str, ...]:
        """Package, class and method of each frame that has the form of the JVM."""
        return _methods_of(self.frames)


class WholeStack:
    """A stack, with what was logged above it."""

    def __init__(self, position: int, above: str, lines: list[str]) -> None:
        """Read its lines.

        Args:
            position: where its first line begins in the log.
            above: the line above it, such as the record that it was logged under; empty where there is none.
            lines: without what stands around them.
        """
        self.position = position
        self.above = above
        self._lines = tuple(lines)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Its exceptions, the deepest cause last."""
        found = _parts_of(self._lines)
        if not found and (logged := _IN_LINE.search(self.above)) is not None:
            return (Part(logged[1].rpartition(_NESTED)[2], ()),)
        return found

    @property
    def deepest(self) -> Part | None:
        """The deepest cause; None where no line names an exception."""
        return self.parts[-1] if self.parts else None

    @property
    def is_uncaught(self) -> bool:
        """Whether its thread ended by it."""
        return any(line.startswith(_UNCAUGHT) for line in (*self._lines[:1], self.above))

    @property
    def frames(self) -> str:
        """All frames, one a line."""
        return _frames_of(self._lines)


@lru_cache(maxsize=256)
def _methods_of(frames: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(found[1] for frame in frames if (found := _METHOD.match(frame)) is not None)


# A log has few stacks that differ, and each of them many times.
@lru_cache(maxsize=256)
def _parts_of(lines: tuple[str, ...]) -> tuple[Part, ...]:
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        thrown = _THROWN.match(line)
        if thrown is not None:
            found.append((thrown[1], []))
        elif found and line.startswith(_FRAME):
            found[-1][1].append(line)
    return tuple(Part(thrown.rpartition(_NESTED)[2], tuple(frames)) for thrown, frames in found)


@lru_cache(maxsize=256)
def _frames_of(lines: tuple[str, ...]) -> str:
    return "\n".join(line for line in lines if line.startswith(_FRAME))


def whole_stack(message: Message) -> WholeStack:
    """The stack of a line: of one of its frames or causes, or of the line that it begins with or was logged under."""
    own, is_of_stack = line_of_stack(message.text.partition("\n")[0])
    is_part = _is_part(own, is_of_stack=is_of_stack)
    above, lines, position = _above(message, within=is_part)
    if is_part:
        lines.append(own)
    elif not lines:
        above = message.text.partition("\n")[0]
    return WholeStack(position, above, [*lines, *message.stack()])


def _is_part(line: str, *, is_of_stack: bool) -> bool:
    return is_of_stack or line.startswith(_UNCAUGHT)


def _above(message: Message, *, within: bool) -> tuple[str, list[str], int]:
    """(the line above the stack, the lines of the stack above this one in their order, where the stack begins).

    Args:
        message: a line.
        within: whether it is one of the stack itself, above whose frames a line of RocketMQ's own may stand.
    """
    hit = message.hit
    least = max(hit.start - STACK_BYTES, 0)
    begin, found = _frames_above(hit.block, hit.start, least)
    for start, raw in islice(lines_above(hit.block, begin, least), MOST_LINES - len(found)):
        bare, is_of_stack = line_of_stack(raw)
        if _is_part(bare, is_of_stack=is_of_stack):
            found.append(bare)
            begin = start
        elif bare and not ((found or within) and bare.startswith(BETWEEN_FRAMES)):
            return bare, found[::-1], hit.position - hit.start + begin
    return "", found[::-1], hit.position - hit.start + begin


def _frames_above(block: bytes, start: int, least: int) -> tuple[int, list[str]]:
    """(where they begin, the frames right above a place, the nearest first), as far as they have their usual form."""
    begin, count = start, 0
    while begin > least and count < MOST_LINES:
        above = block.rfind(b"\n", 0, begin - 1) + 1
        if not block.startswith(_USUAL_FRAME, above):
            break
        begin, count = above, count + 1
    lines = lines_of_stack(block[begin : start - 1]) if count else ()
    if not all(is_of_stack for _, is_of_stack in lines):
        return start, []
    return begin, [bare for bare, _ in reversed(lines)]
