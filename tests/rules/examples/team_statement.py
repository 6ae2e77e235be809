from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.log_lines import TeamStatement
from mqdiag.facts.logs import LogsFacts


def _facts(lines: int) -> Facts:
    statement = TeamStatement(
        name="payment-refused",
        by="pay.toml",
        text="payment refused",
        kind="count",
        limit=5.0,
        lines=lines,
        measured=float(lines),
        since="2026-11-21T20:00:00+08:00",
        first="2026-11-21T20:00:00+08:00",
        last="2026-11-21T20:10:00+08:00",
        files=("app.log",),
        severity="error",
        confidence="medium",
        title="Gateways refuse payments",
        actions=("Call the desk of the gateway.",),
    )
    return Facts(logs=LogsFacts(lines=4000, team=(statement,)))


def fires() -> Facts:
    """7 lines, where a team allows fewer than 5."""
    return _facts(7)


def silent() -> Facts:
    """4 lines."""
    return _facts(4)
