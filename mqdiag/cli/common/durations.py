"""Times that options take: 90, 90s, 10m, 2h, 7d."""

from __future__ import annotations

from mqdiag.errors import UsageError
from mqdiag.text import say

_UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds(option: str, text: str, examples: str = "90s, 10m or 2h") -> float:
    """Seconds of a time such as 90, 90s, 10m, 2h.

    Raises:
        UsageError: it is no time, or longer than 30 years.
    """
    number = text.strip().lower()
    factor = _UNITS_S.get(number[-1:], 0.0)
    try:
        found = float(number[:-1] if factor else number) * (factor or 1.0)
    except ValueError:
        found = 0.0
    if not 0 < found < 1e9:
        raise UsageError(
            say(
                "{option} {text} is not a time; write {examples}",
                option=option,
                text=repr(text),
                examples=examples,
            )
        )
    return found
