"""A rule's card as a SARIF reporting descriptor."""

from __future__ import annotations

from typing import Any

from mqdiag.findings import RuleCard, Severity
from mqdiag.language import Writer
from mqdiag.render.sarif.messages import message
from mqdiag.render.wording.actions import NOW, THEN
from mqdiag.text import say

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def rule(card: RuleCard, write: Writer) -> dict[str, Any]:
    """Its texts, and the worst level that it gives."""
    now = "\n".join(f"- {write(action.in_a_line)}" for action in card.now)
    steps = "\n".join(f"- {write(step)}" for step in card.remedy)
    why, rests_on = write(card.why), write(say("Sources:"))
    first, change = (write(say("{heading}:", heading=heading)) for heading in (NOW, THEN))
    sources = "\n".join(f"- {reference}" for reference in card.references)
    texts = (why, now and f"{first}\n{now}", f"{change}\n{steps}", f"{rests_on}\n{sources}")
    return {
        "id": card.name,
        "name": "".join(word.capitalize() for word in card.name.split("-")),
        "shortDescription": message(write(card.title)),
        "fullDescription": message(why),
        "help": message("\n\n".join(one for one in texts if one)),
        "defaultConfiguration": {"level": LEVELS[min(card.severities, key=lambda severity: severity.rank)]},
        "properties": {"tags": ["rocketmq", *card.needs, *card.any_of], "causes": card.causes},
    }
