from __future__ import annotations

from mqdiag.facts import AdminFacts, Facts
from mqdiag.facts.admin import GroupProgress


def _facts(total: int) -> Facts:
    return Facts(
        admin=AdminFacts(groups=(GroupProgress(group="CID_orders", source="progress.txt", diff_total=total),))
    )


def fires() -> Facts:
    """The last two lines of consumerProgress."""
    return _facts(250_000)


def silent() -> Facts:
    """A total of three messages."""
    return _facts(3)
