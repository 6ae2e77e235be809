"""How many findings of each severity, in words."""

from __future__ import annotations

from mqdiag.findings import Report, Severity
from mqdiag.language import counted, say
from mqdiag.render.wording.reading import was_read

_WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def totals_line(report: Report) -> str:
    """The whole report in a few words: "1 error, 2 warnings, 1 known"."""
    if not any(map(was_read, report.inputs)):
        return say("no input could be read")
    parts = []
    for severity, noun in _WORDS.items():
        count = sum(found.severity is severity and found.accepted is None for found in report.findings)
        if count:
            parts.append(counted(count, noun))
    known = sum(found.accepted is not None for found in report.findings)
    if known:
        parts.append(say("{known} known", known=known))
    if parts:
        return ", ".join(parts)
    return say("no fault found") if report.checked else say("nothing could be checked")
