"""Rows as a Markdown table."""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.query.formats import Rows
from mqdiag.query.values import shown
from mqdiag.render.markdown.escape import escaped
from mqdiag.render.wording.ci_commands import without_commands


def write(columns: Sequence[str], rows: Rows) -> str:
    """A table in which names from the dump stay text."""
    lines = [_line(columns), _line(["---"] * len(columns), plain=True)]
    lines += [_line([shown(value) for value in row]) for row in rows]
    return without_commands("\n".join(lines) + "\n", "markdown")


def _line(cells: Sequence[str], *, plain: bool = False) -> str:
    return "| " + " | ".join(cell if plain else escaped(cell) for cell in cells) + " |"
