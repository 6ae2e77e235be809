"""Log statements of a team, each with a limit: `log_statements/*.toml`.

The text of a statement is literal, with `{name}` where the program prints a value; it is no regular expression. Its
parts are found one after the other by a plain search that never goes back: no text and no log takes more time than its
length, where a regular expression can take all time there is. And whoever writes a file copies the line of the source.
`{{` stands for a brace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from mqdiag.facts.vocabulary import StatementKind
from mqdiag.knowledge.team.folder import GivenFile
from mqdiag.knowledge.team.form import converted, refused, tables_of
from mqdiag.knowledge.team.rule_words import check_actions
from mqdiag.text import say

FEWEST_BYTES = 8
"""before the first value of a text: shorter ones stand on too many lines"""
MOST_VALUES = 10
MOST_SECONDS = 30 * 86_400.0
MOST_COUNT = 1_000_000_000
LONGEST_VALUE = 400
"""characters that a value of a line may have"""
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", re.ASCII)
_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+")
_VALUE_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}", re.ASCII)

Level = Literal["DEBUG", "INFO", "WARN", "ERROR"]


class Count(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """At least so many lines."""

    at_least: int


class Rate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """At least so many lines within one minute of the clock."""

    per_minute: int


class Gap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """No such line for so long, although there were some before."""

    seconds: float


class Sequence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Lines that no other line follows in time."""

    without: str
    """the text of the line that has to follow; values of the same names must be equal"""
    seconds: float
    at_least: int = 1
    """lines that nothing follows"""


class Pattern(NamedTuple):
    """A text in parts."""

    literals: tuple[str, ...]
    """what stands before the first value, between two of them, and behind the last one"""
    names: tuple[str, ...]
    """names of the values"""

    def values(self, message: str) -> dict[str, str] | None:
        """The values of a message that begins with the text; None where the rest of the text is not there."""
        if not message.startswith(self.literals[0]):
            return None
        at, found = len(self.literals[0]), {}
        for name, literal in zip(self.names, self.literals[1:], strict=True):
            if literal:
                end = message.find(literal, at, at + LONGEST_VALUE + len(literal))
                if end < 0:
                    return None
            else:
                # the last value ends where a word ends
                end = next(
                    (
                        place
                        for place in range(at, min(at + LONGEST_VALUE, len(message)))
                        if message[place].isspace()
                    ),
                    min(at + LONGEST_VALUE, len(message)),
                )
            found[name] = message[at:end]
            at = end + len(literal)
        return found


class _Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One table of a file; exactly one of `count`, `rate`, `gap` and `sequence` is there."""

    name: str
    text: str
    levels: tuple[Level, ...] = ()
    loggers: tuple[str, ...] = ()
    severity: Literal["error", "warning", "info"]
    confidence: Literal["high", "medium", "low"] = "medium"
    title: str
    explanation: tuple[str, ...] = ()
    actions: tuple[str, ...]
    references: tuple[str, ...] = ()
    count: Count | None = None
    rate: Rate | None = None
    gap: Gap | None = None
    sequence: Sequence | None = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    statement: tuple[_Row, ...]


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A log statement and its limit, checked."""

    name: str
    """name of the cause, in kebab-case"""
    by: str
    """the file that says so"""
    text: str
    pattern: Pattern
    levels: tuple[Level, ...]
    """a line counts at the lowest of them or above; empty for any level"""
    loggers: tuple[str, ...]
    """names of classes, with or without their packages; empty for any logger"""
    severity: Literal["error", "warning", "info"]
    confidence: Literal["high", "medium", "low"]
    title: str
    explanation: tuple[str, ...]
    actions: tuple[str, ...]
    references: tuple[str, ...]
    kind: StatementKind
    limit: float
    """lines, lines a minute, seconds of a gap, or lines that nothing follows"""
    seconds: float | None = None
    """for a sequence: how long the other line may take"""
    without: Pattern | None = None
    """for a sequence: the line that has to follow"""

    @property
    def key(self) -> tuple[str, ...]:
        """Names of the values that two lines of a sequence share."""
        return (
            ()
            if self.without is None
            else tuple(name for name in self.pattern.names if name in self.without.names)
        )


def read_statements(file: GivenFile) -> Iterator[Statement]:
    """The statements of a file.

    Raises:
        UsageError: it is wrong.
    """
    raw = tables_of(file)
    rows = converted(file, raw, _File, {"statement": _Row}).statement
    if not rows:
        raise refused(file, "", say("says nothing: expected [[statement]]"))
    for number, row in enumerate(rows):
        yield _checked(file, f"statement[{number}]", row)


