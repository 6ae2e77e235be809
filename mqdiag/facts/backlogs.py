"""Backlogs of groups on topics, by what mqadmin told of their queues."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, takewhile

from mqdiag.facts.admin import AdminFacts, BlockedQueue, GroupProgress, QueueProgress

MOST_KEPT = 100
"""groups that keep up and are part of the evidence"""


@dataclass(frozen=True, kw_only=True)
class Backlog:
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
        """The queue that is furthest behind."""
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

    @property
    def smallest_other(self) -> int | None:
        """The smallest backlog of another group on the topic."""
        return next((total for total, _ in self._others()), None)

    def keep_up(self, kept_up: float) -> list[str]:
        """Other groups whose backlog on the topic is smaller than that."""
        few = takewhile(lambda one: one[0] < kept_up, self._others())
        return sorted(group for _, group in islice(few, MOST_KEPT))

    def _others(self) -> Iterator[tuple[int, str]]:
        """The other groups on the topic, the smallest backlog first."""
        return (one for one in self.on_topic if one[1] != self.progress.group)


def backlogs(admin: AdminFacts, blocked_ms: float) -> list[Backlog]:
    """The backlog of each group on each of its topics, by the last answer about the group.

    Args:
        admin: what mqadmin told.
        blocked_ms: a queue that nothing was taken from for so long is blocked.
    """
    latest = {(progress.group or progress.source): progress for progress in admin.groups}
    of_groups = _totals_by_topic(admin)
    return [one for own in latest.values() for one in _backlogs(admin, own, of_groups, blocked_ms)]


def _backlogs(
    admin: AdminFacts, progress: GroupProgress, of_groups: dict[str, list[tuple[int, str]]], blocked_ms: float
) -> Iterator[Backlog]:
    """The backlog of a group on each of its topics; each queue is looked at once, however many topics there are."""
    by_topic: dict[str, list[QueueProgress]] = {}
    for queue in progress.queues:
        by_topic.setdefault(queue.topic, []).append(queue)
    blocked_by_topic: dict[str, list[BlockedQueue]] = {}
    for one in _blocked(admin, progress):
        if one.blocked_ms >= blocked_ms:
            blocked_by_topic.setdefault(one.topic, []).append(one)
    for topic in sorted(by_topic):
        queues = by_topic[topic]
        behind = {(queue.broker, queue.queue_id) for queue in queues if queue.diff > 0}
        yield Backlog(
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
