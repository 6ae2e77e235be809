"""A member of a DLedger group lacks entries that it needs, or cannot read its own."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.logs import LogsFacts
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said
from mqdiag.rules.shared.excerpts import enough
from mqdiag.rules.shared.log_events import events, lines_of

RULE = Rule("dledger-log-broken")
CASES = {
    "dledger-entry-not-held": "entries-deleted",
    "dledger-data-damaged": "data-damaged",
    "dledger-vote-refused": "member-shut-out",
}
"""by the event of the log"""


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker and cause."""
    for kind, case in CASES.items():
        found = events(logs, kind)
        if enough(logs, lines_of(found), limits["votes"] if case == "member-shut-out" else 1):
            missing = max((event.values.get("largest_missing", 0) for event in found), default=0)
            yield RULE.case(
                case,
                logs=logs,
                events=found,
                evidence={"lines": lines_of(found), "missing_entries": missing or None},
            )
