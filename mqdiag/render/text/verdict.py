"""The one answer of a diagnosis: statement, chain, what it rests on, what would make it surer."""

from __future__ import annotations

from mqdiag.facts.verdict import ChainStep, MissingEvidence, Verdict
from mqdiag.findings import Report
from mqdiag.render.text.page import INDENT, Page
from mqdiag.render.wording.words import word
from mqdiag.text import say

PLACES = {
    "host": say("on the host"),
    "container": say("in a container"),
    "kubernetes": say("in Kubernetes"),
}


def show_verdict(page: Page, report: Report) -> None:
    """Before the findings: what happened, and how sure that is."""
    verdict = report.verdict
    if verdict is None:
        return
    if not verdict.healthy:
        known = verdict.confidence is not None
        page.hanging(
            say("VERDICT") if known else say("NO VERDICT"),
            verdict.statement,
            indent=0,
            style="bold",
            mark_style="bold red" if known else "bold yellow",
        )
        page.blank()
        if verdict.confidence is not None:
            sure = say("{confidence} confidence", confidence=word(verdict.confidence))
            reason = verdict.confidence_reason
            page.paragraph(say("{head}: {text}", head=sure, text=reason) if reason else sure)
    if len(verdict.chain) > 1:
        page.blank()
        page.paragraph(say("How it follows"))
        page.numbered([_step(step) for step in verdict.chain], indent=2 * INDENT)
    _lines(page, say("What follows from it now"), verdict.consequences)
    _lines(page, say("Evidence that agrees"), verdict.agreements)
    _lines(page, say("Evidence that disagrees"), verdict.contradictions)
    _lines(page, say("Faults of another time or broker"), verdict.elsewhere)
    _lines(page, say("What was looked at"), verdict.checked)
    page.blank()


def _step(step: ChainStep) -> str:
    seen = say(" and ").join(map(word, step.seen_in))
    ties = say("; the same {tied_by}", tied_by=", ".join(step.tied_by)) if step.tied_by else ""
    return say("{word} {says} ({seen}{ties})", word=step.word, says=step.says, seen=seen, ties=ties).lstrip()


def _lines(page: Page, head: str, lines: tuple[str, ...]) -> None:
    if lines:
        page.blank()
        page.paragraph(head)
        page.bullets(lines, indent=2 * INDENT)


def show_surer(page: Page, verdict: Verdict) -> None:
    """Behind everything else: what to collect next, ready to be pasted."""
    if not verdict.surer:
        return
    page.heading(say("What would make it surer"))
    for missing in verdict.surer:
        _missing(page, missing)


def _missing(page: Page, missing: MissingEvidence) -> None:
    caution = say(" Mind: {caution}.", caution=missing.caution) if missing.caution else ""
    page.hanging("-", say("{what}: {why}.{caution}", what=missing.what, why=missing.why, caution=caution))
    for command in missing.commands:
        page.paragraph(say("{place}:", place=PLACES.get(command.where, command.where)), indent=2 * INDENT)
        for line in command.lines:
            page.command(line, indent=3 * INDENT)
