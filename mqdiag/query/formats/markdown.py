"""Rows as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqdiag.query.formats import Rows
from mqdiag.query.values import shown
from mqdiag.render.markdown.escape import escaped
from mqdiag.render.wording.ci_commands import Syntax, without_commands


def write(columns: Sequence[str], rows: Rows) -> Iterator[str]:
    """A table in which names from the dump stay text."""
    yield _line(columns)
    yield _line(["---"] * len(columns), plain=True)
    for row in rows:
        yield _line([shown(value) for value in row])


def _line(cells: Sequence[str], *, plain: bool = False) -> str:
    line = "| " + " | ".join(cell if plain else escaped(cell) for cell in cells) + " |\n"
    return without_commands(line, Syntax.PLAIN)
