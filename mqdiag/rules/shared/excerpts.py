"""Logs of a few lines: people post the lines that matter, so one of them counts, and no finding is sure."""

from __future__ import annotations

from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Confidence
from mqdiag.rules.shared.words import Words
from mqdiag.text import Text

WORDS = Words("excerpts")


def enough(logs: LogsFacts, lines: int, limit: float) -> bool:
    """Whether there are as many lines as the limit says; of an excerpt one is enough."""
    return lines >= limit or (lines > 0 and logs.is_excerpt)


def surest(logs: LogsFacts, confidence: Confidence, reason: Text) -> tuple[Confidence, Text]:
    """A confidence with its reason, at most medium for an excerpt."""
    if confidence is Confidence.HIGH and logs.is_excerpt:
        return Confidence.MEDIUM, WORDS.say("only_an_excerpt")
    return confidence, reason
