"""Counts the lines of a team's own log statements in one log, in constant memory and beside the search for ours.

They have a search of their own: where two texts overlap one search finds one of them, and a team's text must not hide a
line from our rules. A line counts where the text begins its message, at the statement's level and by its logger.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import msgspec
from ahocorasick_rs import BytesAhoCorasick, Implementation

from mqdiag.logs.json_records import wrapped_head
from mqdiag.logs.message import Message
from mqdiag.logs.tally import EXAMPLE_CHARACTERS, Minutes, Span
from mqdiag.read.logs.heads import NO_HEAD, Head, head_of
from mqdiag.read.logs.scan import LONGEST_LINE, Hit
from mqdiag.read.logs.stamps import StampReader

if TYPE_CHECKING:
    from mqdiag.knowledge.team.statement import Pattern, Statement
    from mqdiag.logs.log_tally import LogTally

MOST_IN_BLOCK = 2000
"""lines of one text in one block, a MiB as a rule, beyond which only one in several is looked at"""
MOST_OPEN = 20_000
"""lines of a sequence that wait for the other one; the oldest of more are given up"""
_RANK = ("DEBUG", "INFO", "WARN", "ERROR")
Waiting = tuple[int, tuple[str, ...]]
"""(when a line was, its values that the other line shares)"""


class StatementTally(msgspec.Struct):
    """The lines of one statement in one log; times in milliseconds of the log's own clock."""

    lines: int = 0
    undated: int = 0
    sampled: bool = False
    span: Span = msgspec.field(default_factory=Span)
    minutes: Minutes = msgspec.field(default_factory=Minutes)
    largest_gap_ms: int = 0
    gap_from: int | None = None
    missing: int = 0
    """lines of a sequence that the other one did not follow in time"""
    missing_span: Span = msgspec.field(default_factory=Span)
    given_up: int = 0
    others: list[Waiting] = msgspec.field(default_factory=list)
    """other lines that no line before them in this log waited for: that may stand in the log before"""
    _waiting: dict[tuple[str, ...], deque[int]] = msgspec.field(default_factory=dict)
    """when lines were that still wait for the other one, by their values"""
    _queue: deque[Waiting] = msgspec.field(default_factory=deque)
    """the same and some that wait no longer, the oldest first"""
    example: str = ""

    def see(self, at: int | None, stands_for: int, text: str) -> None:
        """Count a line."""
        self.lines += stands_for
        self.sampled = self.sampled or stands_for > 1
        self.example = self.example or text.strip()[:EXAMPLE_CHARACTERS]
        if at is None:
            self.undated += stands_for
            return
        last = self.span.last
        if last is not None and at - last > self.largest_gap_ms:
            self.largest_gap_ms, self.gap_from = at - last, last
        self.span.see(at)
        self.minutes.add(at, stands_for)

    def wait(self, at: int, key: tuple[str, ...], within_ms: float) -> None:
        """Count a line that another one has to follow."""
        self.expire(at, within_ms)
        if len(self._queue) >= MOST_OPEN:
            self.given_up += self._oldest() is not None
        self._queue.append((at, key))
        self._waiting.setdefault(key, deque()).append(at)

    def follow(self, at: int, key: tuple[str, ...], within_ms: float) -> None:
        """Count the line that has to follow."""
        self.expire(at, within_ms)
        if not self.answer(key) and len(self.others) < MOST_OPEN:
            self.others.append((at, key))

    def answer(self, key: tuple[str, ...]) -> bool:
        """Whether a line waited for the other one with these values; it waits no longer."""
        times = self._waiting.get(key)
        if times is None:
            return False
        times.popleft()
        if not times:
            del self._waiting[key]
        return True

    def expire(self, now: int, within_ms: float) -> None:
        """Lines that have waited too long are missing the other one."""
        while self._queue and self._queue[0][0] + within_ms < now:
            at = self._oldest()
            if at is not None:
                self.missing += 1
                self.missing_span.see(at)

    def still_open(self) -> list[Waiting]:
        """Lines that wait at the end of the log, the oldest first; they wait no longer here."""
        found = []
        while self._queue:
            key = self._queue[0][1]
            at = self._oldest()
            if at is not None:
                found.append((at, key))
        return found

    def _oldest(self) -> int | None:
        """Take out the oldest line of the queue: when it was, None where it waits no longer."""
        at, key = self._queue.popleft()
        times = self._waiting.get(key)
        if times is None or times[0] != at:
            return None
        self.answer(key)
        return at


