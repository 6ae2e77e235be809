"""What the cause led to, and where the evidence agrees or not, where it is of several kinds."""

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
    for title, lines, wide in (
        (say("Impact now"), verdict.consequences, False),
        (say("Evidence that agrees"), verdict.agreements, True),
        (say("Evidence that disagrees"), verdict.contradictions, False),
        (say("Faults of another time or broker"), verdict.elsewhere, True),
        (say("Evidence that was read"), verdict.read_evidence, False),
    ):
        if lines:
            parts.append(Bullets(lines, title=title, wide=wide))
    if parts:
        title = say("What it led to") if len(verdict.chain) > 1 else say("What the evidence shows")
        yield Section(name="chain", title=title, parts=parts)


def _chain(verdict: Verdict) -> Figure:
    links = [
        ChainLink(says=step.says, word=step.word, tied_by=step.tied_by, seen_in=evidence_names(step.seen_in))
        for step in verdict.chain
    ]
    title = say("From the cause to what people noticed: {steps}", steps=tuple(map(_step, verdict.chain)))
    effects = verdict.chain[1:]
    return Figure(
        draw=lambda write: chain(write, title, links),
        caption=say("The root cause is at the top; what people noticed is at the bottom."),
        words=(Steps([step.says for step in effects], short=True), Steps([*map(_tied, effects)], wide=True)),
    )


def _step(step: ChainStep) -> Text:
    if step.word:
        return say("{word} {says}", word=step.word, says=step.says)
    return step.says


def _tied(step: ChainStep) -> Text:
    """With the evidence that shows it, and what it has in common with the step before."""
    seen = evidence_names(step.seen_in)
    if step.tied_by:
        return say("{says} ({seen:and}; the same {tied_by})", says=step.says, seen=seen, tied_by=step.tied_by)
    return say("{says} ({seen:and})", says=step.says, seen=seen)
