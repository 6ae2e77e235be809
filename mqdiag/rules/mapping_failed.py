"""The broker cannot map a file of its store into memory."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.logs import LogsFacts
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said
from mqdiag.rules.shared.log_events import events

RULE = Rule("mapping-failed")


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker; one line is enough."""
    found = events(logs, "map-failed")
    seen = {name for event in found for name in event.values}
    if found:
        yield RULE.case(
            "paging-file" if "paging_file" in seen else "address-space" if "windows" in seen else "map-count",
            logs=logs,
            events=found,
            words={"of_queues": "consume_queue" in seen},
        )