def _checked(file: GivenFile, place: str, row: _Row) -> Statement:
    if len(row.name) > 80 or _NAME.fullmatch(row.name) is None:
        problem = say(
            "{name} is not a name: expected words of small letters with hyphens, such as payment-refused",
            name=repr(row.name),
        )
        raise refused(file, f"{place}.name", problem)
    for key, text in (("title", row.title), ("actions", "".join(row.actions))):
        if not text.strip():
            raise refused(file, f"{place}.{key}", say("is empty: expected a sentence"))
    check_actions(file, f"{place}.actions", row.actions)
    check_actions(file, f"{place}.explanation", row.explanation)
    pattern = _pattern(file, f"{place}.text", row.text)
    for key, texts in (("title", (row.title,)), ("explanation", row.explanation), ("actions", row.actions)):
        for value in (f"{{{name}}}" for name in pattern.names):
            if any(value in text for text in texts):
                problem = say(
                    "{value} is a value of one line, and a finding is about many: expected words alone",
                    value=value,
                )
                raise refused(file, f"{place}.{key}", problem)
    limits = [one for one in (row.count, row.rate, row.gap, row.sequence) if one is not None]
    if len(limits) != 1:
        problem = say(
            "expected one of {kinds}, and not {found:count} of them",
            kinds=("count", "rate", "gap", "sequence"),
            found=len(limits),
        )
        raise refused(file, place, problem)
    kind, limit, seconds, without = _limit(file, place, row)
    return Statement(
        name=row.name,
        by=file.name,
        text=row.text,
        pattern=pattern,
        levels=row.levels,
        loggers=row.loggers,
        severity=row.severity,
        confidence=row.confidence,
        title=row.title,
        explanation=row.explanation,
        actions=row.actions,
        references=row.references,
        kind=kind,
        limit=limit,
        seconds=seconds,
        without=without,
    )


def _limit(file: GivenFile, place: str, row: _Row) -> tuple[StatementKind, float, float | None, Pattern | None]:
    """(kind, limit, seconds of a sequence, the other line of a sequence)."""
    if row.count is not None:
        return "count", _number(file, f"{place}.count", row.count.at_least, MOST_COUNT), None, None
    if row.rate is not None:
        return "rate", _number(file, f"{place}.rate", row.rate.per_minute, MOST_COUNT), None, None
    if row.gap is not None:
        return "gap", _number(file, f"{place}.gap", row.gap.seconds, MOST_SECONDS), None, None
    assert row.sequence is not None
    where = f"{place}.sequence"
    without = _pattern(file, where, row.sequence.without)
    return (
        "sequence",
        _number(file, where, row.sequence.at_least, MOST_COUNT),
        _number(file, where, row.sequence.seconds, MOST_SECONDS),
        without,
    )


def _number(file: GivenFile, place: str, value: float, most: float) -> float:
    if not 1 <= value <= most:  # NaN is neither
        raise refused(file, place, say("expected a number from {least} to {most}", least=1, most=int(most)))
    return value


def _pattern(file: GivenFile, place: str, text: str) -> Pattern:
    literals = [""]
    names: list[str] = []
    for found in _PART.finditer(text):
        part, name = found[0], found[1]
        if name is not None:
            if _VALUE_NAME.fullmatch(name) is None or name in names:
                problem = say(
                    "{part} is not a value: expected a name of small letters in braces, each once", part=part
                )
                raise refused(file, place, problem)
            if names and not literals[-1]:
                raise refused(
                    file, place, say("expected text between {part} and the value before it", part=part)
                )
            names.append(name)
            literals.append("")
        elif part in ("{", "}"):
            raise refused(
                file,
                place,
                say("has a single brace: expected the name of a value in braces, or a brace twice for itself"),
            )
        else:
            literals[-1] += part[0] if part in ("{{", "}}") else part
    if len(literals[0].encode()) < FEWEST_BYTES or not literals[0].isprintable():
        problem = say(
            "expected at least {least:count} bytes of text before the first value", least=FEWEST_BYTES
        )
        raise refused(file, place, problem)
    if len(names) > MOST_VALUES:
        raise refused(file, place, say("expected at most {most:count} values", most=MOST_VALUES))
    return Pattern(tuple(literals), tuple(names))
