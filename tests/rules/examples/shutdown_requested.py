from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts

KILLED, OOM_KILLED = "oom-killer-ran", "container-oom-killed"


HOOK_RAN, SHUT_DOWN = "shutdown-hook-ran", "group-shut-down"


def _facts(kind: str) -> Facts:
    event = LogEvent(
        kind=kind,
        count=1,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:01+08:00",
        values={"largest_resident_kib": 3_900_000},
    )
    return Facts(logs=LogsFacts(events=(event,), lines=400))


def fires() -> Facts:
    """The kernel killed a Java process."""
    return _facts(KILLED)


def silent() -> Facts:
    """The application shut its consumer down."""
    return _facts(SHUT_DOWN)
