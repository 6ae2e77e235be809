"""Rows as columns of a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqdiag.query.formats import Rows
from mqdiag.query.values import shown
from mqdiag.render.text.lines import cell_len
from mqdiag.render.wording.ci_commands import Syntax, without_commands
from mqdiag.render.wording.safe import safe

WIDEST = 80
"""characters of a cell; other formats have the whole text"""
_WIDEST_OF_OURS = 400


def listing(columns: Sequence[str], rows: Rows) -> Iterator[str]:
    """What mqdiag itself says of tables and recipes, whole."""
    return write(columns, rows, _WIDEST_OF_OURS)


def write(columns: Sequence[str], rows: Rows, widest: int = WIDEST) -> Iterator[str]:
    """A head, a line under it, and the rows; numbers stand to the right.

    Args:
        columns: their names.
        rows: the rows.
        widest: characters of a cell; a longer text is cut.
    """
    values = [list(row) for row in rows]
    cells = [[safe(shown(value), limit=widest) for value in row] for row in values]
    heads = [safe(name, limit=widest) for name in columns]
    numeric = [_is_numeric([row[place] for row in values]) for place in range(len(heads))]
    widths = [
        max([cell_len(head), *(cell_len(row[place]) for row in cells)]) for place, head in enumerate(heads)
    ]
    lines = [_line(heads, widths, numeric), "  ".join("-" * width for width in widths)]
    lines += [_line(row, widths, numeric) for row in cells]
    yield without_commands("\n".join(lines) + "\n", Syntax.PLAIN)


def _is_numeric(values: list[object]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in known
    )


def _line(cells: list[str], widths: list[int], numeric: list[bool]) -> str:
    parts = []
    for cell, width, right in zip(cells, widths, numeric, strict=True):
        blank = " " * (width - cell_len(cell))
        parts.append(blank + cell if right else cell + blank)
    return "  ".join(parts).rstrip()
