"""Records of an application in a log: which lines begin them, and which stand next to a line."""

from __future__ import annotations

from typing import NamedTuple

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.json_records import collector_of, is_nameless_record, unwrapped, wrapped_head
from mqdiag.logs.message import Message, lines_above, lines_below
from mqdiag.logs.record_heads import layout_of, stamp_of_head
from mqdiag.read.logs.heads import END_OF_HEAD, begin_of, is_of_jvm, is_of_rocketmq, level_of
from mqdiag.read.logs.levels import HEAD_BYTES, begins_record, level_in
from mqdiag.read.logs.loggers import LONGEST_HEAD
from mqdiag.read.logs.shape import is_of_own_form
from mqdiag.read.logs.stamps import Stamp, StampReader

LONGEST_LINE = 2 << 10
_MOST_KNOWN = 256
PRINTED_WITHOUT_A_LOGGER = ("WARNING: ", "log4j:", "ERROR StatusLogger ")
"""how warnings of the JDK and of the logging libraries themselves begin"""
_MAIN = lazy_pattern(r"[\[ ]main[\] ,]")
"""the thread that starts an application, when no user can write to it yet"""
_NETTY = lazy_pattern(r"(?:^|[ \[])(?:io\.netty|i\.n)\.[a-z]")
"""a logger of the library that clients bring with them: it prints no text of a user"""
_FRAME, _ENDS_OF_FRAMES = b"\tat ", (b")", b"]")


def is_of_an_application(line: bytes, text: str) -> bool:
    """Whether a line is a record whose logger is not RocketMQ's, and whose thread may serve users.

    Args:
        line: as it stands in the log.
        text: the same without a collector's wrapper.
    """
    begin = begin_of(text)
    bare = text[begin:]
    if bare.startswith(PRINTED_WITHOUT_A_LOGGER) or is_of_own_form(bare.encode()) or is_of_jvm(bare.encode()):
        return False
    head = _head(text)
    wrapper = wrapped_head(line)
    found = level_in(head.encode(), HEAD_BYTES)
    if wrapper.logger is not None:
        return not is_of_rocketmq(wrapper.logger) and _NETTY.search(wrapper.logger) is None
    level = wrapper.level or (None if found is None else level_of(found[0].decode()))
    if is_of_rocketmq(head) or _NETTY.search(head) is not None or _MAIN.search(head) is not None:
        return False
    return level is not None or begins_record(text, begin) or is_nameless_record(line, text)


class Around(NamedTuple):
    """The records of an application next to a line."""

    position: int
    """where the one at or above the line begins in the log; where the look at it began without one"""
    above: Stamp | None
    """its time"""
    below: Stamp | None
    """time of the next one"""
    end: int
    """where that begins"""
    is_own: bool
    """whether the line itself is such a record"""


class Neighbours:
    """Finds them; lines between the same two records share what was found."""

    def __init__(self, layouts: frozenset[str], stamps: StampReader) -> None:
        """Begin a log.

        Args:
            layouts: forms in which its records begin.
            stamps: reads times.
        """
        self._layouts = layouts
        self._stamps = stamps
        self._known: dict[bytes, Stamp | None] = {}
        """times of lines: most are looked at from above and from below"""
        self._last = Around(0, None, None, 0, is_own=False)
        self._of_record: tuple[int, Around] = (-1, self._last)
        """the last record that was asked for, by its place, with what was found"""

    def of(self, message: Message) -> Around:
        """Those of a line, as far as its block shows."""
        hit, last = message.hit, self._last
        if last.position < hit.position < last.end:
            return last
        if self._of_record[0] == hit.position:
            return self._of_record[1]
        own = self._stamp_of(hit.line)
        start = hit.position - hit.start
        above, at = (own, hit.start) if own is not None else self._above(hit.block, hit.start)
        below, end = self._below(hit.block, hit.start)
        around = Around(start + at, above, below, start + end, is_own=own is not None)
        if own is None:
            self._last = around
        else:
            self._of_record = hit.position, around
        return around

    def _above(self, block: bytes, start: int) -> tuple[Stamp | None, int]:
        for at, line in lines_above(block, start):
            stamp = self._stamp_of(line)
            if stamp is not None:
                return stamp, at
        return None, 0

    def _below(self, block: bytes, start: int) -> tuple[Stamp | None, int]:
        for at, line in lines_below(block, start, len(block)):
            stamp = self._stamp_of(line)
            if stamp is not None:
                return stamp, at
        return None, len(block)

    def _stamp_of(self, line: bytes) -> Stamp | None:
        """The time of a record of an application; None of other lines."""
        if line.startswith(_FRAME) and line.endswith(_ENDS_OF_FRAMES):
            return None  # most lines between two records
        line = line[:LONGEST_LINE]
        if line in self._known:
            return self._known[line]
        text = unwrapped(line)[0]
        stamp = None
        if layout_of(text) in self._layouts and is_of_an_application(line, text):
            stamp = stamp_of_head(text, self._stamps) or self._of_collector(line)
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[line] = stamp
        return stamp

    def _of_collector(self, line: bytes) -> Stamp | None:
        """The time that containerd put before a line."""
        collected = collector_of(line)
        return self._stamps.of_line(collected) if collected else None


def _head(text: str) -> str:
    """What stands before the message; where a mark parts time, logger and level, up to the level."""
    parts = text[:LONGEST_HEAD].split(END_OF_HEAD)
    head = parts[0].partition(" : ")[0]
    for part in parts[1:-1]:
        if level_in(head.encode(), HEAD_BYTES) is not None or " " in part.strip():
            break
        head += f" - {part}"
    return head
