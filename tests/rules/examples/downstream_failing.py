from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject


def _facts(lines: int) -> Facts:
    refused = LogEvent(
        kind="breaker-refused",
        side="client",
        count=lines,
        first="2026-11-28T01:25:49+00:00",
        last="2026-11-28T01:27:15+00:00",
        subjects=(LogSubject(service="pricing", count=lines),),
    )
    return Facts(logs=LogsFacts(events=(refused,), lines=20_000))


def fires() -> Facts:
    """A circuit breaker refused a thousand calls."""
    return _facts(1018)


def silent() -> Facts:
    """Nine."""
    return _facts(9)
