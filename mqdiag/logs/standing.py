"""How far a line of an application's log may be believed: users write texts, and a text may look like any line.

A message of several lines can hold whole records, so no line below one of an application proves where it comes from. A
record in JSON ends where its braces do, and RocketMQ's own files hold no text of users. Elsewhere the log itself
contradicts a careless forgery: the clock of its records, the layout of their times, and the names of its classes. What
nothing contradicts counts where it stands in many places, or passes through the code of the log's own program.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

import msgspec

from mqdiag.knowledge.own_code import is_own
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.application_records import (
    LONGEST_LINE,
    Around,
    Neighbours,
    is_of_an_application,
)
from mqdiag.logs.application_texts import part_of_an_application
from mqdiag.logs.json_records import is_in_json, is_nameless_record, unwrapped, wrapped_head
from mqdiag.logs.json_stacks import is_imitated
from mqdiag.logs.message import Message
from mqdiag.logs.pod_settings import has_last_words, is_of_last_words
from mqdiag.logs.record_heads import layout_of, leading_time_of, stamp_of_head
from mqdiag.logs.stack_lines import begins_exception, is_in_stack, stack_of
from mqdiag.logs.statements import Statement, searched
from mqdiag.logs.system_journal import is_journal, is_of_the_system, stands_in_a_report
from mqdiag.logs.whole_stack import WholeStack
from mqdiag.read.logs.heads import begin_of, decorations, decorations_of, is_of_rocketmq
from mqdiag.read.logs.levels import ANY
from mqdiag.read.logs.listings import Listing, is_row
from mqdiag.read.logs.loggers import is_of_program, logger_of, program_of
from mqdiag.read.logs.shape import OWN_FORMS, Shape
from mqdiag.read.logs.stamps import Stamp, StampReader

LEAST_RECORDS = 20
"""records of an application without which a log is no place where users write"""
LEAST_AMONG_OWN = 3
"""the same among lines of the form of RocketMQ's own files: its programs bring no other code than libraries"""
SAMPLE_LINES = 400
"""lines from the first on that show who writes a log, and as many behind them: one message may fill the first ones"""
SAMPLE_BYTES = 1 << 20
NEAR_MS = 5_000
"""milliseconds by which neighbours may be in another order: loggers write late, and threads pause"""
APART_MS = 3 * NEAR_MS
"""milliseconds between the first and the last place of what stands in many: records that one message holds have times
between those of its neighbours, or these contradict them"""
LEAST_PLACES = 10
"""messages of an application among which lines of one event stand, so that it is no text of a user"""
PRINTED_BY_THE_JVM = ("collection", "output", "frame")
"""places of statements whose lines have a head of their own, or none"""
_BEHIND_A_VALUE = lazy_pattern(
    r"(?:[,;] *|\b[\w.-]{1,60}=[^\s=]{1,200} +)(?:[\w$]{1,60}\.){0,12}[\w$]{0,80}(?:: [^,;=]{0,200})?\Z"
)
"""a comma or a value, then the class of an exception as far as it stands before a literal"""
_OTHER_LOGGER = lazy_pattern(
    rf"\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d,\d{{3}} +{ANY} +(?!Rocketmq)[A-Za-z][\w$]{{0,100}} - "
)
"""a record in the form of a client's own file by a logger that none of its appenders belongs to"""


class Standing(Enum):
    """What a line proves."""

    SURE = "sure"
    """nobody but a program can have written it"""
    LIKELY = "likely"
    """it may be a part of a message, but looks like what the program prints around it too"""
    EARLY = "early"
    """a program prints it before its records; where the first of these are missing it may be a part of a message"""
    ALONE = "alone"
    """it may be a part of a message, and stands in one place so far"""
    FORGED = "forged"
    """the records around it, or what the text lists, contradict it"""

    @property
    def accuses(self) -> bool:
        """Whether a fault may rest on such a line alone."""
        return self in (Standing.SURE, Standing.EARLY)


_SURE = Standing.SURE


