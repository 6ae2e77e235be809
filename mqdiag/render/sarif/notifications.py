"""Notes on the run itself: unreadable inputs, failed rules, acceptances without an effect."""

from __future__ import annotations

from typing import Any

from mqdiag.baseline import lowered_line
from mqdiag.findings import Report
from mqdiag.language import Writer
from mqdiag.render.sarif.messages import message
from mqdiag.render.wording.accepted import lapsed_line


def notifications(report: Report, write: Writer) -> list[dict[str, Any]]:
    """Errors first."""
    unreadable = [
        _note("error", "input-unreadable", f"{given.path}: {write(given.error)}")
        for given in report.inputs
        if given.error is not None
    ]
    crashed = [_note("error", "rule-crashed", f"{failed.rule}: {failed.error}") for failed in report.failed]
    lapsed = [_note("warning", "acceptance-lapsed", write(lapsed_line(lapsed))) for lapsed in report.lapsed]
    lowered = [_note("warning", "findings-lowered", write(lowered_line(report)))] if report.lowered else []
    return [*unreadable, *crashed, *lapsed, *lowered]


def _note(level: str, name: str, text: str) -> dict[str, Any]:
    return {"level": level, "descriptor": {"id": name}, "message": message(text)}
