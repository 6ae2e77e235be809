"""The report for a person at a terminal."""

from __future__ import annotations

from mqdiag.findings import Report
from mqdiag.render import View


def render(report: Report, view: View) -> str:
    """Verdict first, then its evidence, then the tables."""
    return "".join(f"{finding.severity}: {finding.title}\n" for finding in report.findings)
