"""Reads a file of mqadmin output: one command's, or several one after another, with or without prompts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import NamedTuple

from mqdiag.facts.admin import AdminFacts
from mqdiag.read.admin import console, routes
from mqdiag.read.admin.cells import Head, Row, head_of
from mqdiag.read.admin.lines import LINES
from mqdiag.read.admin.output import MOST_SETTINGS, Output, of_file_name
from mqdiag.read.admin.recognise import (
    COMMAND,
    COMMANDS,
    OTHER_COMMAND,
    PROMPT,
    PROPERTIES,
    ROUTE_MARK,
    SECTION,
)
from mqdiag.read.admin.tables import Table, table_of

MOST_LINES = 1_000_000
LONGEST_LINE = 8192
MOST_ROUTE_CHARACTERS = 1 << 20
_NAMED = {name: re.compile(rf"{option}[ =]?\s*[\"']?([%\w.-]+)") for name, option in COMMANDS.items()}
_NAMES_ITS_ANSWER = frozenset(COMMANDS) - {
    "clusterList",
    "brokerStatus",
    "getBrokerConfig",
    "haStatus",
    "statsAll",
}
_NAME_SERVER = re.compile(r"\s(?:-n|--namesrvAddr)[ =]?\s{0,20}[\"']?([\w.:;\[\]-]{1,1000})")
_THROWN = re.compile(r"(?:[a-z]\w*\.)+\w*(?:Exception|Error)\b")
_LISTED = re.compile(r"\S+\s+\S+\s+\d{1,5}\s+[\w.:\[\]-]{1,100}:\d{1,5}\s+V\d")
_ADDRESSED = re.compile(r"\s[\w.:\[\]-]{1,100}:\d{1,5}\s+V\d")
"""a broker's address and version, wherever a row has them"""
_BEGINS_A_WAIT = re.compile(r"(?=\S*[\d@#])\S{1,300}(?: M[^\n]*)?\Z(?<!ms)")
"""a line of consumerStatus about a queue that waits, of which the end is missing"""
_OF_A_LOGGER = ("RocketMQLog:", "log4j:", "SLF4J")
_PROPERTY = re.compile(r"([A-Za-z]\w*)\s*: (.*)$")


class Answers(NamedTuple):
    """What a file tells."""

    facts: AdminFacts
    is_cut: bool
    """its last answer did not come to its end"""


def read_admin(name: str, lines: Iterable[str], *, ends_open: bool = False) -> Answers:
    """Read one file.

    Args:
        name: the file; the group or topic that was asked for often stands in its name only.
        lines: its lines.
        ends_open: no line end stands behind the last line, of which a part may be missing.
    """
    reader = _Reader(Output(source=name, named=of_file_name(PurePath(name).name)))
    last: str | None = None
    for line, _ in zip(lines, range(MOST_LINES), strict=False):
        if last is not None:
            reader.take(last)
        longest = MOST_ROUTE_CHARACTERS if line.startswith("{") else LONGEST_LINE
        last = line.rstrip("\r\n")[:longest]
    if last is not None and not (ends_open and reader.lacks_the_end_of(last)):
        reader.take(last)
    return Answers(reader.facts(), reader.is_cut)


def _ends_an_answer(line: str) -> bool:
    """Whether a line below a table is one of those that mqadmin prints there, and no row."""
    return ": " in line and any(pattern.match(line) for pattern, _ in LINES)


