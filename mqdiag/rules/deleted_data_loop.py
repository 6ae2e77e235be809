"""Consumers walk through data that the broker has deleted."""

from __future__ import annotations

from msgspec import structs

from mqdiag.facts.logs import LogsFacts
from mqdiag.log_events import (
    between,
    counted,
    enough,
    events,
    most_frequent,
    most_frequent_counted,
    one_of_several,
    only,
    when,
)
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("deleted-data-loop")
THREAD = "PullMessageThread"
NAMING = ("offset-too-small", "offset-corrected", "offset-not-corrected-by-slave")
"""events that name the group"""


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each broker: the lines name no group."""
    rows = [row for row in logs.not_matched if row.thread == THREAD and row.place == "below-first"]
    lines = sum(row.count for row in rows)
    if not enough(logs, lines, limits["lines"]):
        return
    largest = max(rows, key=lambda one: one.count)
    peak = max(one.peak_per_minute or 0 for one in rows)
    named = events(logs, *NAMING)
    groups = {only(one, "group") for one in named}
    yield RULE.case(
        "offset-before-first-file" if peak >= limits["error_per_minute"] else "few-lookups",
        logs=logs,
        subject=structs.replace(one_of_several(logs), group=groups.pop() if len(groups) == 1 else None),
        evidence={
            "lines": lines,
            "peak_per_minute": peak,
            "requested_offset": largest.requested,
            "first_offset": largest.first_offset,
            **(counted(named) if named else {}),
            **most_frequent_counted(*named),
        },
        words={"thread": THREAD, "between": between(largest.first, largest.last)},
        rows={"corrected": tuple({"when": when(one), "subjects": most_frequent(one)} for one in named)},
        over=rows,
    )
