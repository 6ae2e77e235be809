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
    added: int | None = None
    """messages that came between two answers of mqadmin while the group consumed none; None where it consumed some, or
    where one answer was given"""

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
    by_group: dict[str, list[GroupProgress]] = {}
    for progress in admin.groups:
        by_group.setdefault(progress.group or progress.source, []).append(progress)
    answers = [_in_order(own) for own in by_group.values()]
    of_groups = _totals_by_topic([own[-1] for own in answers])
    return [one for own in answers for one in _backlogs(admin, own, of_groups, blocked_ms)]


def _in_order(answers: list[GroupProgress]) -> list[GroupProgress]:
    """Answers about a group by what brokers had stored, which never shrinks; as they were given where queues differ."""
    same = len({frozenset(_offsets(one)) for one in answers}) == 1
    return (
        sorted(answers, key=lambda one: sum(queue.broker_offset for queue in one.queues)) if same else answers
    )


def _offsets(progress: GroupProgress) -> dict[tuple[str, str, int], QueueProgress]:
    return {(queue.topic, queue.broker, queue.queue_id): queue for queue in progress.queues}


def _added(answers: list[GroupProgress], topic: str) -> int | None:
    """What came while the group consumed none of a topic, between the last answer and the first one like it."""
    *earlier, last = (
        {key: queue for key, queue in _offsets(one).items() if topic == queue.topic} for one in answers
    )
    if answers[-1].consume_tps:
        return None
    for one in earlier:
        if one.keys() == last.keys() and all(
            one[key].consumer_offset == last[key].consumer_offset for key in last
        ):
            return sum(last[key].broker_offset - one[key].broker_offset for key in last) or None
    return None


def _backlogs(
    admin: AdminFacts,
    answers: list[GroupProgress],
    of_groups: dict[str, list[tuple[int, str]]],
    blocked_ms: float,
) -> Iterator[Backlog]:
    """The backlog of a group on each of its topics; each queue is looked at once, however many topics there are."""
    progress = answers[-1]
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
            added=_added(answers, topic) if len(answers) > 1 else None,
        )


def _totals_by_topic(answers: list[GroupProgress]) -> dict[str, list[tuple[int, str]]]:
    """The backlog of each group on each topic, by one answer about each group, the smallest first."""
    found: dict[str, dict[str, int]] = {}
    for progress in answers:
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
