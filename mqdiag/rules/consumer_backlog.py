"""A group is behind, and how its backlog lies over the queues."""

from __future__ import annotations

from mqdiag.facts.admin import AdminFacts
from mqdiag.facts.backlogs import Backlog, backlogs
from mqdiag.findings import Subject
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.text import Text

MOST_NAMED = 3
MOST_QUEUES_NAMED = 8

RULE = Rule("consumer-backlog")


@RULE.admin
def in_admin(admin: AdminFacts, limits: Limits) -> Findings:
    """One finding for each group and topic."""
    found = backlogs(admin, limits["blocked_ms"])
    large = [one for one in found if one.total >= limits["messages"] or (one.blocked and one.total > 0)]
    for backlog in large:
        yield _said(backlog, limits)
    if found and not large:
        largest = max(found, key=lambda one: one.total)
        yield RULE.margin(
            "backlog", largest.total, limits["messages"], group=largest.progress.group, topic=largest.topic
        )
    if not admin.groups and not admin.overview:
        yield RULE.skip("no-progress")


def _in_one_queue(backlog: Backlog, limits: Limits) -> bool:
    return len(backlog.queues) > 1 and backlog.share >= limits["one_queue_share"]


def _case(backlog: Backlog, limits: Limits) -> str:
    if backlog.without_client:
        return "queue-without-consumer"
    if backlog.blocked:
        return "stuck-message"
    if _in_one_queue(backlog, limits):
        return "one-queue-behind"
    smallest = backlog.smallest_other
    if smallest is not None and smallest >= max(limits["messages"], limits["kept_up"]):
        return "all-groups-behind"
    if backlog.seconds is not None and backlog.seconds < limits["drain_seconds"]:
        return "slow-consumers-for-a-moment"
    return "slow-consumers"


def _said(backlog: Backlog, limits: Limits) -> Draft:
    group, blocked, worst = backlog.progress.group, backlog.blocked, backlog.worst
    nobody, seconds, keep_up = (
        backlog.without_client,
        backlog.seconds,
        tuple(backlog.keep_up(limits["kept_up"])),
    )
    single = _in_one_queue(backlog, limits) or len(blocked) == 1
    queue = next((one for one in backlog.queues if blocked and one.queue_id == blocked[0].queue_id), worst)
    return RULE.case(
        _case(backlog, limits),
        subject=Subject(
            group=group,
            topic=backlog.topic,
            broker=queue.broker if single else None,
            queue_id=queue.queue_id if single else None,
        ),
        evidence={
            "diff_total": backlog.total,
            "queues_behind": sum(1 for one in backlog.queues if one.diff > 0),
            "queues": len(backlog.queues),
            "largest_diff": worst.diff,
            "largest_share": round(backlog.share, 4),
            "largest_diff_queue_id": worst.queue_id,
            "largest_diff_broker": worst.broker,
            "largest_diff_stored_at": worst.last_time,
            "consume_tps": backlog.progress.consume_tps,
            "drain_seconds": None if seconds is None else round(seconds),
            "blocked_ms": max((one.blocked_ms for one in blocked), default=None),
            "blocked_queue_ids": tuple(one.queue_id for one in blocked[:MOST_NAMED]),
            "blocked_queues_ms": tuple(one.blocked_ms for one in blocked[:MOST_NAMED]),
            "queues_without_client": len(nobody),
            "queue_ids_without_client": tuple(queue.queue_id for queue in nobody[:MOST_QUEUES_NAMED]),
            "groups_that_keep_up": keep_up,
        },
        words={
            "single": single,
            "who": RULE.word("named", group=group) if group else RULE.word("nameless"),
            "keepers": _keepers(keep_up),
            "all_without_client_named": len(nobody) <= MOST_QUEUES_NAMED,
            "flows": not blocked and not nobody,
        },
        rows={
            "blocked": tuple(
                {"client": one.client, "queue_id": one.queue_id, "blocked_ms": one.blocked_ms}
                for one in blocked[:MOST_NAMED]
            )
        },
    )


def _keepers(groups: tuple[str, ...]) -> Text | None:
    if not groups:
        return None
    if len(groups) == 1:
        return RULE.word("one_keeps_up", group=groups[0])
    return RULE.word("several_keep_up", groups=groups[:MOST_NAMED])
