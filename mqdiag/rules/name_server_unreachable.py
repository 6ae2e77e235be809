"""A client cannot reach its name server."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.logs import LogsFacts
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said
from mqdiag.rules.shared.excerpts import enough
from mqdiag.rules.shared.log_events import events, lines_of, when

RULE = Rule("name-server-unreachable")


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Iterator[Said]:
    """One finding for all clients."""
    found = events(logs, "name-server-not-set", "name-server-not-connected", "name-server-no-answer")
    if enough(logs, lines_of(found), limits["lines"]):
        yield RULE.case(
            "wrong-name-server" if logs.count("name-server-not-set") else "unreachable",
            events=found,
            rows={
                "events": tuple(
                    {"what": RULE.word(one.kind), "lines": one.count, "when": when(one)} for one in found
                )
            },
        )
