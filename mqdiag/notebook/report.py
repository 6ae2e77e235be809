"""A report that a notebook shows as its page."""

from __future__ import annotations

import html

from mqdiag.findings import Finding, Report
from mqdiag.render import View, renderer

_FRAME = '<iframe sandbox style="width: 100%; height: 40em; border: 0" srcdoc="{page}"></iframe>'


class HeapReport:
    """What mqdiag says of one dump."""

    def __init__(self, report: Report) -> None:
        self.report = report
        """the values of the JSON report"""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings, worst first."""
        return self.report.findings

    def __str__(self) -> str:
        return renderer("text")(self.report, View())

    def __repr__(self) -> str:
        return f"<report with {len(self.findings)} findings>"

    def _repr_html_(self) -> str:
        """The HTML report in a frame in which nothing runs."""
        page = renderer("html")(self.report, View())
        return _FRAME.format(page=html.escape(page))
