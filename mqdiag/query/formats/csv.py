"""Rows as CSV, with the same protection from formulas as `--format csv` of a report."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from mqdiag.language import english
from mqdiag.query.formats import Rows
from mqdiag.query.values import plain
from mqdiag.render.csv.cells import cell
from mqdiag.render.wording.ci_commands import without_commands


def write(columns: Sequence[str], rows: Rows) -> str:
    """A head and the rows."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([cell(name, english()) for name in columns])
    writer.writerows([cell(plain(value), english()) for value in row] for row in rows)
    return without_commands(out.getvalue(), "csv")
