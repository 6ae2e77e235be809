"""What was found: the verdict with its whole evidence, then the other findings."""

from __future__ import annotations

from mqdiag.findings import EvidenceValue, Finding, Report, Severity
from mqdiag.render.text.page import INDENT, Page
from mqdiag.render.wording.about import about, about_line
from mqdiag.render.wording.accepted import accepted_line, lapsed_line
from mqdiag.render.wording.sizes import size
from mqdiag.render.wording.words import word
from mqdiag.text import say

STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "bold cyan"}


def show_findings(page: Page, report: Report) -> None:
    """The first finding is the verdict; the others follow in the report's order."""
    titles = {finding.fingerprint: finding.title for finding in report.findings}
    for position, finding in enumerate(report.findings):
        if position == 1:
            page.heading(say("Also found"))
        if position:
            page.blank()
        _show(page, finding, titles)
    if report.findings:
        page.blank()
        page.paragraph(say("mqdiag rules NAME explains a rule and what it rests on."), style="dim")
    if report.lapsed:
        page.heading(say("Accepted no longer"))
        page.bullets(map(lapsed_line, report.lapsed))


def _show(page: Page, finding: Finding, titles: dict[str, str]) -> None:
    page.hanging(
        word(finding.severity.value).upper() + ("" if finding.accepted is None else say(" (known)")),
        finding.title,
        indent=0,
        style="bold",
        mark_style=STYLES[finding.severity],
    )
    named = _about(finding)
    if named:
        page.paragraph(named)
    if finding.accepted is not None:
        page.paragraph(say("Accepted: {accepted_line}", accepted_line=accepted_line(finding.accepted)))
    page.blank()
    page.paragraph(say("Why ({sureness})", sureness=_sureness(finding)))
    page.bullets(finding.explanation or _evidence(finding.evidence), indent=2 * INDENT)
    for root in finding.caused_by:
        if root in titles:
            page.bullets([say("follows from: {titles}", titles=titles[root])], indent=2 * INDENT)
    if finding.remedy:
        page.blank()
        page.paragraph(say("What to change"))
        page.numbered(finding.remedy, indent=2 * INDENT)
    page.blank()
    page.paragraph(say("rule {rule}, cause {cause}", rule=finding.rule, cause=finding.cause), style="dim")


def _sureness(finding: Finding) -> str:
    reason = finding.confidence_reason
    sure = say("{confidence} confidence", confidence=word(finding.confidence))
    return say("{head}: {text}", head=sure, text=reason) if reason else sure


def _about(finding: Finding) -> str:
    """What it is about, unless the title has said all of it."""
    told = about(finding.subject)
    if all(value in finding.title for _, value in told):
        return ""
    return about_line(finding.subject)


def _evidence(evidence: dict[str, EvidenceValue]) -> list[str]:
    """The raw evidence, for a rule that has no sentences of its own."""
    lines = []
    for key, value in evidence.items():
        if value is None:
            continue
        words = key.replace("_", " ")
        if isinstance(value, int) and not isinstance(value, bool) and key.endswith("_bytes"):
            lines.append(f"{words}: {value:,} ({size(value)})")
        elif isinstance(value, tuple | list):
            lines.append(f"{words}: {', '.join(map(str, value))}")
        else:
            lines.append(f"{words}: {value}")
    return lines
