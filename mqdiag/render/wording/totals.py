"""How many findings of each severity, in words."""

from __future__ import annotations

from collections import Counter

from mqdiag.findings import Report, Severity
from mqdiag.render.wording.reading import was_read
from mqdiag.text import say


def totals_line(report: Report) -> str:
    """The whole report in a few words: "1 error, 2 warnings, 1 known"."""
    if not any(map(was_read, report.inputs)):
        return say("no input could be read")
    parts = []
    counts = Counter(found.severity for found in report.findings if found.accepted is None)
    if errors := counts[Severity.ERROR]:
        parts.append(say("{number:count} {number:error|errors}", number=errors))
    if warnings := counts[Severity.WARNING]:
        parts.append(say("{number:count} {number:warning|warnings}", number=warnings))
    if notes := counts[Severity.INFO]:
        parts.append(say("{number:count} {number:note|notes}", number=notes))
    known = sum(found.accepted is not None for found in report.findings)
    if known:
        parts.append(say("{known} known", known=known))
    if parts:
        return ", ".join(parts)
    return say("no fault found") if report.checked else say("nothing could be checked")
