"""The process cannot make another thread."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.logs import LogsFacts
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said
from mqdiag.rules.shared.log_events import events, only

RULE = Rule("thread-limit")


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Iterator[Said]:
    """One finding for all threads: the limit is the process's."""
    if found := events(logs, "thread-limit-reached"):
        clients = max(event.values.get("largest_client_number", 0) for event in found)
        yield RULE.case(
            "client-leak" if clients >= limits["clients"] else "limit-too-low",
            events=found,
            evidence={"clients": clients or None, "thread": only(found[0], "thread")},
        )
