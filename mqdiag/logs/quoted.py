"""Lines that quote a log statement: counted apart, and never a part of any event."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import HIDDEN
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.counting import Handler
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.read.logs.scan import Counts

MOST_SHOWN = 20
"""lines of one log that are kept"""
MOST_LOOKED_AT = 200
"""lines with one literal whose meaning is looked at"""
TEXT_CHARACTERS = 300
_LONGEST_WORD = 40
_WORD_BEFORE = lazy_pattern(r"\w{1,40}\Z")


class QuotedLine(msgspec.Struct):
    """A line that quotes a statement."""

    line: int
    """number of the line from 1"""
    quotes: str
    """the words of the statement by which it was found"""
    text: str


class QuotedLines(msgspec.Struct):
    """All such lines of one log, and those that hold the words of a statement by accident."""

    count: int = 0
    not_own: int = 0
    """lines without any statement in its own place"""
    shown: list[QuotedLine] = msgspec.field(default_factory=list)
    _own_position: int = -1
    """where the last line with an own statement begins"""
    _position: int = -1
    """where the line begins that has had no own statement so far; -1 without one"""
    _stands_for: int = 0
    _is_quoted: bool = False
    _found: QuotedLine | None = None
    _looked_at: dict[int, tuple[int, bool]] = msgspec.field(default_factory=dict)
    """by literal, how many lines were looked at, and whether the last of them said something"""

    def hide(self) -> None:
        """Forget what the lines say; where they stand is kept."""
        for one in self.shown:
            one.quotes = one.text = HIDDEN

    def own(self, position: int) -> None:
        """A statement stands in its own place: what else its line quotes is a part of it."""
        self._own_position = position
        if self._position >= 0:
            self.end()

    def not_in_place(
        self, message: Message, literal: bytes, handler: Handler, log: LogTally, counts: Counts
    ) -> None:
        """A statement stands elsewhere; it is quoted if its line says as much as an own line would.

        Args:
            message: the line.
            literal: what was found in it.
            handler: what counts own lines.
            log: the log's tally, which stays as it is.
            counts: what was read up to the end of the line's block.
        """
        hit = message.hit
        if hit.position == self._own_position:
            return
        if hit.position != self._position:
            self.end()
            self._position, self._stands_for = hit.position, hit.stands_for
        if not self._is_quoted and self._says_something(message, handler, log):
            self._is_quoted = True
            if len(self.shown) < MOST_SHOWN:
                number = counts.lines - hit.block.count(b"\n", hit.start) + 1
                text = message.text.strip()
                words = _whole_words(text, literal.decode())
                self._found = QuotedLine(number, words, text[:TEXT_CHARACTERS])

    def _says_something(self, message: Message, handler: Handler, log: LogTally) -> bool:
        """As `says_something`; of a flood the last line that was looked at tells for the others."""
        times, answer = self._looked_at.get(message.hit.literal, (0, False))
        if times < MOST_LOOKED_AT:
            answer = says_something(message, handler, log)
            self._looked_at[message.hit.literal] = times + 1, answer
        return answer

    def end(self) -> None:
        """Count the last line that had none of its own."""
        if 0 <= self._position != self._own_position:
            self.not_own += self._stands_for
            if self._is_quoted:
                self.count += self._stands_for
            if self._found is not None:
                self.shown.append(self._found)
        self._position, self._is_quoted, self._found = -1, False, None


def _whole_words(text: str, literal: str) -> str:
    """A literal with the rest of the word in which it begins."""
    at = text.find(literal)
    found = None if at < 0 else _WORD_BEFORE.search(text, max(at - _LONGEST_WORD, 0), at)
    return ((found[0] if found is not None else "") + literal).strip()


def says_something(message: Message, handler: Handler, log: LogTally) -> bool:
    """Whether a line would change what is known of its log."""
    before = LogTally(log.path, log.kind, seconds_only=log.seconds_only, zone_minutes=log.zone_minutes)
    after = LogTally(log.path, log.kind, seconds_only=log.seconds_only, zone_minutes=log.zone_minutes)
    # nothing is known of the connections and queues that such a line names
    handler(message, after)
    after.zone_minutes, after.said_nothing = log.zone_minutes, before.said_nothing
    return after != before
