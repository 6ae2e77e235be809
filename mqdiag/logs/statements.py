"""The log statements that are searched for: rows of `mqdiag/knowledge/log_statements`, one file for each subject.

A literal must be rare in a healthy log: what stands on every tenth line costs more than all the rest.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

import msgspec

from mqdiag import knowledge
from mqdiag.facts.vocabulary import LogSide
from mqdiag.knowledge import packed
from mqdiag.knowledge.packed import KnowledgeError
from mqdiag.read.logs.scan import EACH, SOME, FloodLimit

FOLDER = os.path.join(os.path.dirname(knowledge.__file__), "log_statements")
HOLE = "{}"
"""in `literal` it stands for one of `each`, in `behind` for any text"""
WORD = "{word}"
"""in `behind` it stands for text without a blank"""
HARMLESS = "harmless-"
"""begins the kinds of lines that look like trouble and are none"""
SHORTEST_BEGINNING = 14
"""bytes with which no line of prose begins by accident"""

Level = Literal["DEBUG", "INFO", "WARN", "ERROR"]
Writer = Literal["client", "broker", "namesrv", "proxy", "controller", "server", "jvm", "tool", "other"]
"""Whose program prints a statement; server: several of the servers.

tool: what runs containers and services; its words stand in no log of what it runs.
"""
Place = Literal[
    "message", "exception", "printed", "output", "anywhere", "collection", "frame", "thread", "head"
]
"""Where a statement stands of its own.

message: it begins the message of a log line. exception: it is the text of an exception or of a broker's answer.
printed: it is the value of an object that programs print. output: a JVM, a shell or the kernel prints
it. anywhere: tools print it in tables, documents and sentences.
collection: a line of the JVM about a pause. frame: of a stack. thread: the name of a thread, in the head of a line.
head: the literal begins in the head of a line, and its end begins the message.
"""
Flood = Literal["each", "some", "pairs", "rounds", "stored"]
_WANTED: dict[Flood, FloodLimit] = {
    "each": EACH,
    "some": SOME,
    # the beginning of a connection and its end, which tell together how long it lived
    "pairs": FloodLimit(200, 100, 32, in_a_row=True),
    # a row of rounds has those of all queues, and shows which of them has none any more
    "rounds": FloodLimit(None, 200, 64, in_a_row=True),
    # a queue of a short log has few of them; in a long one each queue comes up again and again
    "stored": FloodLimit(None, 200, 50),
}


class Statement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One statement of a program that logs; what it leaves out is as its event says."""

    literal: str
    """what is searched for"""
    each: tuple[str, ...] = ()
    """texts for the hole of `literal`: one literal for each"""
    behind: tuple[str, ...] = ("",)
    """what of the statement stands before its literal, in one version or another"""
    levels: tuple[Level, ...] = ()
    loggers: tuple[str, ...] = ()
    """simple names of the classes that log it; with a package it counts where a layout has shortened or cut that"""
    place: Place | None = None
    recorded: bool = False
    """as of its event"""
    example: str = ""
    """a line's message; empty where literal and what stands before it are enough of one"""

    @property
    def literals(self) -> tuple[str, ...]:
        """Literals without holes."""
        return tuple(self.literal.replace(HOLE, one) for one in self.each) or (self.literal,)


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of event, with the statements that tell of it.

    A line counts as `kind`, or else `handler` reads it: a function of `mqdiag.logs`, such as "store.disk".
    """

    statements: tuple[Statement, ...]
    kind: str = ""
    handler: str = ""
    why: str = ""
    """why lines of a kind that begins with "harmless" are no trouble, as a sentence"""
    side: LogSide | None = None
    """whose log has the event; None where both have"""
    writer: Writer | None = None
    levels: tuple[Level, ...] = ()
    loggers: tuple[str, ...] = ()
    place: Place = "message"
    recorded: bool = False
    """among records only a line with a time of its own counts: it excuses others, and anybody can put a line in"""
    flood: Flood = "some"
    """how many lines of a flood are looked at; none may stand for another that has a number of its own"""
    changes: bool = False
    """a line counts only if it differs from the one before it that has the literal"""
    subject: tuple[Literal["queue", "thread"], ...] = ()
    """what the line is about: the MessageQueue that it prints, the thread that logs it"""
    pattern: str = ""
    """what else a line has; groups with the names of subjects are what it is about"""
    optional: bool = False
    """a line without the pattern counts as well"""
    unless: str = ""
    """pattern of lines that do not count"""
    sum: str = ""
    """the group of `pattern` with the number of occurrences that a line stands for"""
    largest: tuple[str, ...] = ()
    """groups of `pattern` of which the largest number is kept, under their names"""
    smallest: tuple[str, ...] = ()
    least: dict[str, int] = {}
    """numbers of groups below which a line does not count"""
    from_literal: bool = False
    """the example of the lines begins where the literal does, so that a title can quote it"""
    marks: dict[str, str] = {}
    """patterns of the line or the line that it was logged under; a name that fits is kept with the number 1"""

    def __post_init__(self) -> None:
        """Refuse a row that says two things, or none."""
        if bool(self.kind) is bool(self.handler):
            raise ValueError("expected either `kind` or `handler`")
        if bool(self.why) is not self.kind.startswith(HARMLESS):
            raise ValueError(f"expected `why` with each kind that begins with {HARMLESS!r}, and with no other")
        if not self.statements:
            raise ValueError("expected at least one of `statements`")
        for one in self.statements if self.writer == "other" else ():
            loggers = one.loggers or self.loggers
            if (one.place or self.place) == "message" and not (
                loggers and all("." in name for name in loggers)
            ):
                raise ValueError(
                    f"expected `loggers` with their packages, for {one.literal!r} is of another program"
                )

    def whole(self, statement: Statement) -> Statement:
        """One of its statements with what it takes from the event."""
        return msgspec.structs.replace(
            statement,
            levels=statement.levels or self.levels,
            loggers=statement.loggers or self.loggers,
            place=statement.place or self.place,
            recorded=statement.recorded or self.recorded,
        )


class _Subject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file."""

    event: tuple[Event, ...]


