"""Logs of a few lines: people post the lines that matter, so one of them counts, and no finding is sure."""

from __future__ import annotations

from mqdiag.facts.logs import LogsFacts


def enough(logs: LogsFacts, lines: int, limit: float) -> bool:
    """Whether there are as many lines as the limit says; of an excerpt one is enough."""
    return lines > 0 and (lines >= limit or logs.is_excerpt)
