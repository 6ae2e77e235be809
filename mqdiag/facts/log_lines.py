"""Lines by what is known of them: harmless, unknown, quoted, repeated, or of a team's own statements."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Excerpt, Public
from mqdiag.facts.vocabulary import (
    StatementKind,
)
from mqdiag.text import Text

MOST_PASSING = 20
"""passing lines of one rule that a start, a shutdown and a rebalance of one process explain"""


class UnknownText(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A text at WARN or ERROR that no rule judges."""

    text: Excerpt
    """with N for each number; cut"""
    count: int


class HeavyLine(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A line at WARN or ERROR, or an exception, that is not known to be harmless."""

    path: Public
    line: int
    """number of its line from 1"""
    text: Excerpt
    """as it stands there; cut"""
    count: int
    """lines like it, in all logs"""


class ReportedFault(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Lines in which one part of RocketMQ says that something failed, and that no rule judges."""

    part: Public
    """the reason of the catalogue, such as "tls" """
    component: Public
    """the class that logs the first of them"""
    lines: int
    is_error: bool
    """whether one of them is an error, and no warning"""
    in_own_log: bool
    """whether RocketMQ writes the log by itself, so that no application wrote the first of them"""
    path: Public
    line: int
    """number of the first of them from 1"""
    text: Excerpt
    """as it stands there; cut"""


class RepeatedLine(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What most lines of an excerpt say, below WARN."""

    text: Excerpt
    """without the time"""
    count: int


class HarmlessLines(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Lines that look like trouble and mean none."""

    kind: Public
    count: int
    why: Text
    """as a sentence"""
    example: Excerpt


class LevelLineFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Lines at WARN and ERROR by what is known of them; lines of a stack trace belong to the line above them."""

    harmless: int = 0
    passing: dict[str, int] = {}
    """lines that are harmless in small numbers, by the rule that judges them when they are many"""
    symptoms: dict[str, int] = {}
    """lines that a rule judges, by the rule"""
    faults: int = 0
    """lines about something that failed and that no rule judges"""
    unclassified: int = 0
    """RocketMQ's lines without a verdict"""
    foreign: int = 0
    """lines that are not RocketMQ's, or of a version or a layout that is not known; exceptions without a level"""
    unseen: int = 0
    """lines of floods that were counted like a line near them; they are part of the other counts"""
    commonest: tuple[UnknownText, ...] = ()
    """the three commonest texts of faults, unclassified and foreign lines"""
    heaviest: tuple[HeavyLine, ...] = ()
    """the first of each kind of line that may mean a fault: errors and exceptions first, then the most frequent ones"""
    reported: tuple[ReportedFault, ...] = ()
    """those of `faults` by the part that failed, the most frequent first"""
    quiet_s: float | None = None
    """for how long each of the logs with such lines goes on after its last one; None where a time is not known"""

    @property
    def not_understood(self) -> int:
        """Lines that no rule judges and that are not known to be harmless."""
        return self.faults + self.unclassified + self.foreign

    @property
    def weak(self) -> dict[str, int]:
        """Lines that some rule judges and that a start, a shutdown or a rebalance does not explain, by the rule."""
        weak = dict(self.symptoms)
        for rule, count in self.passing.items():
            if count > MOST_PASSING:
                weak[rule] = weak.get(rule, 0) + count
        return weak

    @property
    def all_harmless(self) -> bool:
        """Whether every line is known to be harmless, so that an all-clear may be given over them."""
        return not self.not_understood and not self.weak and not self.unseen


class TeamStatement(msgspec.Struct, frozen=True, kw_only=True):
    """A log statement of a team's own, in the log of one program with its rotated files, beside the team's limit."""

    name: Public
    by: Public
    """the file of the team that describes it"""
    text: Public
    kind: StatementKind
    limit: float
    """lines, lines a minute, seconds without a line, or lines that no other line follows, from where it is a fault"""
    within_seconds: float | None = None
    """for a sequence: how long the other line may take"""
    lines: int
    measured: float | None
    """the same as `limit`; None where the times of the lines do not tell"""
    since: Public | None = None
    """begin of the minute with the most lines or of the longest time without one; first line that nothing follows"""
    first: Public | None = None
    last: Public | None = None
    undated: int = 0
    """lines without a time"""
    sampled: bool = False
    """whether of a flood one line in several was looked at"""
    example: Excerpt = ""
    files: tuple[Public, ...] = ()
    severity: Public
    confidence: Public
    """the greatest that the team's file allows"""
    title: Public
    explanation: tuple[Public, ...] = ()
    actions: tuple[Public, ...] = ()


class QuotedStatement(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A line that holds the words of a log statement where the statement does not print them."""

    path: Public
    line: int
    """number of the line from 1, in an excerpt after cut lines were joined again"""
    quotes: Public
    """the words"""
    text: Excerpt
    """the line; cut"""
