"""How far a line of an application's log may be believed: users write texts, and a text may look like any line.

A message of several lines can hold whole records, so no line below one of an application proves where it comes from. A
record in JSON ends where its braces do, and RocketMQ's own files hold no text of users. Elsewhere the log itself
contradicts a careless forgery: the clock of its records, and the layout of their times.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from itertools import islice

import msgspec

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.message import STACK_KEYS, Message, is_quiet, lines_above, unwrapped, wrapped_head
from mqdiag.logs.statements import Statement
from mqdiag.read.logs.heads import NO_HEAD, begin_of, is_of_rocketmq, level_of
from mqdiag.read.logs.levels import HEAD_BYTES, level_in
from mqdiag.read.logs.shape import is_of_own_form
from mqdiag.read.logs.stamps import Stamp, StampReader
from mqdiag.read.stacks.whole import has_first_frame

LEAST_RECORDS = 20
"""records of an application without which a log is no place where users write"""
SAMPLE_LINES = 400
NEAR_MS = 5_000
"""milliseconds by which neighbours may be in another order: loggers write late, and threads pause"""
APART_MS = 60_000
"""milliseconds between two places that are no part of one message"""
LINES_AROUND = 60
"""lines above and below that are searched for the records around a line"""
PRINTED_BY_THE_JVM = ("collection", "output", "frame")
"""places of statements whose lines have a head of their own, or none"""
PRINTED_WITHOUT_A_LOGGER = ("WARNING: ", "log4j:", "ERROR StatusLogger ")
"""how warnings of the JDK and of the logging libraries themselves begin"""
_LONGEST_LINE = 2 << 10
_END_OF_HEAD = (" - ", " : ")
_MAIN = lazy_pattern(r"[\[ ]main[\] ,]")
"""the thread that starts an application, when no user can write to it yet"""
_TIME = lazy_pattern(r"\W{0,3}\d[\d:.,/TZ+ -]{7,40}")
_NUMBER = lazy_pattern(r"\d+")
_EXCEPTION = lazy_pattern(
    r"\s{0,8}(?:Caused by: |Suppressed: |Exception in thread \".{1,200}?\" )?"
    # the text of RocketMQ's own exceptions is its own, that of others may be a user's
    r"(?:[\w.$]{0,200}|[\w.$]{0,60}rocketmq[\w.$]{1,140}: .{0,200})\Z"
)
"""what stands before a literal in the line of an exception"""
_FRAME = lazy_pattern(r"at (?:[\w.@-]{1,100}/{1,2})?([\w.$<>]{1,300})\(")
_CUT_FRAMES = "... "
LEAST_FRAMES = 3
"""frames of a stack that a logger printed"""


_KEY = lazy_pattern(rb'(?<!\\)"([\w.@]{1,60})"\s{0,4}:\s{0,4}"')
"""a key of a record in JSON; quotation marks inside of a value are escaped"""


class Standing(Enum):
    """What a line proves."""

    SURE = "sure"
    """nobody but a program can have written it"""
    LIKELY = "likely"
    """it may be a part of a message, but looks like what the program prints around it too"""
    ALONE = "alone"
    """it may be a part of a message, and stands in one place so far"""
    FORGED = "forged"
    """the records around it contradict it"""


class Standings(msgspec.Struct):
    """Tells lines of one log apart."""

    is_application: bool
    head: bytes
    """the log's first bytes"""
    _begins_at: int | None = None
    """where the first record of an application begins, behind which users may write"""
    _layouts: frozenset[str] | None = None
    """forms of the times with which its records begin, where they are no JSON"""
    _records_in_json: bool = False
    _places: dict[int, int | None] = msgspec.field(default_factory=dict)
    """time of the first line of each event"""
    _repeated: set[int] = msgspec.field(default_factory=set)
    _stamps: StampReader = msgspec.field(default_factory=StampReader)

    def of(self, message: Message, statement: Statement, literal: bytes, event: int) -> Standing:
        """What a line proves whose statement stands in its own place.

        Args:
            message: the line.
            statement: its statement.
            literal: by which it was found.
            event: place of the statement's event.
        """
        if not self.is_application:
            return Standing.SURE
        if self._layouts is None:
            self._look_at_head()
        if self._begins_at is None:
            return Standing.SURE
        line, text = message.hit.line, message.text
        at = text.find(literal.decode())
        wrapper = wrapped_head(line)
        if wrapper != NO_HEAD and line.rstrip().endswith(b"}"):
            if not self._records_in_json:
                return Standing.FORGED
            if (
                statement.place == "message"
                or is_of_rocketmq(wrapper.logger or "")
                or _is_in_stack(line, literal)
            ):
                return Standing.SURE
        elif self._records_in_json and not self._layouts:
            return Standing.SURE  # no text of a user reaches the beginning of a line
        elif statement.place not in PRINTED_BY_THE_JVM and self._is_contradicted(message, text):
            return Standing.FORGED
        if message.hit.position < self._begins_at:
            return Standing.SURE
        if _is_of_a_stack(message, text[: max(at, 0)], statement):
            return Standing.LIKELY
        return self._place(message, event)

    def _place(self, message: Message, event: int) -> Standing:
        """Whether an event was met elsewhere, at another time."""
        if event in self._repeated:
            return Standing.LIKELY
        stamp = message.record.stamp
        at = None if stamp is None else stamp.wall_ms
        first = self._places.setdefault(event, at)
        if at is not None and first is not None and abs(at - first) >= APART_MS:
            self._repeated.add(event)
            return Standing.LIKELY
        return Standing.ALONE

    def _look_at_head(self) -> None:
        """Where users may write, and how the records of the log begin."""
        layouts: dict[str, int] = {}
        at = records = in_json = 0
        begins_at = None
        for line in self.head.split(b"\n", SAMPLE_LINES)[:SAMPLE_LINES]:
            text = unwrapped(line[:_LONGEST_LINE])[0]
            if wrapped_head(line) != NO_HEAD and line.rstrip().endswith(b"}"):
                in_json += 1
            elif (layout := _layout(text)) is not None:
                layouts[layout] = layouts.get(layout, 0) + 1
            if _is_of_an_application(line, text):
                records += 1
                begins_at = at if begins_at is None else begins_at
            at += len(line) + 1
        self._begins_at = begins_at if records >= LEAST_RECORDS else None
        self._layouts = frozenset(one for one, count in layouts.items() if 20 * count >= records)
        self._records_in_json = 2 * in_json >= records > 0

    def _is_contradicted(self, message: Message, text: str) -> bool:
        """Whether the records above and below show that a record with a time of its own was not logged there."""
        layout = _layout(text)
        if layout is None:
            return False
        if layout not in (self._layouts or ()):
            return True
        own = self._stamps.of_line(text[:_LONGEST_LINE].encode())
        above = next(filter(None, map(self._stamp_of, _lines_above(message))), None)
        below = next(filter(None, map(self._stamp_of, _lines_below(message))), None)
        if own is None or above is None or below is None or below.wall_ms < above.wall_ms - NEAR_MS:
            return False
        return not above.wall_ms - NEAR_MS <= own.wall_ms <= below.wall_ms + NEAR_MS

    def _stamp_of(self, line: bytes) -> Stamp | None:
        text = unwrapped(line[:_LONGEST_LINE])[0]
        return self._stamps.of_line(text.encode()) if _layout(text) in (self._layouts or ()) else None


