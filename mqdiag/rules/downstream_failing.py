"""Calls of another service fail, and retries and a circuit breaker make more of it."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Severity, Subject
from mqdiag.log_events import events, files_of, lines_of, seconds_between
from mqdiag.log_events.course import quiet_for
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("downstream-failing")
ANSWERED_S = 60
"""the client counts what it consumed once a minute"""
DEAD, RETRY = "%DLQ%", "%RETRY%"


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Findings:
    """One finding for all services whose calls fail."""
    assert facts.logs is not None
    refused, late = events(facts.logs, "breaker-refused"), events(facts.logs, "call-timed-out")
    if lines_of([*refused, *late]) < limits["lines"]:
        return
    called = {row.service for event in refused for row in event.subjects if row.service is not None}
    group = _group(facts)
    dead = None if facts.admin is None else _dead_letters(facts.admin, group)
    pool = next((one for one in facts.stacks.pools if one.group == group), None) if facts.stacks else None
    over = _over(facts.logs, [*refused, *late])
    yield RULE.case(
        "recovered" if over else "circuit-breaker-open" if refused else "calls-time-out",
        subject=Subject(group=group, resource=next(iter(called)) if len(called) == 1 else None),
        events=[*refused, *late],
        severity=None if over is None else Severity.WARNING,
        evidence={
            "services": tuple(sorted(called)),
            "refused_lines": lines_of(refused) or None,
            "late_lines": lines_of(late) or None,
            "dead_letters": dead or None,
            "retry_waiting": None if facts.admin is None else _waiting_for_retry(facts.admin, group),
            "failed_until": over,
            "repeated_by": None if pool is None else pool.shared_pause,
            "repeated_at": None if pool is None or pool.shared_pause is None else pool.shared_frame,
        },
        words={"called": tuple(sorted(called)) or None},
        rests_on=files_of([*refused, *late]),
    )


def _over(logs: LogsFacts, failed: list[LogEvent]) -> str | None:
    """When the last call failed, where calls are answered since: the breaker is closed, or messages are consumed.

    None where nothing shows that calls are answered.
    """
    last = max((event.last for event in failed if event.last is not None), default=None)
    closed = [event.last for event in events(logs, "breaker-closed") if event.last is not None]
    if last is not None and closed and seconds_between(last, max(closed)) > 0 and _all_closed(logs):
        return last
    counted, failures = events(logs, "messages-consumed"), events(logs, "consume-failures")
    quiet = all(quiet_for(logs, event) >= ANSWERED_S for event in failed)
    ends = [(event.last, failure.last) for event in counted for failure in failures]
    answered = bool(ends) and all(seconds_between(failure, end) >= ANSWERED_S for end, failure in ends)
    return last if quiet and answered else None


def _all_closed(logs: LogsFacts) -> bool:
    """Whether each breaker that refused calls has let calls pass since."""
    closed = {row.service: row.last for event in events(logs, "breaker-closed") for row in event.subjects}
    return all(
        not event.subjects_left_out
        and all(seconds_between(row.last, closed.get(row.service)) > 0 for row in event.subjects)
        for event in events(logs, "breaker-refused")
    )


def _group(facts: Facts) -> str | None:
    """The only consumer group of the evidence."""
    groups = {pool.group for pool in facts.stacks.pools if pool.group} if facts.stacks is not None else set()
    if facts.admin is not None and not groups:
        groups = {one.group for one in facts.admin.groups if one.group}
    return groups.pop() if len(groups) == 1 else None


def _dead_letters(admin: AdminFacts, group: str | None) -> int:
    """Messages in the dead letter queues, by topicStatus."""
    return sum(
        queue.max_offset - queue.min_offset
        for queue in admin.topic_queues
        if queue.topic is not None
        and queue.topic.startswith(DEAD)
        and group in (None, queue.topic[len(DEAD) :])
    )


def _waiting_for_retry(admin: AdminFacts, group: str | None) -> int | None:
    """Messages of the retry topic that were not consumed yet, by consumerProgress."""
    rows = [queue.diff for one in admin.groups for queue in one.queues if queue.topic == f"{RETRY}{group}"]
    return sum(rows) or None
