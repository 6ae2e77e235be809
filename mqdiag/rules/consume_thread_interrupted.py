"""Consume threads were interrupted, and the client could not take done messages out of its cache."""

from __future__ import annotations

from datetime import timedelta

from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import between, enough, events, lines_of, only
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.time_ranges import between as range_between
from mqdiag.time_ranges import ranges_apart, ranges_of

QUEUE, LISTENER = "queue-change-interrupted", "listener-interrupted"
NEAR_S = 60
"""a shutdown interrupts its threads within this time of its own lines, by default at once"""

RULE = Rule("consume-thread-interrupted")


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for all groups: only some clients name the thread."""
    found, ends = events(logs, QUEUE, LISTENER), events(logs, "group-shut-down", "shutdown-hook-ran")
    if not enough(logs, lines_of(found), limits["lines"]):
        return
    groups = {name for event in found if (name := only(event, "group"))}
    yield RULE.case(
        "shutdown" if ends and _near(found, ends) else "application",
        events=found,
        subject=Subject(group=groups.pop() if len(groups) == 1 else None),
        evidence={
            "not_removed": lines_of([event for event in found if event.kind == QUEUE]) or None,
            "interrupted_listeners": lines_of([event for event in found if event.kind == LISTENER]) or None,
            "shutdown_lines": lines_of(ends) or None,
        },
        rows={
            "ends": tuple({"lines": event.count, "between": between(event.first, event.last)} for event in ends)
        },
    )


def _near(found: list[LogEvent], ends: list[LogEvent]) -> bool:
    """Whether each spell of it began and ended at the time of a shutdown; also where the times are not known."""
    near, shut_down = timedelta(seconds=NEAR_S), ranges_of(ends)
    return all(
        ranges_apart(range_between(at, at), shut_down, near) is not True
        for spell in ranges_of(found)
        for at in (spell.first, spell.last)
    )