class _Places(msgspec.Struct):
    """The messages of an application among which lines of one event stand."""

    count: int = 0
    position: int = -1
    """place in the log where the last message begins"""
    first: int | None = None
    last: int | None = None
    """time of the first and of the last message, in milliseconds"""

    def add(self, position: int, at: int | None, *, with_stack: bool) -> bool:
        """Whether these are many now, and some time apart if they are no whole stacks.

        Args:
            position: of the message.
            at: its time in milliseconds.
            with_stack: whether a whole stack stands below it.
        """
        if position != self.position:
            self.position = position
            self.count += 1
        if at is not None:
            self.first = at if self.first is None else min(self.first, at)
            self.last = at if self.last is None else max(self.last, at)
        if self.count < LEAST_PLACES or self.first is None or self.last is None:
            return False
        return with_stack or self.last - self.first >= APART_MS


class Standings(msgspec.Struct):
    """Tells lines of one log apart."""

    is_application: bool
    first: bytes = b""
    """the log's first bytes; nothing where nobody asks who writes it"""
    is_client: bool = False
    """whether RocketMQ's client writes it by itself"""
    listing: Listing | None = None
    """whose values somebody gave"""
    least: int = LEAST_RECORDS
    """records of an application in it without which it is none"""
    _begins_at: int | None = None
    """where the first record of an application begins, behind which users may write"""
    _layouts: frozenset[str] | None = None
    """forms in which its records begin, where they are no JSON"""
    _loggers: frozenset[tuple[str, ...]] = frozenset()
    """first parts of the names of an application's loggers"""
    _records_in_json: bool = False
    _is_journal: bool = False
    _programs: int = 0
    """lines of programs in the first lines of a journal"""
    _records: int = 0
    """records of an application in the log's first lines"""
    _places: dict[int, _Places] = msgspec.field(default_factory=dict)
    """by event"""
    _likely: set[int] = msgspec.field(default_factory=set)
    """events that a program prints as far as the log shows"""
    _stamps: StampReader = msgspec.field(default_factory=StampReader)
    _neighbours: Neighbours | None = None

    def of(self, message: Message, statement: Statement, literal: bytes, event: int) -> Standing:
        """What a line proves whose statement stands in its own place.

        Args:
            message: the line.
            statement: its statement.
            literal: by which it was found.
            event: place of the statement's event.
        """
        if self.listing is Listing.TEXTS:
            return Standing.ALONE  # in however many places
        if self.listing is Listing.MESSAGES or (
            self.listing is Listing.VALUES and self._is_value(message, statement, literal)
        ):
            return Standing.FORGED
        if self.is_client or (self.is_application and _is_of_the_client(message)):
            part = part_of_an_application(message, statement, literal)
            if part is not None:
                return Standing.ALONE if part == "words" else Standing.LIKELY
        if not self.is_application:
            return _SURE
        if self._layouts is None:
            self._look_at_head()
        hit, line, text = message.hit, message.hit.line, message.text
        before = text[: max(text.find(literal.decode()), 0)]
        # behind plain records of an application nothing of the kind is sure anyway
        is_early = self._begins_at is None or not self._layouts or hit.position < self._begins_at
        if is_early and is_of_last_words(hit, before):
            return Standing.ALONE
        if self._is_journal and is_of_the_system(line):
            is_sure = not self._programs or stands_in_a_report(line, hit.block, hit.start)
            return Standing.SURE if is_sure else Standing.LIKELY
        if self._begins_at is None:
            if is_imitated(line, literal) or (self._is_journal and self._programs >= LEAST_RECORDS):
                return Standing.ALONE  # however few records there are
            return Standing.EARLY if self._records else Standing.SURE
        wrapper = wrapped_head(line)
        is_named = is_in_json(line)
        if is_named and not self._records_in_json:
            return Standing.FORGED
        if is_named or (self._records_in_json and is_nameless_record(line, text)):
            if is_of_rocketmq(wrapper.logger or "") or is_in_stack(line, literal, before, statement):
                return Standing.SURE
        elif self._records_in_json and not self._layouts:
            return Standing.SURE  # no text of a user reaches the beginning of a line
        elif statement.place not in PRINTED_BY_THE_JVM and self._is_contradicted(message, text):
            return Standing.FORGED
        if hit.position < self._begins_at:
            return Standing.EARLY
        if event in self._likely:
            return Standing.LIKELY
        if searched().events[event].writer == "tool" and not _is_behind_a_collector(message):
            return Standing.ALONE  # in however many places: no program logs the words of what runs it
        if statement.place not in PRINTED_BY_THE_JVM and _is_behind_a_value(before):
            return Standing.ALONE  # in however many places: a message with values of users ends so
        stack = stack_of(message, before, statement, self._layouts or ())
        if (stack is not None and self._is_own_stack(stack)) or self._stands_in_many(
            message, event, with_stack=stack is not None
        ):
            self._likely.add(event)
            return Standing.LIKELY
        return Standing.ALONE

    def _is_value(self, message: Message, statement: Statement, literal: bytes) -> bool:
        """Whether a line of a listing tells what somebody gave, and is none that a process prints below it."""
        if statement.place == "collection" or not is_row(message.hit.line):
            return False
        before = message.text[: max(message.text.find(literal.decode()), 0)].rpartition("\n")[2]
        return bool(before.strip()) and not begins_exception(before, statement)

    def _stands_in_many(self, message: Message, event: int, *, with_stack: bool) -> bool:
        """Whether an event was met among many messages."""
        around = self._around(message)
        at = None if around.above is None else around.above.wall_ms
        return self._places.setdefault(event, _Places()).add(around.position, at, with_stack=with_stack)

    def _around(self, message: Message) -> Around:
        if self._neighbours is None:
            self._neighbours = Neighbours(self._layouts or frozenset(), self._stamps)
        return self._neighbours.of(message)

    def _look_at_head(self) -> None:
        """Where users may write, and how the records of the log begin."""
        layouts: dict[str, int] = {}
        loggers: set[tuple[str, ...]] = set()
        records = in_json = 0
        begins_at = None
        sample = _sample(self.first)
        lines = [line for _, line in sample]
        self._is_journal = is_journal(lines)
        self._programs = sum(not is_of_the_system(line) for line in lines) if self._is_journal else 0
        for at, line in sample:
            text = unwrapped(line[:LONGEST_LINE])[0]
            if is_in_json(line) or is_nameless_record(line, text):
                in_json += 1
            elif (layout := layout_of(text)) is not None:
                layouts[layout] = layouts.get(layout, 0) + 1
            if is_of_an_application(line, text):
                records += 1
                begins_at = at if begins_at is None else begins_at
                loggers.add(program_of(wrapped_head(line).logger or logger_of(text)))
        self._begins_at = begins_at if records >= self.least else None
        self._records = records
        self._layouts = frozenset(one for one, count in layouts.items() if 20 * count >= records)
        self._loggers = frozenset(loggers - {()})
        self._records_in_json = 2 * in_json >= records > 0

    def _is_contradicted(self, message: Message, text: str) -> bool:
        """Whether the records above and below show that a record with a time of its own was not logged there."""
        if layout_of(text) not in (self._layouts or ()):
            # a line that begins with anything but a time may be of another logger of the same process
            return leading_time_of(text) is not None
        own, around = stamp_of_head(text[:LONGEST_LINE], self._stamps), self._around(message)
        return own is not None and not around.is_own and not _lies_between(own, around)

    def _is_own_stack(self, stack: WholeStack) -> bool:
        """Whether a stack goes through code of the program that writes the log, by the names of its loggers."""
        above = logger_of(stack.above)
        loggers = self._loggers | ({program_of(above)} - {()})
        return any(_runs_own_code(part.methods, loggers, above) for part in stack.parts)


