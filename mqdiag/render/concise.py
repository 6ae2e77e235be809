"""One line for each finding, as linters have it: `file: severity rule: title`."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.findings import Finding, Report
from mqdiag.render import View
from mqdiag.render.wording.ci_commands import Syntax
from mqdiag.render.wording.safe import safe
from mqdiag.render.wording.totals import totals_line
from mqdiag.render.wording.words import word

SYNTAX = Syntax.PLAIN


def render(report: Report, view: View) -> str:
    """The findings that count, the worst first, then their number."""
    return "".join(f"{safe(line, limit=None)}\n" for line in _lines(report, view))


def _lines(report: Report, view: View) -> Iterator[str]:
    for given in report.inputs:
        if given.error is not None:
            yield f"{given.path}: {view.write(given.error)}"
    for found in report.findings:
        if found.accepted is None:
            severity = view.write(word(found.severity.value))
            yield f"{_file(found, report)}: {severity} {found.rule}: {view.write(found.title)}"
    yield view.write(totals_line(report))


def _file(found: Finding, report: Report) -> str:
    """The first input that shows it, else the first that was read."""
    read = [given.path for given in report.inputs if given.was_read]
    return next(iter((*found.rests_on, *read)), "-")
