"""The consume queue of a broker does not fit its commit log."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.logs import LogsFacts
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said
from mqdiag.rules.shared.excerpts import enough
from mqdiag.rules.shared.log_events import events, lines_of, most_frequent

RULE = Rule("consume-queue-broken")
ENTRY_BYTES = 20
"""size of one entry of a consume queue, in all versions"""


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker and cause."""
    if lost := events(logs, "commit-log-tail-lost"):
        largest = max(event.values.get("largest_lost_bytes", 0) for event in lost)
        yield RULE.case("commit-log-lost-its-tail", logs=logs, events=lost, evidence={"lost_bytes": largest})
    if order := events(logs, "consume-queue-order"):
        gap = max(event.values.get("largest_gap_bytes", 0) for event in order)
        yield RULE.case(
            "dispatch-position-lost",
            logs=logs,
            events=order,
            evidence={"gap_bytes": gap, "entry_bytes": ENTRY_BYTES, "entries": gap // ENTRY_BYTES},
            words={"topics": most_frequent(order[0]) or RULE.word("a-topic")},
        )
    damaged = events(logs, "dispatch-at-no-message")
    if enough(logs, lines_of(damaged), limits["lines_of_damage"]):
        yield RULE.case("commit-log-damaged", logs=logs, events=damaged, evidence={"lines": lines_of(damaged)})
