from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts

REFUSED, UNCONNECTED, CLOSED = "proxy-refused", "proxy-not-connected", "proxy-closed"


def _facts(kind: str, minutes: int) -> Facts:
    event = LogEvent(
        kind=kind,
        side="client",
        count=40,
        first="2026-11-21T20:00:01+08:00",
        last=f"2026-11-21T20:{minutes:02}:01+08:00",
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """The port refuses connections for five minutes."""
    return _facts(REFUSED, 5)


def silent() -> Facts:
    """Two lines, as when the proxy ends an idle connection."""
    event = LogEvent(kind=CLOSED, side="client", count=2)
    return Facts(logs=LogsFacts(events=(event,), lines=5000))
