"""The broker cannot measure the disk of its store."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.logs import LogsFacts
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said
from mqdiag.rules.shared.log_events import events

RULE = Rule("store-path-missing")


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker."""
    if found := events(logs, "disk-not-measured"):
        yield RULE.case("store-path-missing", logs=logs, events=found, evidence={"measured": -1})
