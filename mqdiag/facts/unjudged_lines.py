"""The sentence about lines at WARN and ERROR that no rule judges."""

from __future__ import annotations

from mqdiag.facts.log_lines import LevelLineFacts
from mqdiag.text import Text, say


def unjudged_lines(lines: LevelLineFacts, most: int) -> Text:
    """How many there are, and the commonest of their texts.

    Args:
        lines: at least one of them is not judged.
        most: texts to name.
    """
    named = lines.commonest[:most]
    if not named:
        return say(
            "No rule judges {lines:count} {lines:line|lines} at WARN or ERROR.", lines=lines.not_understood
        )
    return say(
        "No rule judges {lines:count} {lines:line|lines} at WARN or ERROR; the commonest {texts:is|are}"
        " {commonest:and}.",
        lines=lines.not_understood,
        texts=len(named),
        commonest=tuple(say('"{text}" ({count:count} {count:time|times})', one) for one in named),
    )
