from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import Connections, LogsFacts


def _facts(closed: int) -> Facts:
    row = Connections(
        path="rocketmq_client.log",
        address="10.0.0.7:10911",
        incoming=False,
        opened=closed + 1,
        closed=closed,
        closed_per_minute=1.0,
        usual_life_s=60,
        usual_lives=closed,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:30:01+08:00",
    )
    return Facts(logs=LogsFacts(connections=(row,), lines=5000))


def fires() -> Facts:
    """Thirty connections to one broker, each of which lived for a minute."""
    return _facts(30)


def silent() -> Facts:
    """Three, as when a broker is started again."""
    return _facts(3)
