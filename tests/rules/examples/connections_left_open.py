from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.services import ConnectionsByState, ServicesFacts


def _facts(count: int) -> Facts:
    row = ConnectionsByState(
        pid=4711,
        program="java",
        state="CLOSE-WAIT",
        end="10.0.2.11:8080",
        count=count,
        unread_bytes=1,
        unsent_bytes=0,
        source="ss.txt",
    )
    return Facts(services=ServicesFacts(connections=(row,)))


def fires() -> Facts:
    """Hundreds of connections that nobody closes."""
    return _facts(240)


def silent() -> Facts:
    """One that was closed just now."""
    return _facts(1)
