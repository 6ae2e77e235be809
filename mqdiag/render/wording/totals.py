"""How many findings of each severity, in words."""

from __future__ import annotations

from collections import Counter

from mqdiag.baseline import lowered_line
from mqdiag.findings import Report, Severity
from mqdiag.text import Text, say


def totals_line(report: Report) -> Text:
    """The whole report in a few words: "1 error, 2 warnings, 1 known"; the answer's state where nothing was found."""
    if not any(given.was_read for given in report.inputs):
        return say("no input could be read")
    counts = Counter(found.severity for found in report.findings if found.accepted is None)
    parts = []
    if errors := counts[Severity.ERROR]:
        parts.append(say("{errors:count} {errors:error|errors}", errors=errors))
    if warnings := counts[Severity.WARNING]:
        parts.append(say("{warnings:count} {warnings:warning|warnings}", warnings=warnings))
    if infos := counts[Severity.INFO]:
        parts.append(say("{infos:count} info", infos=infos))
    if known := sum(found.accepted is not None for found in report.findings):
        parts.append(say("{known:count} known", known=known))
    if report.lowered:
        parts.append(lowered_line(report))
    if parts:
        return say("{parts}", parts=tuple(parts))
    return say("no fault found") if report.answer.state == "healthy" else say("undecided")


def one_line(report: Report, path: str) -> Text:
    """The report in one line, for the terminal of a run that wrote it into a file."""
    totals = totals_line(report)
    if report.answer.text and report.findings:
        return say("{totals}: {answer} (report: {path})", totals=totals, answer=report.answer.text, path=path)
    return say("{totals} (report: {path})", totals=totals, path=path)
