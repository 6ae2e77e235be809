"""What the cause led to, and where the evidence agrees or not, where it is of several kinds."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.evidence_kinds import evidence_names
from mqdiag.facts.verdict import ChainStep
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Bullets, Section, Steps
from mqdiag.text import Text, say


def chain_section(report: Report, view: View) -> Iterator[Section]:
    """The chain, what follows from it, and where the evidence agrees or not."""
    verdict = report.verdict
    if verdict is None:
        return
    parts: list[AnyPart] = []
    effects = verdict.chain[1:]
    if effects:
        parts += [
            Steps([step.says for step in effects], short=True),
            Steps([*map(_tied, effects)], wide=True),
        ]
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
        title = say("What it led to") if effects else say("What the evidence shows")
        yield Section(name="chain", title=title, parts=parts)


def _tied(step: ChainStep) -> Text:
    """With the evidence that shows it, and what it has in common with the step before."""
    seen = evidence_names(step.seen_in)
    if step.tied_by:
        return say("{says} ({seen:and}; the same {tied_by})", step, seen=seen)
    return say("{says} ({seen:and})", says=step.says, seen=seen)
