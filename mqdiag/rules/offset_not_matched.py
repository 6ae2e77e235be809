"""The store is asked again and again for offsets that none of its files holds."""

from __future__ import annotations

from msgspec import structs

from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.offset_logs import OffsetNotMatched
from mqdiag.findings import Severity
from mqdiag.log_events import between, enough, one_of_several
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("offset-not-matched")
DELETED = "PullMessageThread"
"""consumers that pull through deleted data are a rule of their own"""
HARMLESS = "full-file-edge"
DECISIVE = "dispatch-position-lost"
"""a dispatch that looks outside of the files never comes back by itself: one line proves it"""
MOST_ROWS = 5
"""rows that are explained"""


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each broker and cause."""
    by_case: dict[str, list[OffsetNotMatched]] = {}
    for row in logs.not_matched:
        if row.place != HARMLESS and not (row.thread == DELETED and row.place == "below-first"):
            by_case.setdefault(_case(row), []).append(row)
    for case, rows in by_case.items():
        lines = sum(row.count for row in rows)
        if not enough(logs, lines, 1 if case == DECISIVE else limits["lines"]):
            continue
        peak = max((row.peak_per_minute or 0 for row in rows), default=0)
        first = rows[0]
        shown = [row for row in rows[:MOST_ROWS] if row.requested is not None]
        yield RULE.case(
            case,
            first,
            logs=logs,
            subject=structs.replace(one_of_several(logs), thread=first.thread),
            severity=Severity.ERROR if peak >= limits["error_per_minute"] else Severity.WARNING,
            evidence={
                "lines": lines,
                "peak_per_minute": peak,
                "requested_offset": first.requested,
                "row_lines": tuple(row.count for row in shown),
                "row_requested_offsets": tuple(row.requested for row in shown if row.requested is not None),
                "row_file_offsets": tuple(
                    offset
                    for row in shown
                    for offset in (row.first_offset, row.last_offset)
                    if offset is not None
                ),
            },
            rows={
                "lookups": tuple(
                    {
                        "thread": row.thread or RULE.word("nameless"),
                        "requested": row.requested,
                        "where": RULE.word(
                            row.place if row.place in ("below-first", "beyond-last") else "inside"
                        ),
                        "lines": row.count,
                        "between": between(row.first, row.last),
                        "first_offset": row.first_offset,
                        "last_offset": row.last_offset,
                    }
                    for row in shown
                )
            },
            over=rows,
        )


def _case(row: OffsetNotMatched) -> str:
    for asked, case in RULE.meaning("by_thread_and_place").items():
        start, _, place = asked.partition(" ")
        if (row.thread or "").startswith(start) and place in ("", row.place):
            return case
    return "unknown"
