"""A listener logs its exceptions, and takes the messages as consumed."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import by_group, enough, lines_of, seconds_between
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("listener-swallows-exceptions")
ERRORS, WARNINGS = "listener-logged-error", "listener-logged-warning"
FAILED = ("consume-failures", "messages-sent-back", "consume-exception", "consume-orderly-suspended")
"""events of messages that come again"""
COUNTED = "messages-consumed"
RETRY, DEAD = "%RETRY%", "%DLQ%"
OLD_S = 36 * 3600
"""between the last message of a retry topic, whose end never falls, and the first exception; zones are a day apart"""
DATE_AND_TIME = 19
"""characters without an offset"""


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Findings:
    """One finding for each group whose messages do not come again, as far as the evidence shows."""
    logs = facts.logs
    assert logs is not None
    for group, found in by_group(logs, ERRORS, WARNINGS).items():
        as_errors = lines_of(event for event in found if event.kind == ERRORS)
        lines = lines_of(found)
        since = min((event.first for event in found if event.first is not None), default=None)
        again = _come_again(logs, facts.admin, group, since)
        # of a warning nobody knows whether the application means to leave such a message, where nothing counts retries
        if again or not enough(logs, lines if again is False else as_errors, limits["lines"]):
            continue
        top = next((row for row in logs.listener_exceptions if row.of == "logged" and row.group == group), None)
        thrown = () if top is None else (top.exception, top.cause or "")
        spared = any(name.endswith(RULE.names("left-or-repeated")) for name in thrown)
        yield RULE.case(
            "left-or-repeated" if spared else "counted-as-consumed" if again is False else "not-known",
            top,
            logs=logs,
            events=found,
            subject=Subject(group=group),
            evidence={
                "exception_cause": None if top is None else top.cause,
                "exception_lines": lines,
                "consumed": _counted(logs, group),
            },
            words={"counted": again is False, "failed_since": since},
        )


def _come_again(logs: LogsFacts, admin: AdminFacts | None, group: str | None, since: str | None) -> bool | None:
    """Whether messages of the group were asked for again; None where nothing counts them.

    Args:
        logs: all logs.
        admin: what mqadmin answered.
        group: the group.
        since: when the first exception was logged.
    """
    if any(_of_group(event, group) for event in logs.events if event.kind in FAILED):
        return True
    if _counted(logs, group):
        return False
    if admin is None:
        return None
    topics = {f"{RETRY}{group}", f"{DEAD}{group}"}
    rows = [queue for one in admin.groups for queue in one.queues if queue.topic in topics]
    filled = [queue.last_updated for queue in admin.topic_queues if queue.topic in topics and queue.max_offset]
    # of messages that wait the last one is newer than the one that is told
    filled += [None if queue.diff else queue.last_time for queue in rows if queue.broker_offset]
    begin = (since or "")[:DATE_AND_TIME] or None
    if any(seconds_between(at and at[:DATE_AND_TIME], begin) < OLD_S for at in filled):
        return True
    return False if rows or filled else None


def _counted(logs: LogsFacts, group: str | None) -> int | None:
    """Messages that the client counted as consumed."""
    rows = [row for event in logs.events if event.kind == COUNTED for row in event.groups]
    return sum(row.occurrences or 0 for row in rows if group in (None, row.group)) or None


def _of_group(event: LogEvent, group: str | None) -> bool:
    return group is None or not event.groups or any(row.group == group for row in event.groups)
