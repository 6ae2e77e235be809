"""One line that may be an event: its text without wrappers, its time, its thread, its record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice, takewhile

import msgspec

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.json_records import OF_STACK, unwrapped
from mqdiag.read.logs.heads import Head, begin_of, is_of_rocketmq, level_of
from mqdiag.read.logs.levels import ANY as _LEVEL
from mqdiag.read.logs.levels import HEAD_BYTES, SAME_DIGITS, level_in
from mqdiag.read.logs.scan import Hit
from mqdiag.read.logs.stamps import Stamp, StampReader

_MOST_DIGITS = 100
_ENDLESS_NUMBER = lazy_pattern(rf"\d{{{_MOST_DIGITS},}}")
"""no number of a log is so long; Python reads none of more than 4,300 digits, and turns none beyond 308 into a float"""
_STEP = _MOST_DIGITS // 2
_TWO_DIGITS = lazy_pattern(r"\d\d")
"""stand side by side in every 50th character of such a number, and so in hardly any line"""
_LEVELS = lazy_pattern(_LEVEL)
_THREAD_PATTERNS = (
    # the appender of 5.x clients
    _LEVEL + r" +\[\d+\] \[([^\]]{1,200})\] \[",
    # Spring Boot, with values of the MDC or the application's name
    _LEVEL + r" +(?:\[[^\]]{1,100}\] +)?\d+ --- \[ *(?:[^\]]{1,100}\] \[ *)?([^\]]{1,200})\]",
    # logback's default: the thread before the level
    r"\d \[([^\]]{1,200})\] +(?:\[[^\]]{0,200}\] +)?" + _LEVEL + r"\b",
    # in brackets behind a padded logger: "INFO  [RocketmqClient   ] [main] - text"
    _LEVEL + r" +\[[^\]]{0,200} {2,}\] \[([^\]]{1,200})\] +- ",
    _LEVEL + r" +\[([^\]]{1,200})\] ",
    # "WARN - main | Logger.method-384  text", and bars between all parts
    _LEVEL + r" +- (\S.{0,200}?) \| ",
    _LEVEL + r" *\| *([^|]{1,200}?) *\|",
    # RocketMQ's own files
    _LEVEL + r" (?!Rocketmq\w+ - )(\S.{0,200}?) - ",
    # the same with time and level cut off
    r"^\s{0,20}(?!Rocketmq\w+ - )([A-Z]\w{3,80}) - ",
    r'"thread(?:_name|Name)?" ?: ?"([^"]{1,200})"',
    r'Exception in thread "([^"]{1,200})"',
)
_THREADS = tuple((lazy_pattern(pattern), pattern.startswith(_LEVEL)) for pattern in _THREAD_PATTERNS)
"""each with whether it begins with a level: it is matched at the levels then"""
_OF_A_SERVER = lazy_pattern(
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d " + _LEVEL + r" (?!Rocketmq\w+ - )([A-Za-z]\w{2,80}) - "
)
"""a line of RocketMQ's own files with an ordinary name of a thread, which needs no other pattern"""
_OF_A_CLIENT = lazy_pattern(
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d{3})? "
    + _LEVEL
    + r"(?: +\[\d+\] \[([^\]]{1,200})\] \[| (Rocketmq)\w{1,40} - )"
)
"""a line of a client of 5.x with the first of the patterns above, or one of 4.x, where no thread stands"""
_THREAD_IN_TEXT = ('"thread', 'Exception in thread "')
STACK_BYTES = 8 << 10
_COMPOSED = lazy_pattern(r"^\S{1,60} +\| *")
"""docker compose puts the service before each line"""
_FRAMES = lazy_pattern(rb"(?:[ \t]{1,8}at [!-~][ -~]*\r?\n)+")
_LONGEST_FRAME = 1 << 10
BETWEEN_FRAMES = ("See http", "For more information")
"""beginnings of lines that RocketMQ puts between an exception and its stack"""


class Record(msgspec.Struct):
    """What the record of a line begins with."""

    stamp: Stamp | None
    start: int
    """where it begins in the log: the causes of one exception are one event"""
    header: str = ""
    """the line with the time when that is another one above: an exception's own line names no queue, but the line that
    it was logged under does"""
    between: bytes = b""
    """the lines from the record's beginning to this one"""


def lines_above(block: bytes, start: int, least: int = 0) -> Iterator[tuple[int, bytes]]:
    """(where it begins, the line) for the lines above a place in a block, the nearest first.

    Args:
        block: a part of the log.
        start: where a line begins.
        least: place at or above which no further line is looked at.
    """
    while start > least:
        end = start - 1
        start = block.rfind(b"\n", 0, end) + 1
        yield start, block[start:end]


