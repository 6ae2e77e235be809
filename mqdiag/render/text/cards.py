"""The rule catalogue and one rule's card, for a terminal."""

from __future__ import annotations

from mqdiag.findings import RuleCard
from mqdiag.render import View


def render_catalogue(cards: tuple[RuleCard, ...], view: View) -> str:
    """All rules, one line each."""
    return "".join(f"{card.name}  {card.title}\n" for card in cards)


def render_card(card: RuleCard, view: View) -> str:
    """One rule with all its texts."""
    return f"{card.name}: {card.title}\n\n{card.why}\n"
