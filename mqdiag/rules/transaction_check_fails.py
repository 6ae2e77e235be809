"""A producer does not say how its transactions ended when the broker asks."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import events, files_of, lines_of, only, seconds_between, when
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("transaction-check-fails")
KINDS = (
    "transaction-check-threw",
    "transaction-check-unknown",
    "transaction-check-not-sent",
    "transaction-check-nobody",
    "transaction-dropped",
)
NO_PRODUCER = "no-producer-connected"
HALF, OP = "RMQ_SYS_TRANS_HALF_TOPIC", "RMQ_SYS_TRANS_OP_HALF_TOPIC"
CHECKED_BY = "CID_RMQ_SYS_TRANS"
"""the group whose offset says up to where the broker has checked half messages"""


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Findings:
    """One finding for all producers."""
    logs = facts.logs
    assert logs is not None
    threw, unknown, not_sent, nobody, dropped = (events(logs, kind) for kind in KINDS)
    if not dropped and all(_asked_since(logs, event) for event in nobody):
        nobody = []
    not_sent = [*not_sent, *nobody]
    lines = lines_of([*threw, *unknown, *not_sent])
    if not dropped and lines < limits["lines"]:
        if not lines:
            yield from _answered(logs, limits)
        return
    thrown = [row for row in logs.listener_exceptions if row.of == "transactions"]
    top = thrown[0] if thrown else None
    groups = {only(event, "group") for event in (*unknown, *not_sent)} - {None}
    # both ends log the same check
    sides = [[event for event in unknown if event.side == side] for side in ("client", "broker")]
    found = [*threw, *unknown, *not_sent, *dropped]
    unanswered = "nobody-to-ask" if nobody else "check-unanswered"
    yield RULE.case(
        "check-throws" if threw else unanswered if not_sent and not unknown else "check-unknown",
        subject=Subject(group=groups.pop() if len(groups) == 1 else None),
        events=found,
        evidence={
            "exception": None if top is None else top.exception,
            "exception_cause": None if top is None else top.cause,
            "frame": None if top is None else top.frame,
            "threw_lines": lines_of(threw) or None,
            "unknown_lines": max(map(lines_of, sides)) or None,
            "not_sent_lines": lines_of(not_sent) or None,
            "nobody_lines": lines_of(nobody) or None,
            "dropped_messages": lines_of(dropped) or None,
            "half_messages": _half_messages(facts),
        },
        words={"when": when(found[0])},
        rests_on=files_of(found),
    )


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Findings:
    """One finding where half messages come and no outcome does, and no log says why."""
    assert facts.admin is not None
    if facts.logs is not None and events(facts.logs, *KINDS):
        return
    half, op = (_ends(facts.admin, topic) for topic in (HALF, OP))
    if not half or not op:
        return
    # growth compares with growth alone
    twice = len(half) > 1 and len(op) > 1
    came, ended = (ends[-1] - (ends[0] if twice else 0) for ends in (half, op))
    if ended != 0 or came < limits["half_messages"]:
        return
    away = [] if facts.logs is None else events(facts.logs, NO_PRODUCER)
    groups = {only(event, "group") for event in away} - {None}
    yield RULE.case(
        "no-outcome",
        subject=Subject(group=groups.pop() if len(groups) == 1 else None),
        evidence={"half_written": came, "half_messages": _half_messages(facts), "asked_times": len(half)},
        words={"twice": twice, "away": bool(away)},
    )


def _asked_since(logs: LogsFacts, nobody: LogEvent) -> bool:
    """Whether producers of each group gave more answers, up to later, than there were checks without a producer."""
    answered = {row.group: row for event in events(logs, "transaction-answered") for row in event.groups}
    asked = [(row, answered.get(row.group)) for row in nobody.groups]
    return sum(row.count for row in nobody.groups) == nobody.count and all(
        answer is not None and answer.count > row.count and seconds_between(row.last, answer.last) > 0
        for row, answer in asked
    )


def _ends(admin: AdminFacts, topic: str) -> list[int]:
    """The end of a topic by each answer of topicStatus, in their order; none where two clusters may have answered."""
    if len({queue.name_server for queue in admin.topic_queues if queue.topic == topic} - {None}) > 1:
        return []
    ends: dict[str, int] = {}
    for queue in admin.topic_queues:
        if queue.topic == topic:
            ends[queue.source] = ends.get(queue.source, 0) + queue.max_offset
    return list(ends.values())


def _half_messages(facts: Facts) -> int | None:
    """Half messages that the broker has to check again; None where its offset is not known."""
    ends = [] if facts.admin is None else _ends(facts.admin, HALF)
    stored = [
        row.offset
        for store in (facts.stores.stores if facts.stores is not None else ())
        for row in store.offsets
        if (row.topic, row.group) == (HALF, CHECKED_BY)
    ]
    waiting = ends[-1] - sum(stored) if ends and stored else 0
    return waiting if waiting > 0 else None


def _answered(logs: LogsFacts, limits: Limits) -> Findings:
    """That transactions whose outcome their producers did not know at first were answered later, if nearly all were."""
    began, answered = events(logs, "transaction-open"), events(logs, "transaction-answered")
    if began and lines_of(answered) >= limits["answered_share"] * lines_of(began):
        yield RULE.case(
            "answered-later",
            events=[*began, *answered],
            evidence={"open_lines": lines_of(began), "answered_lines": lines_of(answered)},
            rests_on=files_of([*began, *answered]),
        )
