"""Whether a thread dump in a log is of the process that writes the log, or somebody pasted it into a text.

What `kill -3` prints stands on lines of its own in the console's log, at the time of the lines around it, and what a
container puts before a line stands before all lines. A dump that other words, quotation marks or a logger introduce, or
that is of another time, is a text of somebody: nothing in it says whose it is. One that fits in all this may still be
one: the threads that write the log around it must be in a dump of its process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from mqdiag.facts.inputs import AMONG_LINES
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.read.logs.levels import ANY, LEVEL, begins_record
from mqdiag.read.stacks.patterns import DATE_LINE
from mqdiag.text import Text, say

if TYPE_CHECKING:
    from mqdiag.read.logs.stamps import Stamp
    from mqdiag.read.stacks.records import ThreadRecord

NEAR_MS = 60_000
"""between a dump's time and those of the lines around it: loggers that write by a thread of their own are late"""
ZONE_STEP_MS = 30 * 60_000
FURTHEST_ZONE = 28
"""such steps from UTC: no zone is further"""
LINES = 60
"""lines behind a dump, and at the beginning of a file, in which the time of the log is looked for"""
MOST_RECORDS = 400
"""lines of a log that show whether a prefix stands before them too"""
LEAST_RECORDS = 20
"""lines of an application above a dump or an answer of mqadmin, which may then be a part of the last of them"""
LEAST_NAMED = 3
"""such lines that name threads of pools, without which their names prove nothing"""
MOST_NAMED = 60
"""such lines around a dump that are looked at"""
_RECORD = lazy_pattern(
    rb"[^\"'\n]{0,80}?(?:\d{4}[-/]\d\d[-/]\d\d[T ]|\d\d-\d\d-\d\d |[A-Z][a-z]{2} [ \d]\d )"
    rb"\d\d:\d\d:\d\d(?:[.,]\d+)?\S{0,6}[ \]|:]+\S"
)
"""a line with a time at its beginning and something behind it: the date above a dump has nothing"""
_NAMED = lazy_pattern(r"\[ *([A-Za-z][^\[\]\n]{0,80}?[-_# ]\d{1,6}) *\]")
"""the name of a thread of a pool, as most loggers print it; Spring Boot prints its end"""
_UNDATED = lazy_pattern(rf"[\[(]?\d\d:\d\d:\d\d[.,]\d{{3}}\b.{{1,120}}?\b{ANY}\b")
_COMMAND = lazy_pattern(r".{0,80}[$#>] ?\w|.{0,80}\bmqadmin\b|\s*[-=#*>]{2}")
"""a prompt or a heading: somebody put several things into one text"""
_DATE_CHARACTERS = len("2026-11-21 20:00:00")
"""length of a date without parts of a second: a logger may print a line of a date with them"""
_NUMBER = lazy_pattern(r"\d+")
_CLOCK_OR_LEVEL = lazy_pattern(rf"\d:\d\d:\d\d|^{LEVEL}", re.M)
"""one of which each such line has"""

IN_PREFIX = say("something stands before its lines that does not stand before the lines of the log")
BEHIND_WORDS = say("other words stand before it on its line")
WITHOUT_TIME = say("it does not say when it was taken")
OF_OTHER_THREADS = say("none of the threads that write the log around it is in it")
OF_ANOTHER_TIME = say("its own time is far from the lines around it")


