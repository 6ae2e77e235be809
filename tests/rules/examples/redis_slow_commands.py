from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.services import ServicesFacts, SlowCommand


def _facts(ms: float) -> Facts:
    slow = SlowCommand(
        server="Redis",
        name="KEYS",
        argument="order:*",
        ms=ms,
        at="2026-11-28T01:14:28+00:00",
        client="10.0.1.5:50622",
        client_name="orders",
        source="slowlog.txt",
    )
    return Facts(services=ServicesFacts(slow_commands=(slow,)))


def fires() -> Facts:
    """KEYS over everything took two seconds."""
    return _facts(2034.5)


def silent() -> Facts:
    """What the slow log has by default, from 10 ms on."""
    return _facts(12.0)
