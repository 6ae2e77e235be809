"""A group is behind, and how its backlog lies over the queues."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, takewhile

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts, BlockedQueue, GroupProgress, QueueProgress
from mqdiag.findings import Confidence, EvidenceValue, Finding, Margin, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.text import NOTHING, Text, say

STUCK, ONE_QUEUE, NOBODY, SLOW, ALL_GROUPS = (
    "stuck-message", "one-queue-behind", "queue-without-consumer", "slow-consumers", "all-groups-behind",
)  # fmt: skip
REMEDIES = {
    STUCK: (
        say(
            "Find the thread that has the message in hand: run mqdiag capture PID on the consumer that has the queue,"
            " then mqdiag diagnose on the folder."
        ),
        say(
            "Do not restart the consumer first: all messages that are done beyond the stuck one would be delivered"
            " again, and the evidence would be gone."
        ),
    ),
    ONE_QUEUE: (
        say(
            "Ask again after a minute. If the queue's consumer offset stands still, one message never ends: mqdiag"
            " capture PID on the consumer that has the queue shows which. If the offset moves, check whether senders"
            " put all messages into this queue (a sharding key)."
        ),
    ),
    NOBODY: (
        say(
            "Start consumers, or find out why nobody has the queues: unequal subscriptions of one group, equal client"
            " ids, or a rebalance that fails (mqadmin consumerStatus -n {name_server:arg NAMESRV:9876}"
            " -g {group:arg GROUP})."
        ),
    ),
    SLOW: (
        say(
            "Take five thread dumps of a consumer (mqdiag capture PID): they show whether its threads are stuck, work"
            " slowly, or wait for messages."
        ),
        say(
            "More consumers help only up to the number of queues; then raise consumeThreadMin or make the listener"
            " faster."
        ),
    ),
    ALL_GROUPS: (
        say(
            "Look at the broker first: mqadmin brokerStatus, broker.log and store.log. Then look at what all groups"
            " depend on."
        ),
    ),
}
MOST_NAMED = 3
MOST_KEPT = 100
"""groups that keep up and are part of the evidence"""
MOST_QUEUES_NAMED = 8


def _in_chain(finding: Finding) -> Text:
    return say("{diff_total:count} {diff_total:message waits|messages wait} on the brokers")


RULE = Rule(
    name="consumer-backlog",
    title="A group is behind on a topic",
    why=(
        "How a backlog is spread over the queues shows its cause. In one queue alone: one message never ends and holds"
        " the offset. In queues without a client: nobody consumes. Evenly: the consumers are slower than the senders."
        " When another group keeps up with the same topic, the broker is fine."
    ),
    causes=(STUCK, ONE_QUEUE, NOBODY, SLOW, ALL_GROUPS),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=(*REMEDIES[STUCK], *REMEDIES[SLOW]),
    references=(
        "article 002: consumption is slow",
        "ConsumerProgressSubCommand, ConsumeStats.computeTotalDiff",
    ),
    limits={
        "messages": 1000,
        "one_queue_share": 0.9,
        "kept_up": 100,
        "drain_seconds": 60,
        "blocked_ms": 60_000,
    },
    explained_by=(
        "stuck-consumer-thread",
        "offset-stuck-at-head",
        "stuck-socket-read",
        "stuck-wait",
        "lock-convoy",
        "deadlock",
        "connection-pool-exhausted",
        "slow-listener",
        "workers-saturated",
        "pull-loop-lost",
    ),
    in_chain=_in_chain,
)


def _queue(queue_id: int, diff: int) -> QueueProgress:
    return QueueProgress(
        topic="orders",
        broker="broker-a",
        queue_id=queue_id,
        broker_offset=9000,
        consumer_offset=9000 - diff,
        diff=diff,
        last_time="2026-11-21 12:06:23",
    )


def _facts(first: int) -> Facts:
    queues = (_queue(0, first), _queue(1, 3))
    progress = GroupProgress(
        group="CID_stock", source="progress.txt", queues=queues, diff_total=first + 3, consume_tps=20.0
    )
    return Facts(admin=AdminFacts(groups=(progress,)))


def fires() -> Facts:
    """One of two queues is 5,000 messages behind, the other keeps up."""
    return _facts(5000)


def silent() -> Facts:
    """It is 40 behind: messages on their way."""
    return _facts(40)


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

    def cause(self, limits: Limits) -> str:
        if self.without_client:
            return NOBODY
        if self.blocked:
            return STUCK
        if self.in_one_queue(limits):
            return ONE_QUEUE
        smallest = next(self._others(), None)
        if smallest is not None and smallest[0] >= max(limits["messages"], limits["kept_up"]):
            return ALL_GROUPS
        return SLOW


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group and topic."""
    admin = facts.admin
    assert admin is not None
    # Where mqadmin was asked about a group several times, the last answer counts.
    latest = {(progress.group or progress.source): progress for progress in admin.groups}
    of_groups = _totals_by_topic(admin)
    backlogs = [one for progress in latest.values() for one in _backlogs(admin, progress, of_groups, limits)]
    large = [one for one in backlogs if one.total >= limits["messages"] or (one.blocked and one.total > 0)]
    for backlog in large:
        yield _draft(backlog, limits)
    if backlogs and not large:
        largest = max(backlogs, key=lambda one: one.total)
        label = say(
            "backlog of group {group} on topic {topic}", group=largest.progress.group, topic=largest.topic
        )
        yield Margin(rule="", label=label, value=largest.total, limit=limits["messages"], kind="count")
    if not admin.groups and not admin.overview:
        yield Skip(reason=say("mqadmin consumerProgress was not given"))


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


