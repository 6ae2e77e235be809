"""Calls of another service fail, and retries and a circuit breaker make more of it."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts
from mqdiag.findings import Subject
from mqdiag.log_events import events, files_of, lines_of
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("downstream-failing")
DEAD, RETRY = "%DLQ%", "%RETRY%"


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Findings:
    """One finding for all services whose calls fail."""
    assert facts.logs is not None
    refused, late = events(facts.logs, "breaker-refused"), events(facts.logs, "call-timed-out")
    if lines_of([*refused, *late]) < limits["lines"]:
        return
    services = {row.service for event in refused for row in event.subjects if row.service is not None}
    group = _group(facts)
    dead = None if facts.admin is None else _dead_letters(facts.admin, group)
    pool = next((one for one in facts.stacks.pools if one.group == group), None) if facts.stacks else None
    yield RULE.case(
        "circuit-breaker-open" if refused else "calls-time-out",
        subject=Subject(group=group),
        events=[*refused, *late],
        evidence={
            "services": tuple(sorted(services)),
            "refused_lines": lines_of(refused) or None,
            "late_lines": lines_of(late) or None,
            "dead_letters": dead or None,
            "retry_waiting": None if facts.admin is None else _waiting_for_retry(facts.admin, group),
            "repeated_by": None if pool is None else pool.shared_pause,
            "repeated_at": None if pool is None or pool.shared_pause is None else pool.shared_frame,
        },
        words={"called": tuple(sorted(services)) or None},
        rests_on=files_of([*refused, *late]),
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