def _is_of_an_application(line: bytes, text: str) -> bool:
    """Whether a line is a record whose logger is not RocketMQ's, and whose thread may serve users."""
    bare = text[begin_of(text) :]
    if bare.startswith(PRINTED_WITHOUT_A_LOGGER) or is_of_own_form(bare.encode()):
        return False
    head = text
    for end in _END_OF_HEAD:
        head = head.partition(end)[0]
    wrapper = wrapped_head(line)
    found = level_in(head.encode(), HEAD_BYTES)
    if wrapper.logger is not None:
        return not is_of_rocketmq(wrapper.logger)
    level = wrapper.level or (None if found is None else level_of(found[0].decode()))
    return level is not None and not is_of_rocketmq(head) and _MAIN.search(head) is None


def _layout(text: str) -> str | None:
    """The form of the time with which a line begins; None of a line without."""
    found = _TIME.match(text) or _TIME.match(text, begin_of(text))
    return None if found is None or ":" not in found[0] else _NUMBER.sub("9", found[0].rstrip())


def _is_of_a_stack(message: Message, before: str, statement: Statement) -> bool:
    """Whether a line is an exception's whose stack goes down to where its thread began."""
    if statement.place != "exception" or _EXCEPTION.match(before, begin_of(before)) is None:
        return False
    if is_quiet(message.record.header):
        return False
    is_cause = before.lstrip().startswith(("Caused by: ", "Suppressed: "))
    if not is_cause and "\n" not in message.text and _layout(_above(message)) is None:
        return False  # a further line of a message
    methods: list[str] = []
    for line in message.stack():
        found = _FRAME.match(line)
        if found is not None:
            methods.append(found[1])
        elif line.startswith(_CUT_FRAMES) or methods:
            break
    if is_cause:
        return bool(methods)
    return len(methods) >= LEAST_FRAMES and has_first_frame(methods)


def _is_in_stack(line: bytes, literal: bytes) -> bool:
    """Whether a literal stands in the value of a record in JSON that the logger fills with an exception."""
    keys = list(_KEY.finditer(line, 0, max(line.find(literal), 0)))
    return bool(keys) and keys[-1][1].decode() in STACK_KEYS


def _above(message: Message) -> str:
    return unwrapped(next(_lines_above(message), b""))[0]


def _lines_above(message: Message) -> Iterator[bytes]:
    return (line for _, line in islice(lines_above(message.hit.block, message.hit.start), LINES_AROUND))


def _lines_below(message: Message) -> Iterator[bytes]:
    return islice(_forwards(message.hit.block, message.hit.start), LINES_AROUND)


def _forwards(block: bytes, start: int) -> Iterator[bytes]:
    end = block.find(b"\n", start)
    while end >= 0:
        begin, end = end + 1, block.find(b"\n", end + 1)
        yield block[begin : len(block) if end < 0 else end]
