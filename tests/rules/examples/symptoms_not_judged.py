from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.log_lines import RepeatedLine
from mqdiag.facts.logs import LogsFacts


def _facts(lines: int) -> Facts:
    return Facts(
        logs=LogsFacts(lines=lines, repeated=(RepeatedLine(text="the offset of queue 3 is 17", count=5),))
    )


def fires() -> Facts:
    """An excerpt in which one line stands five times."""
    return _facts(8)


def silent() -> Facts:
    """The same line in a log of four hundred."""
    return _facts(400)
