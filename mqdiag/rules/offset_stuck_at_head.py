"""One message blocks the commit offset of its queue while later ones finish."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.facts.admin import AdminFacts, ConsumerState, GroupProgress, QueueProgress
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.facts.heap_threads import HeapThread
from mqdiag.findings import EvidenceValue, Subject
from mqdiag.log_events import seconds_between
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.consumers import queue_name
from mqdiag.rules.shared.standstill import short_frame

RULE = Rule("offset-stuck-at-head")
MOST_BLOCKED = 20
"""queues of one answer whose times are kept as evidence"""
KEEP_UP_SHARE = 0.1
"""share of the worst queue's backlog: queues with less of it keep up"""


@RULE.ages
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each queue whose first message has been in the listener too long."""
    # the consumer that works on a group's queues; the one with most messages where there are several
    consumers = {one.group: one for one in sorted(heap.consumers, key=lambda one: one.messages)}
    for queue in heap.queues:
        consumer = consumers.get(queue.group or "")
        age = queue.oldest_consume_age_ms
        if age is None or age < limits["head_age_ms"] or queue.dropped:
            continue
        if consumer is not None and (consumer.message_model == "BROADCASTING" or consumer.orderly):
            continue  # broadcasting keeps offsets in a local file for itself; an orderly queue never runs ahead
        timeout, most = _setting(consumer, "consumeTimeout"), _setting(consumer, "consumeConcurrentlyMaxSpan")
        expired = timeout is not None and timeout > 0 and age >= timeout * 60_000
        too_wide = not expired and most is not None and queue.span is not None and queue.span > most
        finished = queue.finished_beyond_head
        if not expired and not too_wide and (finished is None or finished < limits["finished_warning"]):
            continue
        holder = _holder(heap, queue)
        call = None if holder is None else holder.call
        yield RULE.case(
            "head-held" if expired or too_wide else "head-slow",
            queue,
            subject=Subject.of(queue),
            evidence={
                "msg_id": queue.head_msg_id,
                "keys": queue.head_keys,
                "consume_timeout_min": timeout,
                "consumeConcurrentlyMaxSpan": most,
                "thread": None if holder is None else holder.name,
            },
            words={
                "queue": queue_name(queue),
                "expired": expired,
                "too_wide": too_wide,
                "only_finished": not expired and not too_wide,
                "frame": None if call is None else short_frame(call.frame or call.listener),
            },
            age_ms=age,
        )


def _setting(consumer: ConsumerFacts | None, name: str) -> int | None:
    return None if consumer is None else whole(consumer.config.get(name))


def _holder(heap: HeapFacts, queue: QueueFacts) -> HeapThread | None:
    """The thread that has the queue's first message in the listener; None where the dump does not show it."""
    place = (queue.group, queue.topic, queue.broker, queue.queue_id, queue.min_offset)
    if None in place:
        return None
    for thread in heap.threads:
        message = thread.message
        if message is None or thread.call is None:
            continue
        topic = message.queue_topic or message.topic
        if (message.group, topic, message.broker, message.queue_id, message.offset) == place:
            return thread
    return None


@RULE.admin
def in_admin(admin: AdminFacts, limits: Limits) -> Findings:
    """One finding for each group of which consumerStatus names queues in which nothing is consumed.

    Of several answers that name the same queue first, the one with the longest time counts.
    """
    longest: dict[Subject, tuple[int, Draft]] = {}
    for state in admin.consumers:
        if (found := _blocked(state, limits)) is not None:
            blocked_ms, draft = found
            if blocked_ms > longest.get(draft.subject, (0, draft))[0]:
                longest[draft.subject] = found
    yield from (draft for _, draft in longest.values())


def _blocked(state: ConsumerState, limits: Limits) -> tuple[int, Draft] | None:
    """For how long nothing of the worst queue has been consumed, and the finding."""
    blocked = [row for row in state.blocked if row.blocked_ms >= limits["head_age_ms"]]
    if not blocked:
        return None
    worst, *others = sorted(blocked, key=lambda row: -row.blocked_ms)
    return worst.blocked_ms, RULE.case(
        "nothing-consumed",
        worst,
        subject=Subject(group=state.group, topic=worst.topic, broker=worst.broker, queue_id=worst.queue_id),
        evidence={
            "queues": len(blocked),
            "client_id": worst.client,
            "further_blocked_ms": tuple(row.blocked_ms for row in others[: MOST_BLOCKED - 1]),
        },
        words={"several": bool(others)},
    )


