"""An orderly queue is not consumed because this client does not hold the broker's lock for it."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.heap import QueueFacts
from mqdiag.facts.logs import LogEvent, LogSubject
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.consumers import owner, queue_name
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import needs_graph, of_remoting_only
from mqdiag.rules.shared.log_events import between, events, seconds_between
from mqdiag.text import say, sentences
from mqdiag.time_ranges import between as range_between

RULE = Rule(
    name="orderly-lock-lost",
    title="An orderly consumer does not hold the lock of its queue",
    why=(
        "An orderly queue is consumed only while the broker has locked it for this client. The client renews the lock"
        " every 20 s, and takes it for lost after 30 s. While another client holds the lock, perhaps one that hangs in"
        " its listener, the cached messages wait."
    ),
    causes=("lock-lost",),
    severities=(Severity.WARNING,),
    remedy=(
        "Find the client of the group that still holds the queue (its log says `[WRONG]mq is consuming`), and restart"
        " it.",
        "Upgrade clients of 4.9.4 and before: they take 20 s to lock a new queue. Since 4.9.5 and 5.0.0, clients lock"
        " it at once.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/2621",
        "https://github.com/apache/rocketmq/issues/5465",
        "ProcessQueue.isLockExpired: REBALANCE_LOCK_MAX_LIVE_TIME",
    ),
    # a broker gives the lock of a client that has gone to another one after 60 s; clients ask every 20 s
    limits={"idle_ms": 60_000, "lock_age_ms": 60_000, "unlocked_ms": 100_000, "line_every_ms": 10_000},
)


def fires() -> Facts:
    """The queue is not locked, and nothing was consumed for two minutes."""
    return example(consumer={"orderly": True}, queue={"locked": False, "last_consume_age_ms": 120_000})


def silent() -> Facts:
    """The queue was locked five seconds ago."""
    return example(consumer={"orderly": True}, queue={"last_consume_age_ms": 120_000})


@RULE.sees("heap")
@needs_graph
@of_remoting_only(say("the gRPC client holds no locks on queues"))
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each queue with messages, not consumed for a while, without a valid lock."""
    heap = facts.heap
    assert heap is not None
    for queue in heap.queues:
        consumer = owner(heap, queue)
        if consumer is None or not consumer.orderly or not consumer.traits.pull_loop:
            continue
        if consumer.message_model != "CLUSTERING" or queue.dropped is not False or not queue.assigned:
            continue
        idle = queue.last_consume_age_ms
        if not queue.messages or queue.in_flight or idle is None or idle < limits["idle_ms"]:
            continue
        if queue.locked is False or (queue.last_lock_age_ms or 0) >= limits["lock_age_ms"]:
            yield _draft(queue, idle)


def _draft(queue: QueueFacts, idle: int) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="lock-lost",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("a rebalance in progress looks the same for some seconds"),
        title=say(
            "{queue} waits for its lock: nothing was consumed for {last_consume_age_ms:ms}",
            queue=queue_name(queue),
        ),
        subject=Subject(group=queue.group, topic=queue.topic, broker=queue.broker, queue_id=queue.queue_id),
        evidence={
            "locked": queue.locked,
            "last_lock_age_ms": queue.last_lock_age_ms,
            "last_consume_age_ms": idle,
            "messages": queue.messages,
        },
        explanation=(
            sentences(
                say(
                    "{messages:count} {messages:message is|messages are} cached, and no thread works on"
                    " {messages:it|them}."
                ),
                say("The queue is not locked.")
                if queue.locked is False
                else say("The lock of the queue has expired."),
                None
                if queue.last_lock_age_ms is None
                else say("The broker last confirmed the lock {last_lock_age_ms:ms} before the dump."),
            ),
        ),
        remedy=RULE.remedy,
        age_ms=max(idle, queue.last_lock_age_ms or 0),
    )


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each queue whose pulls were put off for longer than it takes to get another client's lock."""
    assert facts.logs is not None
    for event in events(facts.logs, "queue-unlocked"):
        for row in event.subjects:
            waited = round(seconds_between(row.first, row.last) * 1000)
            if waited >= limits["unlocked_ms"] and waited <= row.count * limits["line_every_ms"]:
                yield _of_lines(event, row, waited)


def _of_lines(event: LogEvent, row: LogSubject, waited: int) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="lock-lost",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("the lines do not tell which client holds the lock"),
        title=say(
            "Queue {queue_id} of topic {topic} was not pulled for {waited_ms:ms}: the broker did not lock it",
            queue_id=row.queue_id,
            topic=row.topic,
        ),
        subject=Subject(group=row.group, topic=row.topic, broker=row.broker, queue_id=row.queue_id),
        evidence={"lines": row.count, "waited_ms": waited},
        explanation=(
            say(
                "{lines:count} {lines:pull was|pulls were} put off because the broker had not locked the queue for this"
                " client, {between}.",
                between=between(row.first, row.last),
            ),
        ),
        remedy=RULE.remedy,
        rests_on=event.files,
        when=range_between(row.first, row.last),
        weight=0.5,
    )