def lines_below(block: bytes, start: int, most: int) -> Iterator[tuple[int, bytes]]:
    """(where it begins, the line) for the lines below a place in a block.

    Args:
        block: a part of the log.
        start: a place in a line.
        most: bytes below that line that are looked at.
    """
    end = block.find(b"\n", start)
    most += end + 1
    while 0 <= end < most:
        begin, end = end + 1, block.find(b"\n", end + 1)
        yield begin, block[begin : most if end < 0 else min(end, most)]


class Message(msgspec.Struct):
    """An event line; its time and its record are looked for when somebody asks, for many lines need neither."""

    hit: Hit
    stamps: StampReader
    lines_read: int = 0
    """lines of the log up to the end of the block"""
    _text: str | None = None
    _named_thread: str | None = None
    _record: Record | None = None

    @property
    def text(self) -> str:
        """The line without a collector's wrapper, and with an ellipsis for a number that is too long to be one."""
        if self._text is None:
            text, self._named_thread = unwrapped(self.hit.line)
            if len(text) >= _MOST_DIGITS and _TWO_DIGITS.search(text[_STEP - 1 :: _STEP]) is not None:
                text = _ENDLESS_NUMBER.sub("…", text)
            self._text = text
        return self._text

    @property
    def stands_for(self) -> int:
        """Lines like it that were counted and not looked at, with itself."""
        return self.hit.stands_for

    @property
    def number(self) -> int | None:
        """The number of the line in its log, from 1; None where the lines were not counted."""
        return self.lines_read - self.hit.block.count(b"\n", self.hit.start) + 1 if self.lines_read else None

    def number_of(self, text: str) -> int | None:
        """The same of the line of its stack that has a text; its own where none does."""
        if not self.lines_read:
            return None
        block, start = self.hit.block, self.hit.start
        for words in (f"Caused by: {text}".encode(), text.encode()):
            at = block.find(words, max(start - STACK_BYTES, 0), start + 2 * STACK_BYTES)
            if at >= 0:
                return self.lines_read - block.count(b"\n", at) + 1
        return self.number

    @property
    def record(self) -> Record:
        """The record that it is a part of."""
        if self._record is None:
            self._record = _record_of(self.hit, self.stamps)
        return self._record

    @property
    def both(self) -> str:
        """The record's header and the line, for what may stand on either."""
        header = self.record.header
        return f"{header}\n{self.text}" if header else self.text

    def stack(self) -> Iterator[str]:
        """The stack traces below it, or behind it where a collector put all into one text, at most 8 KiB of them."""
        _, _, inside = self.text.partition("\n")
        lines = map(line_of_stack, inside[:STACK_BYTES].split("\n")) if inside else self._below_by_runs()
        for bare, is_of_stack in lines:
            if is_of_stack:
                yield bare
            elif bare and not bare.startswith(BETWEEN_FRAMES):
                return

    def behind(self, text: str, most: int | None = None) -> Iterable[str | bytes]:
        """The lines behind the first one of a text, or those below it in the log where it has one line.

        Args:
            text: its own, or the end of it.
            most: characters of the text that are looked at; None for all.
        """
        _, _, inside = text.partition("\n")
        return inside[:most].split("\n") if inside else self._lines_below()

    def above(self) -> Iterator[str]:
        """The lines of its record above it, from the first below the header; of many the first 8 KiB and the last."""
        block, start = self.hit.block, self.hit.start
        top = max(start - self.hit.position + self.record.start, 0)
        begin = max(top, start - STACK_BYTES)
        parts = [block[begin:start]] if begin == top else [block[top : top + STACK_BYTES], block[begin:start]]
        return (line_of_stack(line)[0] for part in parts for line in part.split(b"\n")[1:])

    def below(self) -> str:
        """The next line, of a message that a program prints in several lines."""
        return next(self._lines_below(), b"").decode(errors="replace")

    def following(self, most: int) -> Iterator[str]:
        """The lines below it, at most so many, without what stands around them."""
        return (line_of_stack(line)[0] for line in islice(self._lines_below(), most))

    def _lines_below(self) -> Iterator[bytes]:
        return (line for _, line in lines_below(self.hit.block, self.hit.start, STACK_BYTES))

    def _below_by_runs(self) -> Iterator[tuple[str, bool]]:
        """The lines below it as `line_of_stack` has them, the frames of a usual stack all at once."""
        block = self.hit.block
        end = block.find(b"\n", self.hit.start)
        most = STACK_BYTES
        found = None if end < 0 else _FRAMES.match(block, end + 1, end + 1 + STACK_BYTES - _LONGEST_FRAME)
        if found is not None:
            yield from lines_of_stack(found[0][:-1])
            most -= found.end() - end - 1
            end = found.end() - 1
        if end >= 0:
            yield from (line_of_stack(line) for _, line in lines_below(block, end, most))

    def frames(self) -> str:
        """The stack of the exception that the line is; empty where it has none."""
        usual = None if "\n" in self.text else self._usual_frames()
        if usual is not None:
            return usual
        return "\n".join(takewhile(lambda line: line.startswith("at "), self.stack()))

    def _usual_frames(self) -> str | None:
        """The same by all lines at once, where they are short enough, and what is below them ends the stack."""
        block = self.hit.block
        end = block.find(b"\n", self.hit.start)
        found = None if end < 0 else _FRAMES.match(block, end + 1, end + 1 + STACK_BYTES - _LONGEST_FRAME)
        if found is None:
            return None
        below = block.find(b"\n", found.end())
        if below < 0 or below - found.end() > _LONGEST_FRAME:
            return None
        bare, is_of_stack = line_of_stack(block[found.end() : below])
        goes_on = bare.startswith("at ") if is_of_stack else not bare or bare.startswith(BETWEEN_FRAMES)
        return None if goes_on else _joined_frames(found[0])

    def thread(self) -> str | None:
        """The thread that logged it; a pretty-printed JSON record names it on a line between."""
        text = self.text
        if self._named_thread is None:
            self._named_thread = thread_of(text) or thread_of(self.record.between.decode(errors="replace"))
        return self._named_thread