def _sample(first: bytes) -> list[tuple[int, bytes]]:
    """(place, line) of lines that begin something: the first of them, and others that lie evenly behind these."""
    found: list[tuple[int, bytes]] = []
    at = 0
    for line in first[:SAMPLE_BYTES].split(b"\n"):
        if line[:1].strip():
            found.append((at, line))
        at += len(line) + 1
    rest = found[SAMPLE_LINES:]
    return found[:SAMPLE_LINES] + rest[:: len(rest) // SAMPLE_LINES + 1]


def as_written(shape: Shape, first: bytes, listing: Listing | None = None) -> tuple[Shape, Standings]:
    """(the shape of a log by who wrote it, what tells its lines apart).

    Lines of RocketMQ or of the JVM may make up most of an application's log, where somebody pasted them.

    Args:
        shape: by the form of most lines.
        first: the log's first bytes.
        listing: what it lists, if it is a listing; such texts may have any form.
    """
    if listing is not None and listing.is_of_users:
        return Shape("application", "plain"), Standings(is_application=True, listing=listing)
    if shape.form not in OWN_FORMS and shape.kind != "gc":
        return shape, Standings(shape.kind == "application", first, listing=listing)
    if has_last_words(first):
        return Shape("application", "plain"), Standings(is_application=True, first=first)
    least = LEAST_RECORDS if shape.kind == "gc" else LEAST_AMONG_OWN
    # no logger has its records begin as the JVM does those of a log that it has begun
    of_jvm = decorations_of(first[:LONGEST_LINE].partition(b"\n")[0]) if shape.kind == "gc" else None
    texts = ((line, unwrapped(line[:LONGEST_LINE])[0]) for _, line in _sample(first))
    records = sum(
        is_of_an_application(line, text)
        and (of_jvm is None or decorations(line) != of_jvm)
        and (shape.kind == "gc" or _is_users(logger_of(text)) or _OTHER_LOGGER.match(text) is not None)
        for line, text in texts
    )
    if records < least:
        return shape, Standings(is_application=False, is_client=shape.kind == "client", listing=listing)
    return Shape("application", "plain"), Standings(True, first, least=least, listing=listing)


def _is_of_the_client(message: Message) -> bool:
    """Whether RocketMQ logged the record of a line."""
    wrapper = wrapped_head(message.hit.line)
    logger = wrapper.logger or logger_of(message.record.header or message.text)
    return logger is not None and is_of_rocketmq(logger)


def _is_behind_a_collector(message: Message) -> bool:
    """Whether what collects the lines of a process can have put one of its own between them."""
    record = (message.record.header or message.text).lstrip()
    return begin_of(record) > 0


def _is_behind_a_value(before: str) -> bool:
    """Whether what follows stands behind a comma or a value of a record that names its logger."""
    line = before.rpartition("\n")[2]
    return _BEHIND_A_VALUE.search(line) is not None and logger_of(line) is not None


def _is_users(logger: str | None) -> bool:
    """Whether a logger is named after a class of no library: some of these write to RocketMQ's own files too."""
    return logger is not None and is_own(logger)


def _lies_between(own: Stamp, around: Around) -> bool:
    """Whether a time fits those of the records above and below; an unknown or a turned back clock contradicts none."""
    above, below = around.above, around.below
    if above is None or below is None or below.wall_ms < above.wall_ms - NEAR_MS:
        return True
    return above.wall_ms - NEAR_MS <= own.wall_ms <= below.wall_ms + NEAR_MS


@lru_cache(maxsize=256)
def _runs_own_code(methods: tuple[str, ...], loggers: frozenset[tuple[str, ...]], logger: str | None) -> bool:
    """Whether one of the methods of a stack is of a program, by its loggers, or of the class of one logger."""
    return any(
        is_of_program(method, loggers) or (logger is not None and _is_of_class(method, logger))
        for method in methods
    )


def _is_of_class(method: str, logger: str) -> bool:
    """Whether a method is of the class that a logger is named after."""
    parts, names = logger.split("."), method.split(".")
    return (
        len(parts) > 1
        and len(names) > len(parts)
        and all(name.startswith(part) for name, part in zip(names, parts, strict=False))
    )
