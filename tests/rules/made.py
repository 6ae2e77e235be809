"""Rules that only tests have."""

from __future__ import annotations

import msgspec

from mqdiag.knowledge.rule_card import Card
from mqdiag.rules.rule import Rule


def made_rule(name: str, **case: object) -> Rule:
    """A rule whose card has one case, "one".

    Args:
        name: of the rule.
        case: what its case has besides the usual words.
    """
    usual = {"severity": "warning", "title": "It is so", "explanation": ["So."]}
    card = {
        "title": "Some fault",
        "why": "So.",
        "references": [],
        "actions": ["Act."],
        "case": {"one": usual | case},
    }
    rule = Rule(name)
    rule.texts = msgspec.convert(card, Card)
    rule.limits = {}
    return rule
