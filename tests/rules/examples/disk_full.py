from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts, BrokerStatus


def _facts(ratio: float) -> Facts:
    status = BrokerStatus(source="status.txt", version="V4_3_2", disk_ratio=ratio)
    return Facts(admin=AdminFacts(broker_statuses=(status,)))


def fires() -> Facts:
    """The disk of the commit log is 93 % full."""
    return _facts(0.93)


def silent() -> Facts:
    """It is 76 % full: the broker deletes expired files at any hour, and nothing is lost."""
    return _facts(0.76)
