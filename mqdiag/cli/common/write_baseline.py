"""The findings of a run as a baseline: a file that people edit, so each entry says in words what it is."""

from __future__ import annotations

import json
from collections.abc import Iterator

from mqdiag.findings import Finding, Report
from mqdiag.language import english
from mqdiag.render.wording.safe import safe

HEAD = """\
# Known findings. They are reported and do not fail the run; a worse severity does.
# Say in each reason why it is accepted, and until when: until = 2026-12-31
"""
NO_REASON_YET = "was there when this baseline was written"


def baseline_text(report: Report) -> str:
    """One entry for each fault; what was accepted before keeps its reason and its last day."""
    by_fault: dict[str, Finding] = {}
    for found in report.findings:  # the worst first, so the first of two alike is the one to keep
        by_fault.setdefault(found.fingerprint, found)
    return "\n".join((HEAD, *(f"{_entry(found)}\n" for found in by_fault.values())))


def _entry(found: Finding) -> str:
    return "\n".join(("[[known]]", *_lines(found)))


def _lines(found: Finding) -> Iterator[str]:
    yield f"fingerprint = {_text(found.fingerprint)}"
    yield f"rule = {_text(found.rule)}"
    yield f"severity = {_text(found.severity.value)}"
    yield f"title = {_text(english()(found.title))}"
    if found.accepted is None:
        yield f"reason = {_text(NO_REASON_YET)}"
        return
    yield f"reason = {_text(found.accepted.reason)}"
    if found.accepted.until is not None:
        yield f"until = {found.accepted.until.isoformat()}"


def _text(text: str) -> str:
    """A TOML string: what JSON escapes, TOML does too, once no control character is left."""
    return json.dumps(safe(text, limit=None), ensure_ascii=False)
