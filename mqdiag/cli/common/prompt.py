"""A prompt for queries, with completion of tables, columns and classes."""

from __future__ import annotations

import re
import readline
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from mqdiag.cli.common.failures import complain
from mqdiag.cli.common.language import in_reader_language
from mqdiag.cli.common.output import Target
from mqdiag.errors import UsageError
from mqdiag.text import say

if TYPE_CHECKING:
    from mqdiag.graph import Heap
    from mqdiag.query.session import Answer, Session

_FIRST, _NEXT = "mqdiag> ", "   ...> "
_BREAKS = " \t\n\"'(),;=<>"
_WORDS = ("SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "JOIN", "ON", "USING", "count(*)", "DESC")
_COMMANDS = (".tables", ".columns", ".recipes", ".quit")
_MOST_OFFERED = 200


def prompt(session: Session, heap: Heap, shown: Callable[[Answer], Iterator[str]]) -> int:
    """Answer queries until the user has no more; a query ends with a semicolon."""
    offered = Offered(session, heap)
    readline.set_completer_delims(_BREAKS)
    readline.set_completer(offered.complete)
    readline.parse_and_bind("tab: complete")
    click.echo(in_reader_language(say("SQL ends with ; and .tables, .columns TABLE, .recipes, .quit help")))
    while (asked := _next_query()) is not None:
        try:
            Target("-").write_lines(_answered(session, asked, shown))
        except UsageError as error:
            complain(error.text)
        except KeyboardInterrupt:
            complain(say("interrupted"))
    return 0


def _next_query() -> str | None:
    """What the user asks; None at the end of the input."""
    lines: list[str] = []
    while True:
        try:
            line = input(_NEXT if lines else _FIRST)
        except EOFError:
            click.echo()
            return None
        except KeyboardInterrupt:
            click.echo()
            lines.clear()
            continue
        if not lines and line.strip() == ".quit":
            return None
        if not lines and line.startswith("."):
            return line.strip()
        if line.strip() or lines:
            lines.append(line)
        if line.rstrip().endswith(";"):
            return "\n".join(lines)


def _answered(session: Session, asked: str, shown: Callable[[Answer], Iterator[str]]) -> Iterator[str]:
    if not asked.startswith("."):
        return shown(session.ask(asked.rstrip().rstrip(";")))
    from mqdiag.query.formats.table import listing
    from mqdiag.query.recipes import recipes

    command, _, name = asked.partition(" ")
    if command == ".tables":
        return listing(("table", "holds"), session.tables().items())
    if command == ".columns":
        return listing(("column", "meaning"), session.columns(name.strip().strip('"')).items())
    if command == ".recipes":
        return listing(("recipe", "answers"), [(one.name, one.answers) for one in recipes().values()])
    raise UsageError(say("there is no command {command}; {known}", command=command, known=_COMMANDS))


class Offered:
    """What Tab offers for the word under the cursor."""

    def __init__(self, session: Session, heap: Heap) -> None:
        self._session = session
        self._classes = sorted(set(heap.classes.names))
        self._found: list[str] = []

    def complete(self, begun: str, state: int) -> str | None:
        """One of the offers, as readline asks for them: 0 first, None at the end."""
        if state == 0:
            self._found = self.offers(begun, readline.get_line_buffer())
        return self._found[state] if state < len(self._found) else None

    def offers(self, begun: str, line: str) -> list[str]:
        """All offers.

        Args:
            begun: the part of a word before the cursor.
            line: what has been typed so far.
        """
        if line.lstrip().startswith(".") and not line.lstrip().startswith(".columns "):
            known = list(_COMMANDS)
        else:
            known = [*self._session.tables(), *self._columns(line), *_WORDS, *self._classes]
        low = begun.lower()
        return [name for name in dict.fromkeys(known) if name.lower().startswith(low)][:_MOST_OFFERED]

    def _columns(self, line: str) -> list[str]:
        """Columns of the tables that the line names."""
        words = set(re.findall(r"\w+", line.lower())) & set(self._session.tables())
        return [column for table in sorted(words) for column in self._session.columns(table)]
