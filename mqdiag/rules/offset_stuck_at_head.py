"""One message blocks the commit offset of its queue while later ones finish."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.admin import AdminFacts, BlockedQueue, ConsumerState, GroupProgress, QueueProgress
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConsumerFacts, HeapThread, QueueFacts
from mqdiag.facts.logs import RepeatedOffset
from mqdiag.findings import Confidence, Finding, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import queue_name
from mqdiag.rules.shared.graph_needed import needs_graph, of_remoting_only
from mqdiag.rules.shared.log_events import between, seconds_between
from mqdiag.rules.shared.standstill import STANDSTILL_RULES, short_frame
from mqdiag.text import NOTHING, Text, say, sentences
from mqdiag.time_ranges import between as range_between

MOST_BLOCKED = 20
"""queues of one answer whose times are kept as evidence"""


def _in_chain(finding: Finding) -> Text:
    if finding.evidence.get("min_offset") is None:
        return say("the consume offset of {topic} queue {queue_id} does not move")
    return say("the consume offset of {topic} queue {queue_id} does not move beyond {min_offset:count}")


RULE = Rule(
    name="offset-stuck-at-head",
    title="One message holds back the consume offset of its queue",
    why=(
        "The client commits the lowest offset that is still in its local map. While the message at that offset is not"
        " done, no later message counts as consumed: after a restart or a rebalance, all of them are delivered again."
        " Beyond consumeConcurrentlyMaxSpan the client does not pull the queue any more."
    ),
    causes=("stuck-message",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Find what the listener waits for on that message, and give that call a timeout.",
        "Lower consumeTimeout (15 minutes by default), so that the client sends an expired message back sooner and the"
        " offset moves on.",
        "Make the listener idempotent: after a restart, the messages that finished behind the first one come again.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/1404",
        "ProcessQueue.removeMessage: returns the first key of msgTreeMap as the offset to commit",
    ),
    limits={"head_age_ms": 60_000, "finished_warning": 100, "stored_times": 3, "behind_ms": 600_000},
    explained_by=STANDSTILL_RULES,
    in_chain=_in_chain,
)


_TAKE_DUMPS = say(
    "Take five thread dumps of the client and run mqdiag stacks on them: they name the thread that holds the first"
    " message."
)
_KEEP_UP_SHARE = 0.1
"""of the worst queue's backlog: queues with less of it keep up"""


