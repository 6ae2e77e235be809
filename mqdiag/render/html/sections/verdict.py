"""The one answer of all evidence: the chain from the cause to what people noticed, and what would make it surer."""

from __future__ import annotations

from mqdiag.facts.verdict import ChainStep, MissingEvidence, Verdict
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.figures.chain import ChainLink, chain
from mqdiag.render.html.page.parts import AnyPart, Bullets, Code, Figure, Fold, Heading, Paragraph, Section
from mqdiag.render.wording.words import word
from mqdiag.text import say


def verdict_section(report: Report, view: View) -> Section | None:
    """Nothing where the evidence was not joined."""
    verdict = report.verdict
    if verdict is None:
        return None
    parts: list[AnyPart] = []
    if len(verdict.chain) > 1:
        parts.append(_chain(verdict))
    if verdict.confidence is not None:
        sure = say("{confidence} confidence", confidence=word(verdict.confidence))
        reason = verdict.confidence_reason
        parts.append(Paragraph(say("{head}: {text}", head=sure, text=reason) if reason else sure))
    for title, lines in (
        (say("What follows"), verdict.consequences),
        (say("Where independent evidence agrees"), verdict.agreements),
        (say("Where evidence disagrees"), verdict.contradictions),
        (say("Faults of another time or broker"), verdict.elsewhere),
        (say("What it rests on"), verdict.checked),
    ):
        if lines:
            parts += [Heading(title), Bullets(lines)]
    return Section(name="how", title=say("How it hangs together"), parts=parts) if parts else None


def surer_section(report: Report, view: View) -> Section | None:
    """Evidence that is missing, with the commands that collect it."""
    if report.verdict is None or not report.verdict.surer:
        return None
    parts: list[AnyPart] = []
    for missing in report.verdict.surer:
        parts += _missing(missing)
    return Section(name="surer", title=say("What would make it surer"), parts=parts)


def _missing(missing: MissingEvidence) -> list[AnyPart]:
    parts: list[AnyPart] = [Heading(missing.what), Paragraph(missing.why)]
    if missing.caution:
        parts.append(Paragraph(say("Mind: {caution}", caution=missing.caution)))
    parts += [
        Fold(summary=say("Commands ({where})", where=command.where), parts=[Code("\n".join(command.lines))])
        for command in missing.commands
    ]
    return parts


def _chain(verdict: Verdict) -> Figure:
    links = [
        ChainLink(
            says=step.says,
            word=step.word,
            tied_by=", ".join(step.tied_by),
            seen_in=", ".join(map(word, step.seen_in)),
        )
        for step in verdict.chain
    ]
    return Figure(
        svg=chain(say("From the cause to what was noticed: ") + "; ".join(map(_told, verdict.chain)), links),
        caption=say("From the root cause, at the top, to what people noticed."),
    )


def _told(step: ChainStep) -> str:
    return f"{step.word} {step.says}".strip()
