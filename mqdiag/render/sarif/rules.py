"""A rule's card as a SARIF reporting descriptor."""

from __future__ import annotations

from typing import Any

from mqdiag.findings import RuleCard, Severity
from mqdiag.render.sarif.messages import message

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def rule(card: RuleCard) -> dict[str, Any]:
    """Its texts, and the worst level that it gives."""
    steps = "\n".join(f"- {step}" for step in card.remedy)
    rests_on = "\n".join(f"- {reference}" for reference in card.references)
    return {
        "id": card.name,
        "name": "".join(word.capitalize() for word in card.name.split("-")),
        "shortDescription": message(card.title),
        "fullDescription": message(card.why),
        "help": message(f"{card.why}\n\nWhat to change:\n{steps}\n\nRests on:\n{rests_on}"),
        "defaultConfiguration": {"level": LEVELS[min(card.severities, key=lambda severity: severity.rank)]},
        "properties": {"tags": ["rocketmq", *card.needs, *card.any_of], "causes": card.causes},
    }
