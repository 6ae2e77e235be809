"""The rule catalogue and one rule's card, for a terminal."""

from __future__ import annotations

from mqdiag.findings import RuleCard
from mqdiag.knowledge.case_words import CaseWords
from mqdiag.render import View
from mqdiag.render.sections.rule_catalogue import card_sections, catalogue_section
from mqdiag.render.text.writer import TextWriter


def render_catalogue(cards: tuple[RuleCard, ...], view: View) -> str:
    """All rules."""
    page = TextWriter(view)
    page.section(catalogue_section(cards))
    return page.text()


def render_card(card: RuleCard, cases: tuple[CaseWords, ...], view: View) -> str:
    """One rule with all its texts."""
    page = TextWriter(view)
    for section in card_sections(card, cases, view.write):
        page.section(section)
    return page.text()
