"""The report for a person at a terminal: the answer first, what to do, then why; tables last."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import Paragraph, Section
from mqdiag.render.sections import sections_of
from mqdiag.render.sections.answer import brief_section, closing_section
from mqdiag.render.sections.finding_cards import answering_finding, told_with_the_answer
from mqdiag.render.sections.unchecked_rules import tells_what_was_checked
from mqdiag.render.text.writer import TextWriter
from mqdiag.render.wording.ci_commands import Syntax
from mqdiag.text import NOTHING, Text, say, sentences

SYNTAX = Syntax.PLAIN
_TABLES = frozenset(("queues", "sending", "waste", "classes", "threads"))
"""sections that a reader of a decided report needs only on demand"""
_WHY = say("--why lists the rules that were not checked.")
_MORE = say("--detail full adds tables and a glossary.")


def render(report: Report, view: View) -> str:
    """The sections, one below the other, as far as the view asks for them."""
    page = TextWriter(view)
    if view.detail == "brief":
        page.section(brief_section(report, view))
        return page.text()
    sections = [_cut(section, report, view) for section in sections_of(report, view)]
    if view.wide:
        from mqdiag.render.sections.glossary import glossary_section

        sections.append(glossary_section())
    for section in sections:
        page.section(section)
    more = sentences(*_hints(report, sections, view))
    if report.show is not None or report.secrets is not None or not report.answer.text:
        if more:
            hint = Paragraph(more, soft=True)
            page.section(Section(name="hints", title=NOTHING, headed=False, parts=(hint,)))
    else:
        page.section(closing_section(report, more, view.write))
    return page.text()


def _cut(section: Section, report: Report, view: View) -> Section:
    """The section, on demand only where the answer stands without it."""
    asked = section.name == "threads" and view.all_threads
    decided = report.answer.state != "undecided" and report.heap is not None and report.heap.counted is None
    if section.name in _TABLES and decided and not asked:
        return msgspec.structs.replace(section, wide=True)
    return section


def _hints(report: Report, sections: list[Section], view: View) -> Iterator[Text]:
    """Where to read more."""
    if view.wide:
        return
    named = answering_finding(report) or next(iter(report.findings), None)
    if named is not None and report.answer.state != "healthy":
        yield say("`mqdiag rules {rule}` explains it.", rule=named.rule)
    if tells_what_was_checked(report) and report.skipped and not view.why:
        yield _WHY
    if any(section.wide for section in sections):
        hidden = told_with_the_answer(report)
        yield _more_findings(hidden) if hidden else _MORE


def _more_findings(hidden: int) -> Text:
    return say("--detail full adds {hidden:count} {hidden:finding|findings} and tables.", hidden=hidden)
