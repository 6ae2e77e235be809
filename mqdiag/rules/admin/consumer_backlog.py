"""A group is behind, and how its backlog lies over the queues."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.admin import AdminFacts, BlockedQueue, GroupProgress, QueueProgress
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import NOTHING, say

REMEDIES = {
    "stuck-message": (
        say(
            "Find the thread that has the message in hand: mqdiag capture PID on the consumer"
            " that has the queue, then mqdiag diagnose on the folder."
        ),
        say(
            "Do not restart it first: all that is done beyond the message would be delivered"
            " again, and the cause be gone."
        ),
    ),
    "one-queue-behind": (
        say(
            "Ask again after a minute: if the queue's consumer offset stands still, a message"
            " does not end; mqdiag capture PID on the consumer that has the queue tells which. If"
            " it moves, look whether senders put all messages into this queue (a sharding key)."
        ),
    ),
    "queue-without-consumer": (
        say(
            "Start consumers, or find out why nobody has the queues: unequal subscriptions of one"
            " group, equal client ids, or a rebalance that fails (mqadmin consumerStatus -g"
            " GROUP)."
        ),
    ),
    "slow-consumers": (
        say(
            "Take five thread dumps of a consumer (mqdiag capture PID): they tell whether its"
            " threads stand still, work slowly, or wait for messages."
        ),
        say(
            "More consumers help only up to the number of queues; then raise consumeThreadMin or"
            " make the listener faster."
        ),
    ),
    "all-groups-behind": (
        say(
            "Look at the broker first: mqadmin brokerStatus, broker.log and store.log; then at"
            " what all groups depend on."
        ),
    ),
}


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
    """One queue of two is 5,000 messages behind, the other keeps up."""
    return _facts(5000)


def silent() -> Facts:
    """It is 40 behind: messages on their way."""
    return _facts(40)


@rule(
    name="consumer-backlog",
    title="A group is behind on a topic",
    why=(
        "How a backlog lies over the queues tells its cause: in one queue alone, a message that does not end holds the"
        " offset; in queues without a client, nobody consumes; evenly, the consumers are slower than the senders. When"
        " another group keeps up with the same topic, the broker is fine."
    ),
    causes=(
        "stuck-message",
        "one-queue-behind",
        "queue-without-consumer",
        "slow-consumers",
        "all-groups-behind",
    ),
    severities=(Severity.WARNING, Severity.INFO),
    remedy=tuple(REMEDIES["stuck-message"] + REMEDIES["slow-consumers"]),
    references=(
        "article 002: consumption is slow",
        "ConsumerProgressSubCommand, ConsumeStats.computeTotalDiff",
    ),
    needs=("admin",),
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
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each group and topic."""
    admin = facts.admin
    assert admin is not None
    # Where a group was asked for several times, the last answer counts.
    latest = {(progress.group or progress.source): progress for progress in admin.groups}
    for progress in latest.values():
        for topic in sorted({queue.topic for queue in progress.queues}):
            queues = [queue for queue in progress.queues if queue.topic == topic]
            total = sum(max(queue.diff, 0) for queue in queues)
            blocked = [
                one
                for one in _blocked(admin, progress)
                if one.topic == topic and one.blocked_ms >= limits["blocked_ms"] and _behind(queues, one)
            ]
            if total >= limits["messages"] or (blocked and total > 0):
                yield _draft(admin, progress, topic, queues, blocked, limits)
    if not admin.groups and not admin.overview:
        yield Skip(reason=say("mqadmin consumerProgress was not given"))


def _blocked(admin: AdminFacts, progress: GroupProgress) -> list[BlockedQueue]:
    """What consumers of the group say of their queues; of several answers about one the longest wait."""
    longest: dict[tuple[str, str, str, int], BlockedQueue] = {}
    for state in admin.consumers:
        if state.group is not None and progress.group is not None and state.group != progress.group:
            continue
        for one in state.blocked:
            key = (one.client, one.topic, one.broker, one.queue_id)
            if key not in longest or one.blocked_ms > longest[key].blocked_ms:
                longest[key] = one
    return list(longest.values())


def _behind(queues: list[QueueProgress], blocked: BlockedQueue) -> bool:
    return any(
        queue.diff > 0 and (queue.broker, queue.queue_id) == (blocked.broker, blocked.queue_id)
        for queue in queues
    )