class Searched(NamedTuple):
    """What a log is searched for."""

    literals: tuple[bytes, ...]
    events: tuple[Event, ...]
    event_of: tuple[int, ...]
    """place of each literal's event among `events`"""
    statements: tuple[Statement, ...]
    """the statement of each literal, with what it takes from its event"""
    wanted: tuple[FloodLimit, ...]
    changes: tuple[bool, ...]


def events(folder: str = FOLDER) -> Iterator[tuple[str, int, Event]]:
    """(subject, number in its file from 0, event), in the order of the files' names.

    Raises:
        KnowledgeError: a file is not of the form.
    """
    for subject in sorted(packed.read(folder)):
        for number, event in enumerate(packed.decode(folder, subject, _Subject).event):
            yield subject, number, event


@cache
def searched() -> Searched:
    """All literals of the package.

    Raises:
        KnowledgeError: a file is not of the form, or a literal stands in two rows.
    """
    rows: dict[bytes, tuple[int, Statement]] = {}
    found: list[Event] = []
    for subject, number, event in events():
        for statement in event.statements:
            for literal in statement.literals:
                if literal.encode() in rows:
                    path = packed.path_of(FOLDER, subject)
                    raise KnowledgeError(f"{path}: event {number + 1}: {literal!r} stands in another row too")
                rows[literal.encode()] = len(found), event.whole(statement)
        found.append(event)
    event_of = tuple(place for place, _ in rows.values())
    return Searched(
        literals=tuple(rows),
        events=tuple(found),
        event_of=event_of,
        statements=tuple(statement for _, statement in rows.values()),
        wanted=tuple(_WANTED[found[place].flood] for place in event_of),
        changes=tuple(found[place].changes for place in event_of),
    )


@cache
def why_harmless() -> dict[str, str]:
    """Why lines of a kind are no trouble, by the kind."""
    return {event.kind: event.why for event in searched().events if event.why}


@cache
def harmless_of_any_program() -> frozenset[str]:
    """Kinds of harmless lines that do not show whose log they stand in: a JVM, a logger or a shell writes them."""
    return frozenset(
        event.kind for event in searched().events if event.why and event.writer in ("jvm", "other")
    )


@cache
def beginnings(*, harmless: bool = False) -> tuple[bytes, ...]:
    """The texts with which messages of RocketMQ and lines of the JVM begin, as far as they have no holes.

    Args:
        harmless: only of harmless lines.
    """
    rows = searched()
    found: dict[bytes, None] = {}
    for literal, statement, event in zip(rows.literals, rows.statements, rows.event_of, strict=True):
        if statement.place in ("message", "output") and (rows.events[event].why or not harmless):
            for behind in statement.behind:
                fixed = behind.replace(WORD, HOLE).split(HOLE)[0].encode()
                begin = fixed if HOLE in behind or WORD in behind else fixed + literal
                if len(begin) >= SHORTEST_BEGINNING:
                    found[begin] = None
    return tuple(found)
