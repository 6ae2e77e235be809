"""The rows of log statements, and a message of each for tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mqdiag.logs.statements import HOLE, WORD, Event, Statement, events


class Row(NamedTuple):
    """One literal of one row."""

    subject: str
    """name of its file"""
    event: Event
    statement: Statement
    literal: str
    behind: str
    """what stands before it in the example"""

    def __str__(self) -> str:
        """How a failure names it."""
        return f"{self.subject}.toml: {self.literal!r}"

    @property
    def example(self) -> str:
        """A message, or the line of an exception or a tool, that the statement prints."""
        statement = self.statement
        if statement.example:
            one = next(
                (one for one in statement.each if self.literal == statement.literal.replace(HOLE, one)), ""
            )
            return _with_literal(statement, one, self.literal)
        return self.behind.replace(HOLE, "some text").replace(WORD, "word") + self.literal


def _with_literal(statement: Statement, one: str, literal: str) -> str:
    if not one:
        return statement.example
    if HOLE in statement.example and literal not in statement.example:
        return statement.example.replace(HOLE, one)
    first = statement.literal.replace(HOLE, statement.each[0])
    for other in statement.literals:
        if other in statement.example:
            return statement.example.replace(other, literal)
    raise AssertionError(f"the example of {first!r} has none of its literals")


def rows() -> Iterator[Row]:
    """Every literal."""
    for subject, _, event in events():
        for statement in event.statements:
            whole = event.whole(statement)
            for literal in whole.literals:
                yield Row(subject, event, whole, literal, whole.behind[0])
