"""Cells that are read as words and sorted as numbers; what is not known is empty and comes last."""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.render.html.page.parts import Cell, Column, Table
from mqdiag.render.wording.sizes import duration, number, share, size
from mqdiag.text import say

_UNKNOWN = Cell("", -1)


def count_cell(value: int | None) -> Cell:
    """A count with thousands apart."""
    return _UNKNOWN if value is None else Cell(number(value), value)


def offset_cell(value: int | None) -> Cell:
    """An offset or a queue's number, digits only, to be copied."""
    return _UNKNOWN if value is None else Cell(str(value), value)


def size_cell(value: int | float | None) -> Cell:
    """Bytes."""
    return _UNKNOWN if value is None else Cell(size(value), value)


def age_cell(ms: int | None) -> Cell:
    """Milliseconds."""
    return _UNKNOWN if ms is None else Cell(duration(ms), ms)


def share_cell(part: float | None) -> Cell:
    """A share from 0 to 1."""
    return _UNKNOWN if part is None else Cell(share(part, 1), part)


def decimal_cell(value: float | None) -> Cell:
    """A number with two digits behind the point."""
    return _UNKNOWN if value is None else Cell(f"{value:,.2f}", value)


def table(
    name: str, caption: str, heads: Sequence[str], rows: Sequence[Sequence[Cell | str]], note: str = ""
) -> Table:
    """A table whose number columns have heads that begin with "#"."""
    columns = [Column(head=say(head.removeprefix("#")), number=head.startswith("#")) for head in heads]
    return Table(name=name, caption=say(caption), columns=columns, rows=rows, note=note)
