"""The rule catalogue and one rule's card, for a terminal."""

from __future__ import annotations

from mqdiag.findings import RuleCard
from mqdiag.render import View
from mqdiag.render.text.page import Column, Page
from mqdiag.render.wording.words import word
from mqdiag.text import say


def render_catalogue(cards: tuple[RuleCard, ...], view: View) -> str:
    """All rules, one line each."""
    page = Page(view)
    page.table(
        [
            Column(head=say("rule"), whole=True),
            Column(head=say("needs")),
            Column(head=say("worst")),
            Column(head=say("what it finds")),
        ],
        [(card.name, _needs(card), word(card.severities[0].value), say(card.title)) for card in cards],
        indent=0,
    )
    page.blank()
    page.paragraph(say("mqdiag rules NAME explains one."), indent=0)
    return page.text()


def render_card(card: RuleCard, view: View) -> str:
    """One rule with all its texts."""
    page = Page(view)
    page.hanging(card.name, say(card.title), indent=0, style="bold", mark_style="bold")
    page.blank()
    page.paragraph(say(card.why))
    page.heading(say("What to do"))
    page.numbered(tuple(map(say, card.remedy)))
    page.heading(say("In reports"))
    page.pairs(
        [
            (say("cause"), ", ".join(card.causes)),
            (say("severity"), ", ".join(map(word, card.severities))),
            (say("needs"), _needs(card)),
            (say("since"), card.since),
            *([(say("tried on"), say(card.proven_on))] if card.proven_on else []),
        ]
    )
    if card.limits:
        page.heading(say("Limits, set in mqdiag.toml under [rules.{name}.limits]", name=card.name))
        page.pairs([(name, f"{value:g}") for name, value in card.limits.items()])
    if card.references:
        page.heading(say("Rests on"))
        page.bullets(card.references)
    return page.text()


def _needs(card: RuleCard) -> str:
    """As `RuleCard.evidence`, in the chosen language."""
    either = say(" or ").join(map(word, card.any_of))
    return ", ".join((*map(word, card.needs), *filter(None, (either,)))) or say("any")