@lru_cache(maxsize=512)
def line_of_stack(line: str | bytes) -> tuple[str, bool]:
    """(a line without what stands around it, whether it is of a stack); a log repeats few of them again and again."""
    text = line if isinstance(line, str) else unwrapped(line)[0]
    # some appenders end the lines of a stack by CR and LF
    bare = _COMPOSED.sub("", text[begin_of(text) :]).strip()
    return bare, OF_STACK.match(bare) is not None


@lru_cache(maxsize=256)
def lines_of_stack(lines: bytes) -> tuple[tuple[str, bool], ...]:
    """The same of several lines: a log has few stacks that differ, and each of them many times."""
    return tuple(map(line_of_stack, lines.split(b"\n")))


@lru_cache(maxsize=256)
def _joined_frames(lines: bytes) -> str:
    return "\n".join(line.decode().strip() for line in lines.splitlines())


def is_quiet(header: str) -> bool:
    """Whether a record is of an application, and no warning: lines below it may be a part of what somebody wrote."""
    level = application_level(header)
    return level is not None and not Head(level).is_loud


def application_level(header: str) -> str | None:
    """The level of a record of an application; None of a record of RocketMQ's, or of one without a level."""
    head = header.partition(" - ")[0].partition(" : ")[0]
    return _level_of_application(head.encode().translate(SAME_DIGITS))


@lru_cache(maxsize=512)
def _level_of_application(head: bytes) -> str | None:
    """The same, asked once for heads that differ in digits alone."""
    found = level_in(head, HEAD_BYTES)
    return None if found is None or is_of_rocketmq(head.decode()) else level_of(found[0].decode())


def _record_of(hit: Hit, stamps: StampReader) -> Record:
    stamp = stamps.of_line(hit.line)
    if stamp is not None:
        return Record(stamp, hit.position)
    stamp, begin = stamps.of_record(hit.block, hit.start)
    if stamp is None:
        return Record(None, hit.position)
    end = hit.block.find(b"\n", begin)
    header = unwrapped(hit.block[begin : min(end, begin + 4096)])[0]
    between = hit.block[begin : min(hit.start, begin + 2048)]
    return Record(stamp, hit.position - hit.start + begin, header, between)


def thread_of(text: str) -> str | None:
    """The thread that the head of a line names."""
    found = _OF_A_SERVER.match(text)
    if found is not None:
        return found[1]
    found = _OF_A_CLIENT.match(text, 0, 2048)
    if found is not None and (found[1] or _names_none(text, found.end(2))):
        return found[1]
    # Most patterns begin with a level: the places of all levels are looked for once, not by each of them.
    levels = [found.start() for found in _LEVELS.finditer(text, 0, 2048)]
    for pattern, at_level in _THREADS:
        if not at_level:
            found = pattern.search(text, 0, 2048)
            if found is not None:
                return found[1]
            continue
        for at in levels:
            found = pattern.match(text, at, 2048)
            if found is not None:
                return found[1]
    return None


def _names_none(text: str, begin: int) -> bool:
    """Whether no pattern can find a thread in the text of a client of 4.x, from the name of its logger on."""
    return _LEVELS.search(text, begin, 2048) is None and not any(word in text for word in _THREAD_IN_TEXT)
