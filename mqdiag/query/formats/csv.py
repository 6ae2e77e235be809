"""Rows as CSV, with the same protection from formulas as `--format csv` of a report."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from mqdiag.language import english
from mqdiag.query.formats import Rows
from mqdiag.query.values import plain
from mqdiag.render.csv.cells import cell
from mqdiag.render.wording.ci_commands import Syntax, without_commands


def write(columns: Sequence[str], rows: Rows) -> Iterator[str]:
    """A head and the rows."""
    yield _line([cell(name, english()) for name in columns])
    for row in rows:
        yield _line([cell(plain(value), english()) for value in row])


def _line(cells: list[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells)
    return without_commands(out.getvalue(), Syntax.PLAIN)
