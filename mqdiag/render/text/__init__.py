"""The report for a person at a terminal: the answer first, what to do, then why; tables last."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Paragraph, Section
from mqdiag.render.sections import sections_of
from mqdiag.render.sections.answer import brief_section
from mqdiag.render.sections.finding_cards import told_with_the_answer
from mqdiag.render.text.writer import TextWriter
from mqdiag.text import NOTHING, Text, say, sentences

_RULES = say("`mqdiag rules NAME` explains a rule.")
_MORE = say("--detail full adds tables and a glossary.")


def render(report: Report, view: View) -> str:
    """The sections, one below the other, as far as the view asks for them."""
    page = TextWriter(view)
    if view.detail == "brief":
        page.section(brief_section(report, view))
        return page.text()
    sections = sections_of(report, view)
    if view.wide:
        from mqdiag.render.sections.glossary import glossary_section

        sections.append(glossary_section())
    for section in sections:
        page.section(section)
    hints = [*_hints(report, sections)]
    if hints and not view.wide:
        hint = Paragraph(sentences(*hints), soft=True)
        page.section(Section(name="hints", title=NOTHING, headed=False, parts=(hint,)))
    return page.text()


def _hints(report: Report, sections: list[Section]) -> Iterator[Text]:
    """Where to read more."""
    if report.findings:
        yield _RULES
    if any(section.wide for section in sections):
        hidden = told_with_the_answer(report)
        yield _more_findings(hidden) if hidden else _MORE


def _more_findings(hidden: int) -> Text:
    return say("--detail full adds {hidden:count} {hidden:finding|findings} and tables.", hidden=hidden)