class _Reader:
    def __init__(self, out: Output) -> None:
        self._out = out
        self._table: Table | None = None
        self._head = Head((), "")
        self._section = ""
        """head of the part of a client's file; "" outside of one"""
        self._route: list[str] = []
        self._route_characters = 0
        self._other: str | None = None
        """the command whose answer stands here, where none of the readers knows it"""
        self._one_cluster = False
        """the command asks for one cluster: a list without brokers may be of a name that is misspelt"""
        self.is_cut = False

    def facts(self) -> AdminFacts:
        """All that was read."""
        # consoles have no column of topics, and no total either
        from_mqadmin = "topic" in self._head.columns
        self.is_cut |= bool(self._route) or self._out.answer.lacks_its_end(from_mqadmin=from_mqadmin)
        self._end_route()
        return self._out.facts()

    def lacks_the_end_of(self, line: str) -> bool:
        """Whether the last line of a file is a head or a row of which a part is missing."""
        head = head_of(line)
        if line.startswith("#") and head is not None and (self._table is None or table_of(head) is not None):
            self.is_cut = True
        elif self._out.answer.rebalance is not None:
            self.is_cut = _BEGINS_A_WAIT.match(line) is not None
        elif self._table is not None and line.strip() and not _ends_an_answer(line):
            self.is_cut = Row(self._head, line, frozenset()).is_short
            # an answer without its rows is none without any
            self._out.asked_for_brokers &= not self.is_cut
        return self.is_cut

    def take(self, line: str) -> None:
        """Take one line."""
        if self._table is not None and self._table.lists_brokers and _ADDRESSED.search(line):
            self._out.rows_apart = True  # whatever becomes of the row, the list is not empty
        command = COMMAND.match(line)
        if command is not None and not self._is_named_so(line, command):
            self._begin(command[1], line[command.end() :])
        elif (other := OTHER_COMMAND.match(line)) is not None:
            self._begin_other(other[1])
        elif self._route or line.startswith("{"):
            self._take_route(line)
        elif SECTION.match(line):
            self._begin_section(line)
        elif self._begin_table(line) or (self._other is not None and PROMPT.match(line)):
            self._other = None
        elif not self._take_row(line):
            self._take_line(line)

    def _is_named_so(self, line: str, command: re.Match[str]) -> bool:
        """Whether it is no command, but the first cell of a row: a topic or a group may have the name of one."""
        return self._table is not None and command.start(1) == 0 and line.startswith("  ", command.end(1))

    def _begin(self, command: str, options: str) -> None:
        self._end_route()
        self._out.end_answer()
        given = _NAMED[command].search(options)
        self._out.named = given[1] if given and command in _NAMES_ITS_ANSWER else None
        server = _NAME_SERVER.search(options)
        self._out.name_server = server[1] if server else None
        self._one_cluster = command == "clusterList" and given is not None
        self._table, self._section, self._other = None, "", None

    def _begin_other(self, command: str) -> None:
        self._end_route()
        self._out.end_answer()
        self._table, self._section = None, ""
        self._other = command

    def _begin_section(self, line: str) -> None:
        self._table = None
        self._section = line.strip()
        if self._section == PROPERTIES:
            self._out.end_answer()

    def _begin_table(self, line: str) -> bool:
        head = head_of(line)
        table = None if head is None else table_of(head)
        if head is None or table is None:
            if line.startswith("#") and head is not None:
                # a table that says nothing new, or of a command that is not read
                self._table = None
            return False
        if not (head.separator or line.lstrip().startswith("#") or table.by_blanks):
            return False
        if table.begins:
            self._out.end_answer()
            self._section = ""
        self._table, self._head = table, head
        self._out.asked_for_brokers |= table.lists_brokers and not self._one_cluster
        return True

    def _take_row(self, line: str) -> bool:
        if self._table is None or not line.strip():
            return False
        return self._table.take(self._out, Row(self._head, line, self._table.optional))

    def _take_line(self, line: str) -> None:
        if self._other is not None and line.strip() and not line.startswith(_OF_A_LOGGER):
            self._out.unread_commands[self._other] = None
        if _LISTED.match(line):
            self._out.rows_apart = True
        if self._section == PROPERTIES:
            found = _PROPERTY.match(line)
            if found is not None and len(self._out.answer.properties) < MOST_SETTINGS:
                self._out.answer.properties[found[1]] = found[2].strip()
            return
        if self._section and "Subscription" not in self._section:
            # the stacks of a client have a reader of their own
            return
        if self._table is not None and self._table.lists_brokers and _THROWN.match(line):
            self._out.asked_for_brokers = False  # the answer did not come to its end
        for pattern, take in LINES:
            found = pattern.match(line)
            if found is not None:
                take(self._out, found)
                return

    def _take_route(self, line: str) -> None:
        self._route.append(line)
        self._route_characters += len(line)
        if line.rstrip() == "}" or (line.rstrip().endswith("}") and len(self._route) == 1):
            self._end_route()
        elif self._route_characters > MOST_ROUTE_CHARACTERS:
            self._route, self._route_characters = [], 0

    def _end_route(self) -> None:
        text = "\n".join(self._route)
        self._route, self._route_characters = [], 0
        if ROUTE_MARK in text:
            self._out.routes += routes.routes_of(self._out.source, self._out.named, text)
        elif any(mark in text for mark in console.MARKS):
            console.take(self._out, text)