class Surroundings:
    """The lines of a log around a dump."""

    def __init__(self, before: Stamp | None = None, words: str = "") -> None:
        self.before = before
        self.after: Stamp | None = None
        self.words = words
        """what stands before the dump's first words on their line"""
        self._pools: list[str] = []
        """pools of the threads that write the log, one for each line that names one"""
        self._records = 0
        """lines of an application before it, as far as they were counted"""
        self._programs: set[tuple[str, ...]] = set()
        """first parts of the names of their loggers"""

    def look_at_beginning(self, text: str) -> None:
        """Take note of the first lines of a log."""
        self._look_at_loggers(text)
        self.before = self.before or next(filter(None, map(stamp_of, text.split("\n", LINES)[:LINES])), None)

    def next(self, above: str, words: str) -> Surroundings:
        """Those of the next dump.

        Args:
            above: the text before it, as far as it is known.
            words: what stands before it on its line.
        """
        lines = above.split("\n")
        if is_record(words):
            lines.append(words)
        nearest = next(filter(None, map(stamp_of, reversed(lines))), None)
        around = Surroundings(before=nearest or self.after or self.before, words=words.strip())
        around._pools = [*islice(_pools_of(reversed(lines)), MOST_NAMED)] or self._pools
        around._records, around._programs = self._records, self._programs
        around._look_at_loggers(above)
        return around

    def _look_at_loggers(self, text: str) -> None:
        """Count lines of an application, until they are as many as show that users write to the log."""
        records = records_of(text, _begins_record) if self._records < LEAST_RECORDS else []
        if not records:
            return
        from mqdiag.read.logs.loggers import logger_of, program_of
        from mqdiag.read.logs.shape import is_of_own_form

        for line in records:
            if not is_of_own_form(line.encode(errors="replace")):
                self._records += 1
                self._programs |= {program_of(logger_of(line))} - {()}

    def look_behind(self, text: str) -> None:
        """Take note of lines among or behind the threads."""
        if self.after is None and ":" in text:
            self._pools += islice(_pools_of(islice(text.split("\n"), LINES)), MOST_NAMED)
            self.after = next(filter(None, map(stamp_of, islice(text.split("\n"), LINES))), None)

    def doubt(self, threads: Collection[ThreadRecord]) -> Text | None:
        """Why a dump that fits may have been pasted all the same; None where its threads or its code write the log."""
        if self.before is None and self._records < LEAST_RECORDS:
            return None
        if len(self._pools) < LEAST_NAMED:
            return AMONG_LINES if self._records >= LEAST_RECORDS and not self._is_own(threads) else None
        inside = {_pool_of(thread.name) for thread in threads}
        known = any(pool in name for pool in {*self._pools} for name in inside)
        return None if known else OF_OTHER_THREADS

    def _is_own(self, threads: Iterable[ThreadRecord]) -> bool:
        """Whether threads run code in a package of one of the loggers."""
        from mqdiag.read.logs.loggers import is_of_program

        methods = {method for thread in threads for method in thread.stack.methods}
        return any(is_of_program(method, self._programs) for method in methods)

    def reason(self, own_time: str | None) -> Text | None:
        """Why a dump is taken for a pasted one; None where it may be of the process that writes the log."""
        if self.before is None:
            # no line of a log is there, or the log was cut within its first dump
            return None
        if self.words:
            return BEHIND_WORDS
        if own_time is None:
            return WITHOUT_TIME
        if self.after is not None and self.after.wall_ms < self.before.wall_ms - NEAR_MS:
            self.after = None  # files that somebody put together
        from mqdiag.read.logs.stamps import StampReader

        own = StampReader().of_line(own_time.encode())
        return None if own is None or self._fits(own.wall_ms) else OF_ANOTHER_TIME

    def _fits(self, own_ms: int) -> bool:
        if self._lies_between(own_ms):
            return True
        known = [stamp for stamp in (self.before, self.after) if stamp is not None]
        if all(stamp.offset_minutes is None for stamp in known):
            return False
        # the log tells a zone, which need not be that of the JVM
        shifted = [own_ms + step * ZONE_STEP_MS for step in range(-FURTHEST_ZONE, FURTHEST_ZONE + 1)]
        if len(known) == 1:
            return any(abs(moment - known[0].wall_ms) <= NEAR_MS for moment in shifted)
        return any(map(self._lies_between, shifted))

    def _lies_between(self, own_ms: int) -> bool:
        """Whether a time is between the lines around; a process that hangs writes no more lines."""
        return (self.before is None or own_ms >= self.before.wall_ms - NEAR_MS) and (
            self.after is None or own_ms <= self.after.wall_ms + NEAR_MS
        )


def stamp_of(line: str) -> Stamp | None:
    """The time of a line of a log; None of other lines, those of thread dumps among them."""
    if not is_record(line):
        return None
    # Here, not above: most thread dumps stand in no log.
    from mqdiag.read.logs.stamps import StampReader

    return StampReader().of_line(line.encode(errors="replace"))


def _pools_of(lines: Iterable[str]) -> Iterator[str]:
    """Pools of the threads that some lines of a log name."""
    for line in lines:
        if "[" in line[:200] and _begins_record(line):
            found = _NAMED.search(line, 0, 300)
            if found is not None:
                yield _pool_of(found[1])


def _pool_of(thread: str) -> str:
    """The name of a thread without its numbers."""
    return _NUMBER.sub("#", thread)


def is_record(line: str) -> bool:
    """Whether a line begins as those of a log do."""
    return _RECORD.match(line[:200].encode(errors="replace")) is not None


def is_within_records(text: str) -> bool:
    """Whether a text begins and ends with lines of a log."""
    lines = text.strip().split("\n")
    return len(lines) > 1 and _begins_record(lines[0]) and _begins_record(lines[-1])


def goes_on_from_records(text: str, part: str) -> bool:
    """Whether a part of a text stands below lines of a log, without a command above it, blank lines left aside."""
    above = text[: max(text.find(part.strip("\n").partition("\n")[0]), 0)].rstrip().split("\n")
    return (
        len(above) >= LEAST_RECORDS
        and _COMMAND.match(above[-1]) is None
        and sum(map(_begins_record, above[:MOST_RECORDS])) >= LEAST_RECORDS
    )


def _begins_record(line: str) -> bool:
    """Whether a line begins as those of a log do, some of which name no day; none is a date alone, as above a dump."""
    alone = DATE_LINE.match(line)
    if alone is not None and len(alone[1]) == _DATE_CHARACTERS:
        return False
    return is_record(line) or _UNDATED.match(line) is not None or begins_record(line)


def records_of(text: str, begins: Callable[[str], bool] = is_record) -> list[str]:
    """The first lines of a text that begin as those of a log do; few lines of a dump have the time of a clock."""
    found: list[str] = []
    end = 0
    while len(found) < MOST_RECORDS and (mark := _CLOCK_OR_LEVEL.search(text, end)) is not None:
        begin, end = text.rfind("\n", 0, mark.start()) + 1, text.find("\n", mark.end())
        end = len(text) if end < 0 else end
        if begins(text[begin:end]):
            found.append(text[begin:end])
    return found