def _draft(
    admin: AdminFacts,
    progress: GroupProgress,
    topic: str,
    queues: list[QueueProgress],
    blocked: list[BlockedQueue],
    limits: Limits,
) -> Draft:
    total = sum(max(queue.diff, 0) for queue in queues)
    worst = max(queues, key=lambda queue: queue.diff)
    share = max(worst.diff, 0) / total
    others = _others(admin, progress, topic)
    keep_up = sorted(group for group, diff in others.items() if diff < limits["kept_up"])
    nobody = [queue for queue in queues if progress.clients_shown and queue.client is None and queue.diff > 0]
    tps = progress.consume_tps
    seconds = total / tps if tps else None
    one_queue = len(queues) > 1 and share >= limits["one_queue_share"]
    if nobody:
        cause = "queue-without-consumer"
    elif blocked:
        cause = "stuck-message"
    elif one_queue:
        cause = "one-queue-behind"
    elif others and not keep_up and min(others.values()) >= limits["messages"]:
        cause = "all-groups-behind"
    else:
        cause = "slow-consumers"
    drains = cause == "slow-consumers" and seconds is not None and seconds < limits["drain_seconds"]
    name = progress.group or say("a group")
    single = one_queue or len(blocked) == 1
    queue = next((q for q in queues if blocked and q.queue_id == blocked[0].queue_id), worst)
    where = (
        say("queue {queue_id} of topic {topic}", queue_id=queue.queue_id, topic=topic)
        if single
        else say("topic {topic}", topic=topic)
    )
    return Draft(
        severity=Severity.INFO if drains else Severity.WARNING,
        cause=cause,
        confidence=Confidence.HIGH if blocked and cause == "stuck-message" else Confidence.MEDIUM,
        confidence_reason=(
            NOTHING
            if blocked and cause == "stuck-message"
            else say("mqadmin tells how far a group is behind, not what its threads do")
        ),
        title=say(
            "Group {name} is {messages} behind on {where}",
            name=name,
            messages=say("{number:count} {number:message|messages}", number=total),
            where=where,
        ),
        subject=Subject(
            group=progress.group,
            topic=topic,
            broker=queue.broker if single else None,
            queue_id=queue.queue_id if single else None,
        ),
        evidence={
            "diff_total": total,
            "queues_behind": sum(1 for one in queues if one.diff > 0),
            "queues": len(queues),
            "largest_diff": worst.diff,
            "largest_share": round(share, 4),
            "consume_tps": tps,
            "drain_seconds": None if seconds is None else round(seconds),
            "blocked_ms": max((one.blocked_ms for one in blocked), default=None),
            "queues_without_client": len(nobody),
            "groups_that_keep_up": tuple(keep_up),
        },
        explanation=tuple(_lines(progress, topic, queues, blocked, nobody, keep_up, share, worst, seconds)),
        remedy=REMEDIES[cause],
        weight=0.0,
    )


def _others(admin: AdminFacts, progress: GroupProgress, topic: str) -> dict[str, int]:
    """The backlog of other groups on the topic."""
    found: dict[str, int] = {}
    for other in admin.groups:
        mine = [queue.diff for queue in other.queues if queue.topic == topic]
        if mine and other.group is not None and other.group != progress.group:
            found[other.group] = sum(max(diff, 0) for diff in mine)
    return found


def _lines(
    progress: GroupProgress,
    topic: str,
    queues: list[QueueProgress],
    blocked: list[BlockedQueue],
    nobody: list[QueueProgress],
    keep_up: list[str],
    share: float,
    worst: QueueProgress,
    seconds: float | None,
) -> Iterator[str]:
    total = sum(max(queue.diff, 0) for queue in queues)
    yield (
        say(
            ("{messages} in {queues}; queue {queue_id} of {broker} has {diff:count} of them, {share:percent}."),
            messages=say("{number:count} {number:message|messages}", number=total),
            queues=say("{number:count} {number:queue|queues}", number=len(queues)),
            queue_id=worst.queue_id,
            broker=worst.broker,
            diff=worst.diff,
            share=share,
        )
    )
    for one in blocked[:3]:
        yield (
            say(
                "consumerStatus: {client} has consumed nothing of queue {queue_id} for {blocked_ms:ms}.",
                client=one.client,
                queue_id=one.queue_id,
                blocked_ms=one.blocked_ms,
            )
        )
    if nobody:
        named = ", ".join(str(queue.queue_id) for queue in nobody[:8])
        yield say(
            "No client has {queues} of them: {named}.",
            queues=say("{number:count} {number:queue|queues}", number=len(nobody)),
            named=named,
        )
    if keep_up:
        which = (
            say("Group {keep_up} keeps", keep_up=keep_up[0])
            if len(keep_up) == 1
            else say("Groups {keep_up} keep", keep_up=", ".join(keep_up[:3]))
        )
        yield say(
            "{which} up with the same topic: the broker delivers, this group is slow or stands still.",
            which=which,
        )
    if worst.last_time is not None:
        yield say(
            "The message at the offset of queue {queue_id} was stored at {last_time}.",
            queue_id=worst.queue_id,
            last_time=worst.last_time,
        )
    if seconds is not None and progress.consume_tps and not blocked and not nobody:
        yield (
            say(
                (
                    "At the {consume_tps:count} messages a second that it consumes now the backlog takes"
                    " {seconds:ms}, if nothing more comes."
                ),
                consume_tps=progress.consume_tps,
                seconds=seconds * 1000,
            )
        )
