"""The rule catalogue and one rule's card, for a terminal."""

from __future__ import annotations

from mqdiag.findings import RuleCard
from mqdiag.render import View
from mqdiag.render.text.page import Column, Page


def render_catalogue(cards: tuple[RuleCard, ...], view: View) -> str:
    """All rules, one line each."""
    page = Page(view)
    page.table(
        [Column(head="rule", whole=True), Column(head="needs"), Column(head="worst"), Column(head="what it finds")],
        [(card.name, card.evidence, card.severities[0].value, card.title) for card in cards],
        indent=0,
    )
    page.blank()
    page.paragraph("mqdiag rules NAME explains one.", indent=0)
    return page.text()


def render_card(card: RuleCard, view: View) -> str:
    """One rule with all its texts."""
    page = Page(view)
    page.hanging(card.name, card.title, indent=0, style="bold", mark_style="bold")
    page.blank()
    page.paragraph(card.why)
    page.heading("What to do")
    page.numbered(card.remedy)
    page.heading("In reports")
    page.pairs(
        [
            ("cause", ", ".join(card.causes)),
            ("severity", ", ".join(card.severities)),
            ("needs", card.evidence),
            ("since", card.since),
            *([("tried on", card.proven_on)] if card.proven_on else []),
        ]
    )
    if card.limits:
        page.heading(f"Limits, set in mqdiag.toml under [rules.{card.name}.limits]")
        page.pairs([(name, f"{value:g}") for name, value in card.limits.items()])
    if card.references:
        page.heading("Rests on")
        page.bullets(card.references)
    return page.text()
