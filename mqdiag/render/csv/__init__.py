"""One table of the report as CSV, for spreadsheets and scripts; `--table` picks which."""

from __future__ import annotations

import csv
import io

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.csv.cells import cell
from mqdiag.render.csv.tables import TABLES
from mqdiag.render.wording.ci_commands import Syntax

SYNTAX = Syntax.PLAIN


def render(report: Report, view: View) -> str:
    """A head and the rows; the columns of a table are always the same."""
    columns, rows = TABLES[view.table](report, view.write)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([cell(value, view.write) for value in row] for row in rows)
    return out.getvalue()