@RULE.admin
def in_progress(admin: AdminFacts, limits: Limits) -> Findings:
    """One finding for each queue that stands still while the others of its group and topic move.

    Two answers of consumerProgress tell it; one only where the queue is far behind others that keep up.
    """
    orderly = {one.group for one in admin.clients if one.settings.get("PROP_CONSUMEORDERLY") == "true"}
    answers: dict[str | None, list[GroupProgress]] = {}
    for progress in admin.groups:
        answers.setdefault(progress.group, []).append(progress)
    for group, own in answers.items():
        if group in orderly:
            continue  # such a queue never runs ahead of its first message: orderly-suspended looks at it
        # the broker's offsets only grow, so they tell which answer came first
        own.sort(key=lambda one: sum(queue.broker_offset for queue in one.queues))
        stands = list(_stands(own[0], own[-1], limits)) if group is not None and len(own) > 1 else []
        yield from stands or _far_behind(own[-1], limits)


def _stands(first: GroupProgress, last: GroupProgress, limits: Limits) -> Iterator[Draft]:
    before = {_place(queue): queue for queue in first.queues}
    by_topic: dict[str, list[tuple[QueueProgress, QueueProgress]]] = {}
    for queue in last.queues:
        if _place(queue) in before:
            by_topic.setdefault(queue.topic, []).append((before[_place(queue)], queue))
    for pairs in by_topic.values():
        consumed = sum(new.consumer_offset - old.consumer_offset for old, new in pairs)
        passed = [int(seconds_between(old.last_time, new.last_time) * 1000) for old, new in pairs]
        most, second = heapq.nlargest(2, (0, 0, *passed))
        for (old, new), own_ms in zip(pairs, passed, strict=True):
            waited = old.diff > 0 and new.diff > 0 and new.consumer_offset == old.consumer_offset
            passed_ms = second if own_ms == most else most
            if _has_no_client(last, new):
                continue
            if waited and consumed >= limits["finished_warning"] and passed_ms >= limits["head_age_ms"]:
                yield _of_progress(
                    "stands-while-others-move", last, new, {"consumed": consumed, "passed_ms": passed_ms}
                )


def _far_behind(progress: GroupProgress, limits: Limits) -> Iterator[Draft]:
    by_topic: dict[str, list[QueueProgress]] = {}
    for queue in progress.queues:
        by_topic.setdefault(queue.topic, []).append(queue)
    for queues in by_topic.values():
        worst = max(queues, key=lambda queue: queue.diff)
        others = [queue for queue in queues if queue is not worst]
        newest = max((queue.last_time for queue in others if queue.last_time is not None), default=None)
        behind_ms = int(seconds_between(worst.last_time, newest) * 1000)
        if _has_no_client(progress, worst):
            continue
        keep_up = bool(others) and all(queue.diff < worst.diff * KEEP_UP_SHARE for queue in others)
        if keep_up and worst.diff >= limits["finished_warning"] and behind_ms >= limits["behind_ms"]:
            yield _of_progress(
                "far-behind-others", progress, worst, {"behind_ms": behind_ms, "stored_at": worst.last_time}
            )


def _has_no_client(progress: GroupProgress, queue: QueueProgress) -> bool:
    """Whether no client has the queue: then no listener holds its first message, and consumer-backlog looks at it."""
    return progress.clients_shown and queue.client is None


def _place(queue: QueueProgress) -> tuple[str, str, int]:
    return queue.topic, queue.broker, queue.queue_id


def _of_progress(
    case: str, progress: GroupProgress, queue: QueueProgress, evidence: dict[str, EvidenceValue]
) -> Draft:
    return RULE.case(
        case,
        queue,
        subject=Subject(group=progress.group, topic=queue.topic, broker=queue.broker, queue_id=queue.queue_id),
        evidence={"offset": queue.consumer_offset, **evidence},
    )