class _Text(msgspec.Struct):
    """A text that is searched for, and whose it is."""

    number: int
    """number of the statement"""
    pattern: Pattern
    follows: bool
    """it is the line that has to follow"""


class _Search(msgspec.Struct):
    literals: list[bytes]
    texts: list[list[_Text]]
    """by literal"""
    find: BytesAhoCorasick


@cache
def _search(statements: tuple[Statement, ...]) -> _Search:
    by_literal: dict[bytes, list[_Text]] = {}
    for number, statement in enumerate(statements):
        for pattern in (statement.pattern, statement.without):
            if pattern is not None:
                text = _Text(number, pattern, pattern is statement.without)
                by_literal.setdefault(pattern.literals[0].encode(), []).append(text)
    literals = list(by_literal)
    return _Search(
        literals, list(by_literal.values()), BytesAhoCorasick(literals, implementation=Implementation.DFA)
    )


class TeamLines:
    """The lines of all statements of a team in one log."""

    def __init__(self, statements: tuple[Statement, ...], tally: LogTally) -> None:
        """Begin a log.

        Args:
            statements: of the team.
            tally: of the log, whose clock holds for the lines.
        """
        self.tallies: list[StatementTally] = [StatementTally() for _ in statements]
        self._statements = statements
        self._search = _search(statements)
        self._log = tally
        self._stamps = StampReader()
        self._position = 0
        self._seen: dict[int, int] = {}
        """where the last line with each literal begins: a line counts once"""

    def see(self, block: bytes) -> None:
        """Count the lines of one block, which ends at a line end."""
        places: dict[int, list[int]] = {}
        for literal, at, _ in self._search.find.find_matches_as_indexes(block, overlapping=True):
            places.setdefault(literal, []).append(at)
        # in the order of the log: the lines of a sequence belong together
        for at, literal, stands_for in sorted(_chosen(places)):
            self._line(block, at, literal, stands_for)
        self._position += len(block)

    def _line(self, block: bytes, at: int, literal: int, stands_for: int) -> None:
        start = block.rfind(b"\n", 0, at) + 1
        if self._seen.get(literal) == self._position + start:
            return
        self._seen[literal] = self._position + start
        end = block.find(b"\n", at)
        end = len(block) if end < 0 else end
        line = block[start : min(end, start + LONGEST_LINE)]
        message = Message(Hit(literal, line, block, start, self._position + start, stands_for), self._stamps)
        text = message.text
        first = text.find(self._search.literals[literal].decode())
        head = None if first < 0 else head_of(text[:first])
        if head is None:
            return
        head = head.within(wrapped_head(line) if line.rstrip().endswith(b"}") else NO_HEAD)
        for one in self._search.texts[literal]:
            statement = self._statements[one.number]
            values = (
                one.pattern.values(text[first:].partition("\n")[0]) if _fits(head, statement, one) else None
            )
            if values is not None:
                self._count(self.tallies[one.number], statement, message, one, values)

    def _count(
        self, tally: StatementTally, statement: Statement, message: Message, one: _Text, values: dict[str, str]
    ) -> None:
        at = self._log.at(message)
        key = tuple(values[name] for name in statement.key)
        if not one.follows:
            tally.see(at, message.stands_for, message.text)
        elif message.stands_for > 1:
            tally.sampled = True
        if statement.seconds is None or at is None:
            return
        (tally.follow if one.follows else tally.wait)(at, key, statement.seconds * 1000)


def _chosen(places: dict[int, list[int]]) -> Iterable[tuple[int, int, int]]:
    """(place, literal, lines that it stands for) of what is looked at in a block."""
    for literal, found in places.items():
        stride = 1 + len(found) // MOST_IN_BLOCK
        for number in range(0, len(found), stride):
            yield found[number], literal, min(stride, len(found) - number)


def _fits(head: Head, statement: Statement, one: _Text) -> bool:
    """Whether a line with this head may be of the statement; the line that has to follow may have any head."""
    if one.follows:
        return True
    if head.level is not None and statement.levels:
        least = min(map(_RANK.index, statement.levels))
        if _RANK.index(head.level) < least:
            return False
    if head.logger is None or not statement.loggers:
        return True
    return _named(head.logger, statement.loggers)


def _named(logger: str, names: Sequence[str]) -> bool:
    simple = logger.rpartition(".")[2].partition("#")[0].partition(":")[0]
    return logger in names or simple in {name.rpartition(".")[2] for name in names}
