from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject


def _facts(kind: str) -> Facts:
    subjects = (LogSubject(service="351", count=2),)
    return Facts(logs=LogsFacts(events=(LogEvent(kind=kind, count=2, subjects=subjects),)))


def fires() -> Facts:
    """A dashboard asks brokers of 4.9 for the settings of one topic."""
    return _facts("request-unknown")


def silent() -> Facts:
    """Something else."""
    return _facts("pool-low")
