"""The report for a person at a terminal: the answer first, the tables after it, the gaps last."""

from __future__ import annotations

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.sections import sections_of
from mqdiag.render.text.writer import TextWriter


def render(report: Report, view: View) -> str:
    """All sections, one below the other."""
    page = TextWriter(view)
    for section in sections_of(report, view):
        page.section(section)
    return page.text()