def _draft(backlog: _Backlog, limits: Limits) -> Draft:
    cause, blocked, worst = backlog.cause(limits), backlog.blocked, backlog.worst
    seconds = backlog.seconds
    drains = cause == SLOW and seconds is not None and seconds < limits["drain_seconds"]
    single = backlog.in_one_queue(limits) or len(blocked) == 1
    queue = next((one for one in backlog.queues if blocked and one.queue_id == blocked[0].queue_id), worst)
    sure = cause == STUCK
    return Draft(
        severity=Severity.INFO if drains else Severity.WARNING,
        cause=cause,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        confidence_reason=NOTHING
        if sure
        else say("mqadmin shows how far a group is behind, not what its threads do"),
        title=_title(backlog, single=single),
        subject=Subject(
            group=backlog.progress.group,
            topic=backlog.topic,
            broker=queue.broker if single else None,
            queue_id=queue.queue_id if single else None,
        ),
        evidence=_evidence(backlog, limits),
        explanation=tuple(_explained(backlog, limits)),
        remedy=REMEDIES[cause],
        weight=0.0,
    )


def _title(backlog: _Backlog, *, single: bool) -> Text:
    group = backlog.progress.group
    who = say("Group {group}", group=group) if group else say("A group")
    if single:
        return say(
            "{who} is {diff_total:count} {diff_total:message|messages} behind on queue {queue_id} of topic {topic}",
            who=who,
        )
    return say("{who} is {diff_total:count} {diff_total:message|messages} behind on topic {topic}", who=who)


def _evidence(backlog: _Backlog, limits: Limits) -> dict[str, EvidenceValue]:
    blocked, worst, nobody = backlog.blocked, backlog.worst, backlog.without_client
    seconds = backlog.seconds
    return {
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
        "groups_that_keep_up": tuple(backlog.keep_up(limits)),
    }


def _explained(backlog: _Backlog, limits: Limits) -> Iterator[Text]:
    yield say(
        "{diff_total:count} {diff_total:message|messages} in {queues:count} {queues:queue|queues}; queue"
        " {largest_diff_queue_id} of {largest_diff_broker} has {largest_diff:count} of them, {largest_share:percent}."
    )
    for one in backlog.blocked[:MOST_NAMED]:
        yield say(
            "consumerStatus: {client} has consumed nothing of queue {queue_id} for {blocked_ms:ms}.",
            client=one.client,
            queue_id=one.queue_id,
            blocked_ms=one.blocked_ms,
        )
    if backlog.without_client:
        yield say(
            "{queues_without_client:count} {queues_without_client:queue has|queues have} no client, by queue id:"
            " {queue_ids_without_client}."
            if len(backlog.without_client) <= MOST_QUEUES_NAMED
            else "{queues_without_client:count} queues have no client; the first, by queue id, are"
            " {queue_ids_without_client}."
        )
    keep_up = tuple(backlog.keep_up(limits))
    if keep_up:
        who = (
            say("Group {group} keeps up", group=keep_up[0])
            if len(keep_up) == 1
            else say("Groups {groups:and} keep up", groups=keep_up[:MOST_NAMED])
        )
        yield say(
            "{who} with the same topic: the broker delivers, so this group is slow or stands still.", who=who
        )
    if backlog.worst.last_time is not None:
        yield say(
            "The message at the offset of queue {largest_diff_queue_id} was stored at {largest_diff_stored_at:time}."
        )
    if backlog.seconds is not None and not backlog.blocked and not backlog.without_client:
        yield say(
            "The group consumes {consume_tps:decimal} messages a second now. At this rate the backlog takes"
            " {drain_seconds:seconds}, if no message is added."
        )
