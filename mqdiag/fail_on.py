"""What makes a run fail with exit code 1: `--fail-on` and `fail-on` of the configuration file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from mqdiag.errors import UsageError
from mqdiag.text import say

if TYPE_CHECKING:
    from mqdiag.findings import Finding, Report

NEVER = "never"
UNDECIDED = "undecided"
SEVERITIES = ("error", "warning", "info")
WORDS = (*SEVERITIES, UNDECIDED, NEVER)


class FailOn(msgspec.Struct, frozen=True, kw_only=True):
    """Findings from a severity on, an undecided answer, both, or nothing.

    Args:
        severity: the least severe finding that fails the run; None: no finding does.
        undecided: whether an answer that is undecided fails the run.
    """

    severity: str | None = "error"
    undecided: bool = False

    def is_failure(self, finding: Finding) -> bool:
        """Whether this finding fails the run; an accepted one never does."""
        from mqdiag.findings import Severity  # --help shows the words above without loading the report

        return self.severity is not None and finding.fails_at(Severity(self.severity))

    def is_too_unsure(self, report: Report) -> bool:
        """Whether the answer fails the run; a report that judges nothing, such as a fleet's plan, never does."""
        judges = report.show is None and (report.fleet is None or report.fleet.plan is None)
        return self.undecided and judges and report.answer.state == "undecided"

    def fails(self, report: Report) -> bool:
        """Whether the run fails."""
        return self.is_too_unsure(report) or any(map(self.is_failure, report.findings))


def parse_fail_on(given: str, source: str) -> FailOn:
    """Read "error", "undecided", "error,undecided" or "never".

    Args:
        given: what the user wrote.
        source: where, for the message.

    Raises:
        UsageError: an unknown word, two severities, or never beside another word.
    """
    words = [word.strip() for word in given.split(",")]
    severities = [word for word in words if word in SEVERITIES]
    if not set(words) <= set(WORDS) or len(severities) > 1 or (NEVER in words and len(words) > 1):
        raise UsageError(
            say(
                "{source} is {given}; it can be {words}, or a severity with undecided: error,undecided",
                source=source,
                given=repr(given),
                words=WORDS,
            )
        )
    return FailOn(severity=severities[0] if severities else None, undecided=UNDECIDED in words)
