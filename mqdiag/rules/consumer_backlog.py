"""A group is behind, and how its backlog lies over the queues."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, takewhile

from mqdiag.facts.admin import AdminFacts, BlockedQueue, GroupProgress, QueueProgress
from mqdiag.findings import Subject
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Draft, Limits, Said
from mqdiag.text import Text

MOST_NAMED = 3
MOST_KEPT = 100
"""groups that keep up and are part of the evidence"""
MOST_QUEUES_NAMED = 8

RULE = Rule("consumer-backlog")


@dataclass(frozen=True, kw_only=True)
class _Backlog:
    """A group on one topic."""

    progress: GroupProgress
    topic: str
    queues: list[QueueProgress]
    blocked: list[BlockedQueue]
    """queues that a consumer says are blocked"""
    on_topic: list[tuple[int, str]]
    """the backlog of each group on the topic and its name, the smallest first; shared by all these groups"""

    @property
    def total(self) -> int:
        """Messages; a queue whose consumer is ahead counts nothing."""
        return sum(max(queue.diff, 0) for queue in self.queues)

    @property
    def worst(self) -> QueueProgress:
        return max(self.queues, key=lambda queue: queue.diff)

    @property
    def share(self) -> float:
        """The worst queue's part of all."""
        return max(self.worst.diff, 0) / self.total

    @property
    def without_client(self) -> list[QueueProgress]:
        """Queues with a backlog that no client has."""
        if not self.progress.clients_shown:
            return []
        return [queue for queue in self.queues if queue.client is None and queue.diff > 0]

    @property
    def seconds(self) -> float | None:
        """How long it lasts at the present rate."""
        tps = self.progress.consume_tps
        return self.total / tps if tps else None

    def keep_up(self, limits: Limits) -> list[str]:
        """Other groups that keep up with the topic."""
        few = takewhile(lambda one: one[0] < limits["kept_up"], self._others())
        return sorted(group for _, group in islice(few, MOST_KEPT))

    def _others(self) -> Iterator[tuple[int, str]]:
        """The other groups on the topic, the smallest backlog first."""
        return (one for one in self.on_topic if one[1] != self.progress.group)

    def in_one_queue(self, limits: Limits) -> bool:
        return len(self.queues) > 1 and self.share >= limits["one_queue_share"]

    def case(self, limits: Limits) -> str:
        if self.without_client:
            return "queue-without-consumer"
        if self.blocked:
            return "stuck-message"
        if self.in_one_queue(limits):
            return "one-queue-behind"
        smallest = next(self._others(), None)
        if smallest is not None and smallest[0] >= max(limits["messages"], limits["kept_up"]):
            return "all-groups-behind"
        if self.seconds is not None and self.seconds < limits["drain_seconds"]:
            return "slow-consumers-for-a-moment"
        return "slow-consumers"


@RULE.admin
def in_admin(admin: AdminFacts, limits: Limits) -> Iterator[Said]:
    """One finding for each group and topic."""
    # Where mqadmin was asked about a group several times, the last answer counts.
    latest = {(progress.group or progress.source): progress for progress in admin.groups}
    of_groups = _totals_by_topic(admin)
    backlogs = [one for progress in latest.values() for one in _backlogs(admin, progress, of_groups, limits)]
    large = [one for one in backlogs if one.total >= limits["messages"] or (one.blocked and one.total > 0)]
    for backlog in large:
        yield _said(backlog, limits)
    if backlogs and not large:
        largest = max(backlogs, key=lambda one: one.total)
        yield RULE.margin(
            "backlog", largest.total, limits["messages"], group=largest.progress.group, topic=largest.topic
        )
    if not admin.groups and not admin.overview:
        yield RULE.skip("no-progress")


def _backlogs(
    admin: AdminFacts, progress: GroupProgress, of_groups: dict[str, list[tuple[int, str]]], limits: Limits
) -> Iterator[_Backlog]:
    """The backlog of a group on each of its topics; each queue is looked at once, however many topics there are."""
    by_topic: dict[str, list[QueueProgress]] = {}
    for queue in progress.queues:
        by_topic.setdefault(queue.topic, []).append(queue)
    blocked_by_topic: dict[str, list[BlockedQueue]] = {}
    for one in _blocked(admin, progress):
        if one.blocked_ms >= limits["blocked_ms"]:
            blocked_by_topic.setdefault(one.topic, []).append(one)
    for topic in sorted(by_topic):
        queues = by_topic[topic]
        behind = {(queue.broker, queue.queue_id) for queue in queues if queue.diff > 0}
        yield _Backlog(
            progress=progress,
            topic=topic,
            queues=queues,
            blocked=[one for one in blocked_by_topic.get(topic, ()) if (one.broker, one.queue_id) in behind],
            on_topic=of_groups.get(topic, []),
        )


def _totals_by_topic(admin: AdminFacts) -> dict[str, list[tuple[int, str]]]:
    """The backlog of each group on each topic, by the last answer about the group, the smallest first."""
    found: dict[str, dict[str, int]] = {}
    for progress in admin.groups:
        if progress.group is None:
            continue
        own: dict[str, int] = {}
        for queue in progress.queues:
            own[queue.topic] = own.get(queue.topic, 0) + max(queue.diff, 0)
        for topic, total in own.items():
            found.setdefault(topic, {})[progress.group] = total
    return {topic: sorted((total, group) for group, total in of.items()) for topic, of in found.items()}


def _blocked(admin: AdminFacts, progress: GroupProgress) -> list[BlockedQueue]:
    """What consumers of the group say about their queues; of several answers about one queue the longest wait."""
    longest: dict[tuple[str, str, str, int], BlockedQueue] = {}
    for state in admin.consumers:
        if state.group is not None and progress.group is not None and state.group != progress.group:
            continue
        for one in state.blocked:
            key = (one.client, one.topic, one.broker, one.queue_id)
            if key not in longest or one.blocked_ms > longest[key].blocked_ms:
                longest[key] = one
    return list(longest.values())


def _said(backlog: _Backlog, limits: Limits) -> Draft:
    group, blocked, worst = backlog.progress.group, backlog.blocked, backlog.worst
    nobody, seconds, keep_up = backlog.without_client, backlog.seconds, tuple(backlog.keep_up(limits))
    single = backlog.in_one_queue(limits) or len(blocked) == 1
    queue = next((one for one in backlog.queues if blocked and one.queue_id == blocked[0].queue_id), worst)
    return RULE.case(
        backlog.case(limits),
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
