"""How one cause led to what people noticed, where the evidence is of several kinds."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.evidence_kinds import evidence_names
from mqdiag.facts.verdict import ChainStep, Verdict
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.figures.chain import ChainLink, chain
from mqdiag.render.parts import AnyPart, Bullets, Figure, Section, Steps
from mqdiag.text import Text, say


def chain_section(report: Report, view: View) -> Iterator[Section]:
    """The chain, what follows from it, and where the evidence agrees or not."""
    verdict = report.verdict
    if verdict is None:
        return
    parts: list[AnyPart] = [_chain(verdict)] if len(verdict.chain) > 1 else []
    for title, lines in (
        (say("Impact now"), verdict.consequences),
        (say("Evidence that agrees"), verdict.agreements),
        (say("Evidence that disagrees"), verdict.contradictions),
        (say("Faults of another time or broker"), verdict.elsewhere),
        (say("Evidence that was read"), verdict.read_evidence),
    ):
        if lines:
            parts.append(Bullets(lines, title=title))
    if parts:
        title = say("Chain of causes") if len(verdict.chain) > 1 else say("What the evidence shows")
        yield Section(name="chain", title=title, parts=parts)


def _chain(verdict: Verdict) -> Figure:
    links = [
        ChainLink(says=step.says, word=step.word, tied_by=step.tied_by, seen_in=evidence_names(step.seen_in))
        for step in verdict.chain
    ]
    steps = [_step(step) for step in verdict.chain]
    title = say("From the cause to what people noticed: {steps}", steps=tuple(steps))
    return Figure(
        draw=lambda write: chain(write, title, links),
        caption=say("The root cause is at the top; what people noticed is at the bottom."),
        words=(Steps(steps),),
    )


def _step(step: ChainStep) -> Text:
    what = say("{word} {says}", word=step.word, says=step.says) if step.word else say("{says}", says=step.says)
    seen = evidence_names(step.seen_in)
    if step.tied_by:
        return say("{what} ({seen:and}; the same {tied_by})", what=what, seen=seen, tied_by=step.tied_by)
    return say("{what} ({seen:and})", what=what, seen=seen)