def _facts(age_ms: int) -> Facts:
    consumer = ConsumerFacts(
        group="CID_wash",
        kind="push",
        message_model="CLUSTERING",
        orderly=False,
        config={"consumeConcurrentlyMaxSpan": 2000, "consumeTimeout": 15},
    )
    queue = QueueFacts(
        group="CID_wash",
        topic="segments",
        broker="broker-a",
        queue_id=3,
        messages=2,
        min_offset=2101,
        max_offset=4300,
        span=2199,
        commit_offset=2101,
        oldest_consume_age_ms=age_ms,
        head_msg_id="7F0000010000",
        finished_beyond_head=2198,
        dropped=False,
        assigned=True,
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        consumers=(consumer,),
        queues=(queue,),
        process_queues=1,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """The listener has worked on offset 2101 for four minutes, and all offsets up to 4299 are done."""
    return _facts(240_000)


def silent() -> Facts:
    """It has worked on it for half a minute, which a listener may take."""
    return _facts(30_000)


@RULE.sees("heap")
@needs_graph
@of_remoting_only(
    say("the gRPC client acknowledges each message by itself, so no message holds back an offset")
)
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each queue whose first message has been in the listener too long."""
    heap = facts.heap
    assert heap is not None
    consumers = _by_group(heap)
    for queue in heap.queues:
        consumer = consumers.get(queue.group or "")
        age = queue.oldest_consume_age_ms
        if age is None or age < limits["head_age_ms"] or queue.dropped:
            continue
        if consumer is not None and (consumer.message_model == "BROADCASTING" or consumer.orderly):
            continue  # broadcasting keeps offsets in a local file for itself; an orderly queue never runs ahead
        severity, reason = _judge(queue, consumer, age, limits["finished_warning"])
        if severity is not None:
            yield _draft(queue, consumer, age, severity, reason, _holder(heap, queue))


def _by_group(heap: HeapFacts) -> dict[str, ConsumerFacts]:
    """The consumer that works on a group's queues; the one with most messages where there are several."""
    return {consumer.group: consumer for consumer in sorted(heap.consumers, key=lambda one: one.messages)}


def _judge(
    queue: QueueFacts, consumer: ConsumerFacts | None, age: int, finished_warning: float
) -> tuple[Severity | None, Text]:
    """How bad it is, and why."""
    timeout, most = _timeout_min(consumer), _most_span(consumer)
    if timeout is not None and timeout > 0 and age >= timeout * 60_000:
        return Severity.ERROR, say("consumeTimeout is {consume_timeout_min:count} min.")
    if most is not None and queue.span is not None and queue.span > most:
        return Severity.ERROR, say(
            "That is above consumeConcurrentlyMaxSpan={consumeConcurrentlyMaxSpan:count}, so the client does not pull"
            " the queue."
        )
    if queue.finished_beyond_head is not None and queue.finished_beyond_head >= finished_warning:
        return Severity.WARNING, say(
            "{finished_beyond_head:count} later offsets are done but cannot be committed."
        )
    return None, NOTHING


def _timeout_min(consumer: ConsumerFacts | None) -> int | None:
    return None if consumer is None else whole(consumer.config.get("consumeTimeout"))


def _most_span(consumer: ConsumerFacts | None) -> int | None:
    return None if consumer is None else whole(consumer.config.get("consumeConcurrentlyMaxSpan"))


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


def _find_call(holder: HeapThread | None) -> Text:
    """What to do about the call that does not return, by its frame where that is known."""
    if holder is None or holder.call is None:
        return say(
            "Look at what the listener does with this message. `mqdiag stacks` on a few thread dumps, or `mqdiag"
            " heap --threads` on this dump, names the frame. Give that call a timeout."
        )
    return say(
        "Thread {thread} holds this message, in {frame}: cure what it does there, or give the call a timeout.",
        frame=short_frame(holder.call.frame or holder.call.listener),
    )


def _draft(
    queue: QueueFacts,
    consumer: ConsumerFacts | None,
    age: int,
    severity: Severity,
    reason: Text,
    holder: HeapThread | None,
) -> Draft:
    error, finished = severity is Severity.ERROR, queue.finished_beyond_head
    return Draft(
        severity=severity,
        cause="stuck-message",
        confidence=Confidence.HIGH if error else Confidence.MEDIUM,
        confidence_reason=(
            say("the start time of the message and the offsets were read from the queue")
            if error
            else say("a slow listener looks the same until consumeTimeout")
        ),
        title=_title(queue),
        subject=Subject(group=queue.group, topic=queue.topic, broker=queue.broker, queue_id=queue.queue_id),
        evidence={
            "min_offset": queue.min_offset,
            "max_offset": queue.max_offset,
            "span": queue.span,
            "oldest_consume_age_ms": age,
            "msg_id": queue.head_msg_id,
            "keys": queue.head_keys,
            "finished_beyond_head": finished,
            "commit_offset": queue.commit_offset,
            "messages": queue.messages,
            "consume_timeout_min": _timeout_min(consumer),
            "consumeConcurrentlyMaxSpan": _most_span(consumer),
            "thread": None if holder is None else holder.name,
        },
        explanation=tuple(_explained(queue, reason)),
        remedy=(
            _find_call(holder),
            say("Do not restart the process before the listener is idempotent or the message is dealt with.")
            if finished
            else say(
                "Lower consumeTimeout (15 minutes by default), so that the client sends a stuck message back sooner."
            ),
        ),
        age_ms=age,
        consequence=(
            say(
                "if the process restarts now, {finished_beyond_head:count}"
                " {finished_beyond_head:message|messages} of group {group} that"
                " {finished_beyond_head:is|are} done {finished_beyond_head:is|are} delivered again"
            )
            if finished and queue.group is not None
            else NOTHING
        ),
    )


def _title(queue: QueueFacts) -> Text:
    if queue.min_offset is None:
        return say(
            "The first message of {queue} has been in the listener for {oldest_consume_age_ms:ms} and holds back the"
            " consume offset",
            queue=queue_name(queue),
        )
    return say(
        "Offset {min_offset:count} of {queue} has been in the listener for {oldest_consume_age_ms:ms} and holds back"
        " the consume offset",
        queue=queue_name(queue),
    )


def _explained(queue: QueueFacts, reason: Text) -> Iterator[Text]:
    yield sentences(
        say(
            "The listener had been working on offset {min_offset:count} for {oldest_consume_age_ms:ms} when the dump"
            " was taken, and it was not done."
        ),
        None if queue.head_msg_id is None else say("The message id is {msg_id}."),
        say("The queue holds offsets {min_offset:count} to {max_offset:count}, a span of {span:count}."),
        reason,
    )
    if queue.finished_beyond_head:
        yield say(
            "If the process restarts or the queue moves now, {finished_beyond_head:count} finished"
            " {finished_beyond_head:message is|messages are} delivered again. This number includes messages that a"
            " tag filter left out."
        )
    yield say(
        "When consumeTimeout expires, the client sends the first message back to the broker and the offset moves on."
        " The thread stays stuck until its call returns."
    )


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each group of which consumerStatus names queues in which nothing is consumed.

    Of several answers that name the same queue first, the one with the longest time counts.
    """
    assert facts.admin is not None
    longest: dict[Subject, tuple[int, Draft]] = {}
    for state in facts.admin.consumers:
        blocked = sorted(
            (row for row in state.blocked if row.blocked_ms >= limits["head_age_ms"]),
            key=lambda row: -row.blocked_ms,
        )
        if blocked:
            draft = _blocked(state, blocked)
            before, _ = longest.get(draft.subject, (0, draft))
            if blocked[0].blocked_ms > before:
                longest[draft.subject] = blocked[0].blocked_ms, draft
    yield from (draft for _, draft in longest.values())


def _blocked(state: ConsumerState, blocked: list[BlockedQueue]) -> Draft:
    worst, alone = blocked[0], len(blocked) == 1
    return Draft(
        severity=Severity.ERROR,
        cause="stuck-message",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("a listener that needs longer than a minute for one message looks the same"),
        title=say("Nothing of {topic} queue {queue_id} has been consumed for {blocked_ms:ms}")
        if alone
        else say(
            "Nothing of {queues:count} queues has been consumed for up to {blocked_ms:ms}, the longest of {topic} queue"
            " {queue_id}"
        ),
        subject=Subject(group=state.group, topic=worst.topic, broker=worst.broker, queue_id=worst.queue_id),
        evidence={
            "blocked_ms": worst.blocked_ms,
            "queues": len(blocked),
            "client_id": worst.client,
            "further_blocked_ms": tuple(row.blocked_ms for row in blocked[1:MOST_BLOCKED]),
        },
        explanation=(
            say("consumerStatus says of client {client_id}: can't consume for a while, maybe blocked."),
            say("Messages of the queue are in the client's cache, and the listener does not return."),
        ),
        remedy=(
            say(
                "Take five thread dumps of client {client_id} (mqadmin consumerStatus -s, or jstack) and run mqdiag"
                " stacks on them: the dump names the call that the listener waits in."
            ),
            *RULE.remedy[:2],
        ),
    )


@RULE.sees("admin")
def in_progress(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each queue that stands still while the others of its group and topic move.

    Two answers of consumerProgress tell it; one only where the queue is far behind others that keep up.
    """
    assert facts.admin is not None
    orderly = _orderly_groups(facts.admin)
    answers: dict[str | None, list[GroupProgress]] = {}
    for progress in facts.admin.groups:
        answers.setdefault(progress.group, []).append(progress)
    for group, own in answers.items():
        if group in orderly:
            continue  # such a queue never runs ahead of its first message: orderly-suspended looks at it
        # the broker's offsets only grow, so they tell which answer came first
        own.sort(key=lambda one: sum(queue.broker_offset for queue in one.queues))
        stands = list(_stands(own[0], own[-1], limits)) if group is not None and len(own) > 1 else []
        yield from stands or _far_behind(own[-1], limits)


def _orderly_groups(admin: AdminFacts) -> set[str | None]:
    return {client.group for client in admin.clients if client.settings.get("PROP_CONSUMEORDERLY") == "true"}


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
                yield _stood(last, new, consumed, passed_ms)


def _has_no_client(progress: GroupProgress, queue: QueueProgress) -> bool:
    """Whether no client has the queue: then no listener holds its first message, and consumer-backlog looks at it."""
    return progress.clients_shown and queue.client is None


def _place(queue: QueueProgress) -> tuple[str, str, int]:
    return queue.topic, queue.broker, queue.queue_id


def _stood(progress: GroupProgress, queue: QueueProgress, consumed: int, passed_ms: int) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="stuck-message",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("an orderly queue whose first message always fails looks the same"),
        title=say(
            "The consume offset of {topic} queue {queue_id} stands at {offset:count} while other queues move"
        ),
        subject=Subject(group=progress.group, topic=queue.topic, broker=queue.broker, queue_id=queue.queue_id),
        evidence={
            "offset": queue.consumer_offset,
            "diff": queue.diff,
            "consumed": consumed,
            "passed_ms": passed_ms,
            "client": queue.client,
        },
        explanation=(
            say(
                "Between two answers of consumerProgress the group consumed {consumed:count} messages of the topic's"
                " other queues, which were stored over {passed_ms:ms}."
            ),
            say(
                "{diff:count} {diff:message waits|messages wait} in queue {queue_id}, and its offset did not move."
            ),
        ),
        remedy=(_TAKE_DUMPS, *RULE.remedy),
        weight=0.4,
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
        keep_up = bool(others) and all(queue.diff < worst.diff * _KEEP_UP_SHARE for queue in others)
        if keep_up and worst.diff >= limits["finished_warning"] and behind_ms >= limits["behind_ms"]:
            yield _behind(progress, worst, behind_ms)


def _behind(progress: GroupProgress, queue: QueueProgress, behind_ms: int) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="stuck-message",
        confidence=Confidence.LOW,
        confidence_reason=say("one answer does not tell whether the offset moves; ask again after a minute"),
        title=say("Queue {queue_id} of topic {topic} is {behind_ms:ms} behind the other queues, which keep up"),
        subject=Subject(group=progress.group, topic=queue.topic, broker=queue.broker, queue_id=queue.queue_id),
        evidence={
            "offset": queue.consumer_offset,
            "diff": queue.diff,
            "behind_ms": behind_ms,
            "stored_at": queue.last_time,
            "client": queue.client,
        },
        explanation=(
            say("The last message that counts as consumed there was stored at {stored_at:time}."),
            say("{diff:count} {diff:message waits|messages wait} in the queue at offset {offset:count}."),
        ),
        remedy=(_TAKE_DUMPS, *RULE.remedy),
        weight=0.2,
    )


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each queue of which the same offset is stored while messages of its topic are consumed."""
    assert facts.logs is not None
    for row in facts.logs.stored_offsets:
        if row.lines >= limits["stored_times"]:
            yield _stored(row)


def _stored(row: RepeatedOffset) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="stuck-message",
        confidence=Confidence.MEDIUM,
        confidence_reason=say(
            "the log does not tell of which queue the consumed messages were; a dump names the stuck thread"
        ),
        title=say(
            "The stored offset of {topic} queue {queue_id} stays at {offset:count} while messages are consumed"
        ),
        subject=Subject(group=row.group, topic=row.topic, broker=row.broker, queue_id=row.queue_id),
        evidence={"offset": row.offset, "stored_times": row.lines, "consumed": row.consumed},
        explanation=(
            say(
                "The client stored offset {offset:count} {stored_times:count} times, {between}.",
                between=between(row.first, row.last),
            ),
            say("Meanwhile its listeners finished {consumed:count} {consumed:message|messages} of the topic."),
            say("The offset of no other queue of the topic moved in this log."),
        ),
        remedy=(_TAKE_DUMPS, *RULE.remedy),
        when=range_between(row.first, row.last),
        weight=0.4,
    )
