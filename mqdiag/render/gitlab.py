"""GitLab's Code Quality report: one issue for each finding that nobody accepted, and for each input that was not read.

One more tells what the configuration lowered.

Source: docs.gitlab.com/ci/testing/code_quality, "Code Quality report format". Its fingerprints are unique in a report.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.baseline import lowered_line
from mqdiag.findings import Finding, Report, Severity
from mqdiag.language import Writer
from mqdiag.render import View
from mqdiag.render.wording.ci_commands import Syntax
from mqdiag.render.wording.safe import safe

SYNTAX = Syntax.JSON
SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.INFO: "info"}
UNREAD = "input-not-read"
"""name of the check that an input which could not be read fails"""
LOWERED = "lowered"
"""name of the issue that tells what the configuration lowered"""


def render(report: Report, view: View) -> str:
    """One JSON list."""
    return msgspec.json.format(msgspec.json.encode([*_issues(report, view.write)]), indent=2).decode() + "\n"


def _issues(report: Report, write: Writer) -> Iterator[dict[str, object]]:
    for given in report.inputs:
        if given.error is not None:
            yield _issue(write(given.error), UNREAD, f"{UNREAD} {given.path}", "major", given.path)
    if report.lowered:
        yield _issue(write(lowered_line(report)), LOWERED, LOWERED, "info", "-")
    for found in report.findings:
        if found.accepted is None:
            path = _path(found, report)
            yield _issue(write(found.title), found.rule, found.fingerprint, SEVERITIES[found.severity], path)


def _issue(words: str, check: str, fingerprint: str, severity: str, path: str) -> dict[str, object]:
    return {
        "description": safe(words, limit=None),
        "check_name": safe(check, limit=None),
        "fingerprint": safe(fingerprint, limit=None),
        "severity": severity,
        # a path of the repository; evidence has no lines of code
        "location": {"path": safe(path, limit=None).removeprefix("./"), "lines": {"begin": 1}},
    }


def _path(found: Finding, report: Report) -> str:
    """The first input that a finding rests on."""
    return next(iter(found.rests_on or tuple(given.path for given in report.inputs if given.was_read)), "-")
