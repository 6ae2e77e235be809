"""Messages wait, and the answers of mqadmin leave out where."""

from __future__ import annotations

from mqdiag.facts.admin import AdminFacts, GroupProgress
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("backlog-not-judged")


@RULE.admin
def in_admin(admin: AdminFacts, limits: Limits) -> Findings:
    """One finding for each group with a total alone, for the worst of a list of groups, and for queues of nobody."""
    for progress in admin.groups:
        if not progress.queues and (progress.diff_total or 0) >= limits["messages"]:
            subject = Subject(group=progress.group)
            yield RULE.case("rows-missing", subject=subject, evidence={"messages": progress.diff_total})
    told = {progress.group for progress in admin.groups}
    listed = [
        (one.diff_total or 0, one.group)
        for one in admin.overview
        # members of a broadcasting group keep their offsets by themselves
        if one.group not in told and one.model != "BROADCASTING"
    ]
    most, behind = max(listed, default=(0, None), key=_first)
    if most >= limits["messages"]:
        yield RULE.case("rows-missing", subject=Subject(group=behind), evidence={"messages": most})
    waiting, group = max(
        ((_without_client(one), one.group) for one in admin.groups), default=(0, None), key=_first
    )
    if waiting:
        yield RULE.case("queues-without-client", subject=Subject(group=group), evidence={"messages": waiting})
        return
    waiting, group = max(((_not_taken(one), one.group) for one in admin.groups), default=(0, None), key=_first)
    if waiting:
        yield RULE.case("nothing-taken", subject=Subject(group=group), evidence={"messages": waiting})


def _first(pair: tuple[int, str | None]) -> int:
    return pair[0]


def _not_taken(progress: GroupProgress) -> int:
    """Messages of a group that takes none at all, and has never taken one of some queue, as far as one look shows."""
    if progress.clients_shown or progress.consume_tps != 0:
        return 0
    never = any(queue.consumer_offset == 0 and queue.diff > 0 for queue in progress.queues)
    return sum(max(queue.diff, 0) for queue in progress.queues) if never else 0


def _without_client(progress: GroupProgress) -> int:
    """Messages in queues without a client; of a topic that no client has any more a group may keep old offsets."""
    served = {queue.topic for queue in progress.queues if queue.client is not None}
    left = [queue for queue in progress.queues if queue.client is None and queue.topic in served]
    return sum(max(queue.diff, 0) for queue in left)
