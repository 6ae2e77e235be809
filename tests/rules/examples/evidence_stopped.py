from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.fleet import FleetFacts, SilentService


def _fleet(silent_days: int) -> Facts:
    silent = SilentService(
        service="orders", latest_day="2026-11-20", days_with_evidence=7, usual_days=1.0, silent_days=silent_days
    )
    return Facts(fleet=FleetFacts(run="r1", silent=(silent,)))


def fires() -> Facts:
    """A service had dumps each night for a week, and none for the last three."""
    return _fleet(3)


def silent() -> Facts:
    """One night is missing."""
    return _fleet(1)
