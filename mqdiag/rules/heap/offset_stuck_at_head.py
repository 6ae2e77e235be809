"""One message blocks the commit offset of its queue while later ones finish."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say


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
    """Offset 2101 in hand for four minutes, all up to 4299 finished."""
    return _facts(240_000)


def silent() -> Facts:
    """The same for half a minute: a listener may take that long."""
    return _facts(30_000)


@rule(
    name="offset-stuck-at-head",
    title="One message holds back the consume offset of its queue",
    why=(
        "The offset that is committed is the lowest one still in the local map. While the message there does"
        " not finish, nothing behind it counts as consumed: after a restart or a rebalance all of it is"
        " delivered again. Beyond consumeConcurrentlyMaxSpan the queue is not pulled any more."
    ),
    causes=("stuck-message",),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Find what the listener waits for on that message and give it a timeout.",
        "Set consumeTimeout so that an expired message is sent back and the offset moves on.",
        "Make the listener idempotent: what is finished behind the head is delivered again after a restart.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/1404",
        "ProcessQueue.removeMessage: returns the first key of msgTreeMap as the offset to commit",
    ),
    needs=("heap",),
    limits={"head_age_ms": 60_000, "finished_warning": 100},
    explained_by=("stuck-consumer-thread", "stuck-socket-read", "stuck-wait", "lock-convoy", "deadlock"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each queue whose head is in hand too long."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
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
            yield _draft(queue, age, severity, reason)


def _by_group(heap: HeapFacts) -> dict[str, ConsumerFacts]:
    """The consumer that works on a group's queues; the one with most messages where there are several."""
    found: dict[str, ConsumerFacts] = {}
    for consumer in sorted(heap.consumers, key=lambda one: one.messages):
        found[consumer.group] = consumer
    return found


def _judge(
    queue: QueueFacts, consumer: ConsumerFacts | None, age: int, finished_warning: float
) -> tuple[Severity | None, str]:
    config = {} if consumer is None else consumer.config
    timeout = whole(config.get("consumeTimeout"))
    if timeout is not None and timeout > 0 and age >= timeout * 60_000:
        return Severity.ERROR, say("consumeTimeout is {timeout} min", timeout=timeout)
    most = whole(config.get("consumeConcurrentlyMaxSpan"))
    if most is not None and queue.span is not None and queue.span > most:
        return (
            Severity.ERROR,
            say(
                "span {span:count} > consumeConcurrentlyMaxSpan {most:count}: the queue is not pulled",
                span=queue.span,
                most=most,
            ),
        )
    finished = queue.finished_beyond_head
    if finished is not None and finished >= finished_warning:
        return Severity.WARNING, say(
            "{finished:count} later offsets are finished and not committed", finished=finished
        )
    return None, ""


def _draft(queue: QueueFacts, age: int, severity: Severity, reason: str) -> Draft:
    finished = queue.finished_beyond_head
    name = say(
        "{topic} queue {queue_id} on {broker}", topic=queue.topic, queue_id=queue.queue_id, broker=queue.broker
    )
    head = (
        say("The head")
        if queue.min_offset is None
        else say("Offset {min_offset:count}", min_offset=queue.min_offset)
    )
    message = (
        "" if queue.head_msg_id is None else say(" (message id {head_msg_id})", head_msg_id=queue.head_msg_id)
    )
    again = (
        ()
        if not finished
        else (
            say(
                (
                    "If the process restarts or the queue moves now, {finished:count} finished messages are"
                    " delivered again (messages that a tag filter left out count too)."
                ),
                finished=finished,
            ),
        )
    )
    return Draft(
        severity=severity,
        cause="stuck-message",
        confidence=Confidence.HIGH if severity is Severity.ERROR else Confidence.MEDIUM,
        confidence_reason=(
            say("start time of the message and offsets were read from the queue")
            if severity is Severity.ERROR
            else say("a slow listener looks the same until consumeTimeout")
        ),
        title=say(
            "{head} of {name} is in the listener for {age:ms} and holds back the commit",
            head=head,
            name=name,
            age=age,
        ),
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
        },
        explanation=(
            say(
                (
                    "The message at offset {min_offset}{message} began {age:ms} before the dump and is not"
                    " done; the queue holds offsets {min_offset} to {max_offset}, span {span}; {reason}."
                ),
                min_offset=queue.min_offset,
                message=message,
                age=age,
                max_offset=queue.max_offset,
                span=queue.span,
                reason=reason,
            ),
            *again,
        ),
        remedy=(
            say(
                "Look at what the listener does with this message: `mqdiag stacks` on a few thread dumps, or"
                " `mqdiag heap --threads` on this dump, names the frame. Give that call a timeout."
            ),
            say("Do not restart before the listener is idempotent or the message is dealt with.")
            if finished
            else say(
                "Set consumeTimeout (minutes) so that a stuck message is sent back and the offset moves on."
            ),
            say(
                "consumeTimeout sends the head back to the broker when it expires and lets the offset move on; the"
                " thread stays stuck until its call returns."
            ),
        ),
    )
