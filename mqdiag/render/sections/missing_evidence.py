"""Evidence that would make the answer more certain, with the commands that collect it."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.verdict import MissingEvidence
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Code, Fold, Paragraph, Section, Several, more_lines
from mqdiag.text import say

_PLACES = {
    "host": say("on the host"),
    "container": say("in a container"),
    "kubernetes": say("in Kubernetes"),
}


def missing_evidence_section(report: Report, view: View) -> Iterator[Section]:
    """The commands are ready to be pasted; the short form has one next command, which an undecided answer has."""
    if report.verdict is not None and report.verdict.missing_evidence:
        yield Section(
            name="missing",
            title=say("What would make it more certain"),
            short_title=say("Missing evidence"),
            wide=report.answer.next is not None,
            parts=(
                Several(
                    parts=[_missing(missing) for missing in report.verdict.missing_evidence],
                    shown=(1, 100),
                    rest=more_lines,
                ),
            ),
        )


def _missing(missing: MissingEvidence) -> Fold:
    parts: list[AnyPart] = []
    if missing.caution:
        parts.append(Paragraph(say("Caution: {caution}.", caution=missing.caution)))
    for number, command in enumerate(missing.commands):
        place = say("{place}:", place=_PLACES.get(command.where, command.where))
        parts += [Paragraph(place, wide=number > 0), Code(command.lines, wide=number > 0)]
    return Fold(say("{what}: {why}.", missing), parts)
