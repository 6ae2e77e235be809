"""How many findings of each severity, in words."""

from __future__ import annotations

from mqdiag.findings import Report, Severity
from mqdiag.render.wording.reading import was_read

_WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def totals_line(report: Report) -> str:
    """The whole report in a few words: "1 error, 2 warnings, 1 known"."""
    if not any(map(was_read, report.inputs)):
        return "no input could be read"
    parts = []
    for severity, word in _WORDS.items():
        count = sum(found.severity is severity and found.accepted is None for found in report.findings)
        if count:
            parts.append(f"{count} {word}{'' if count == 1 else 's'}")
    known = sum(found.accepted is not None for found in report.findings)
    if known:
        parts.append(f"{known} known")
    if parts:
        return ", ".join(parts)
    return "no fault found" if report.checked else "nothing could be checked"
