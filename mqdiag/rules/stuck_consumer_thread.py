"""A consume thread has worked on one message for too long, seen in one dump."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConsumerFacts, HeapThread, ListenerCall, MessageInHand
from mqdiag.findings import Confidence, EvidenceValue, Margin, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import Text, say, sentences

UNKNOWN_CAUSE = "stuck-listener"
HELD = frozenset({"stuck-holder", "pool-too-small"})
"""waits that a thread of the same JVM has to end"""
BEHIND = 1000.0
"""by how much lighter such a wait is than its root, which may be in one thread only"""
UNKNOWN_REMEDY = (
    say(
        "Take five thread dumps, a few seconds apart, and give them to `mqdiag stacks`. The frames name what the"
        " thread waits for."
    ),
    say("Give every call of the listener that leaves the process a timeout."),
)

WAITS_FOR_THREADS = frozenset({"future", "join", "latch", "park", "condition"})
"""waits that a virtual thread may have to end"""
VIRTUAL_REMEDY = say(
    "Take `jcmd PID Thread.dump_to_file -format=json FILE` and give it to `mqdiag stacks`: the thread may wait for a"
    " virtual thread, and neither jstack nor a heap dump of this JDK shows the stacks of those."
)

RULE = Rule(
    name="stuck-consumer-thread",
    title="A consume thread has worked on the same message for too long",
    why=(
        "A worker runs one call of the listener at a time, and nothing interrupts it. A call that never returns"
        " takes a thread out of the pool, and the offset of its queue does not move. The dump tells which thread"
        " works on which message, for how long, and in which frame."
    ),
    causes=(
        "missing-http-timeout",
        "slow-database",
        "slow-redis",
        "slow-rpc",
        "slow-remote",
        "missing-timeout",
        "pool-too-small",
        "stuck-holder",
        "sleep-in-listener",
        "busy-loop",
        "blocked-log-sink",
        UNKNOWN_CAUSE,
    ),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Give the call in that frame a timeout that is shorter than consumeTimeout.",
        "Take thread dumps, a few seconds apart: `mqdiag stacks` tells a stuck thread from a slow one.",
        "Make the listener idempotent: after consumeTimeout the message is delivered again.",
    ),
    references=(
        "java.util.concurrent.FutureTask.runner: the thread that runs a ConsumeRequest",
        "MessageConst.PROPERTY_CONSUME_START_TIMESTAMP: set just before the listener is called, since 3.5.3",
    ),
    same_as=(
        "stuck-socket-read",
        "stuck-wait",
        "lock-convoy",
        "deadlock",
        "connection-pool-exhausted",
        "cpu-bound-listener",
        "sleeping-listener",
    ),
    limits={"age_ms": 60_000},
)


def _facts(age_ms: int) -> Facts:
    frame = "com.acme.InventoryClient.reserve(InventoryClient.java:48)"
    thread = HeapThread(
        name="ConsumeMessageThread_CID_wash_7",
        role="consume-worker",
        state="RUNNABLE",
        message=MessageInHand(
            group="CID_wash",
            topic="segments",
            queue_topic="segments",
            broker="broker-a",
            queue_id=3,
            offset=2101,
            msg_id="7F0000010000",
            keys="order-77",
            age_ms=age_ms,
            batch=1,
        ),
        frames=("java.net.SocketInputStream.socketRead0(Native Method)", frame),
        call=ListenerCall(
            listener="com.acme.Wash.consumeMessage(Wash.java:20)",
            frame=frame,
            doing="socket-read",
            cause="missing-http-timeout",
            library="Apache HttpClient 4",
            remedy=(say("Set RequestConfig.setSocketTimeout."),),
        ),
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        consumers=(ConsumerFacts(group="CID_wash", kind="push", config={"consumeTimeout": 15}),),
        process_queues=1,
        threads=(thread,),
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """A thread has been in a socket read for sixteen minutes, and consumeTimeout is fifteen."""
    return _facts(16 * 60_000)


def silent() -> Facts:
    """It has been there for half a minute, which a listener may take."""
    return _facts(30_000)


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for the threads of a group that are at the same place."""
    heap = facts.heap
    assert heap is not None
    within_limit, undated = [], []
    places: dict[tuple[str | None, str, str | None], list[HeapThread]] = {}
    for thread in heap.threads:
        message = thread.message
        if message is None or (thread.frames and thread.call is None):
            continue  # the listener is done; a result that cannot be sent back is another fault
        if message.age_ms is None:
            if message.received_age_ms is not None and message.received_age_ms >= limits["age_ms"]:
                undated.append(message.received_age_ms)
            continue
        if message.age_ms < limits["age_ms"]:
            within_limit.append(message.age_ms)
            continue
        places.setdefault((message.group, _cause(thread.call), _method(thread.call)), []).append(thread)
    for (group, cause, _), threads in places.items():
        threads.sort(key=lambda one: (-_age(one), one.name))
        # a dump does not name the owner of a monitor; but if another thread hangs, who waits for a lock is no root
        behind = cause in HELD and any(
            other == group and root not in HELD and root != UNKNOWN_CAUSE for other, root, _ in places
        )
        yield _draft(heap, threads, behind=behind)
    if undated:
        yield Skip(
            reason=say(
                "the gRPC client does not note when a listener began; {threads:count}"
                " {threads:thread has|threads have} a message that was received up to {received_ms:ms} ago. Thread"
                " dumps, a few seconds apart, tell whether they hang: mqdiag stacks",
                threads=len(undated),
                received_ms=max(undated),
            )
        )
    if within_limit:
        yield Margin(
            rule="",
            label=say("the longest time that a thread has worked on one message"),
            value=max(within_limit),
            limit=limits["age_ms"],
            kind="ms",
        )


def _cause(call: ListenerCall | None) -> str:
    return call.cause if call is not None and call.cause in RULE.causes else UNKNOWN_CAUSE


def _frame(call: ListenerCall | None) -> str | None:
    """The application's own frame, or the listener's where there is none."""
    return None if call is None else call.frame or call.listener


def _method(call: ListenerCall | None) -> str | None:
    frame = _frame(call)
    return None if frame is None else frame.partition("(")[0]


def _age(thread: HeapThread) -> int:
    return 0 if thread.message is None else thread.message.age_ms or 0


def _timeout_ms(heap: HeapFacts, group: str | None) -> int | None:
    """The longest consumeTimeout of the group's consumers; None before 3.5.3, which has none."""
    known = [whole(one.config.get("consumeTimeout")) for one in heap.consumers if one.group == group]
    return max((60_000 * minutes for minutes in known if minutes is not None and minutes > 0), default=None)


def _draft(heap: HeapFacts, threads: list[HeapThread], *, behind: bool) -> Draft:
    first = threads[0]
    message, call, age = first.message, first.call, _age(first)
    assert message is not None
    timeout = _timeout_ms(heap, message.group)
    over = timeout is not None and age >= timeout
    return Draft(
        severity=Severity.ERROR if over else Severity.WARNING,
        cause=_cause(call),
        confidence=Confidence.HIGH if over else Confidence.MEDIUM,
        confidence_reason=(
            say("the running task links thread and message, and the age is the message's own start time")
            if over
            else say("{limit}, and in one dump a slow call looks the same", limit=_limit(timeout))
        ),
        title=_title(message, call, len(threads)),
        subject=_subject(threads, message, call),
        evidence=_evidence(threads, message, call, timeout),
        explanation=tuple(_explained(first, message, timeout, behind=behind)),
        remedy=tuple(_remedy(heap, call)),
        weight=len(threads) / (BEHIND if behind else 1.0),
        age_ms=age,
    )


def _remedy(heap: HeapFacts, call: ListenerCall | None) -> Iterator[Text]:
    virtual = heap.virtual_threads
    if call is not None and call.doing in WAITS_FOR_THREADS and virtual is not None and virtual.without_stack:
        yield VIRTUAL_REMEDY
    yield from call.remedy if call is not None and call.remedy else UNKNOWN_REMEDY


def _subject(threads: list[HeapThread], message: MessageInHand, call: ListenerCall | None) -> Subject:
    """The queue only where all threads work on the same."""
    queues = {
        (one.message.queue_topic, one.message.broker, _queue_id(one.message)) for one in threads if one.message
    }
    topic, broker, queue_id = queues.pop() if len(queues) == 1 else (None, None, None)
    method = _method(call)
    return Subject(
        group=message.group,
        topic=topic,
        broker=broker,
        queue_id=queue_id,
        object_class=None if method is None else method.rpartition(".")[0],
    )


def _evidence(
    threads: list[HeapThread], message: MessageInHand, call: ListenerCall | None, timeout: int | None
) -> dict[str, EvidenceValue]:
    first = threads[0]
    return {
        "thread": first.name,
        "awaits": first.awaits,
        "threads": tuple(one.name for one in threads),
        "more_threads": len(threads) - 1,
        "state": first.state,
        "topic": message.topic,
        "broker": message.broker,
        "queue_id": _queue_id(message),
        "min_offset": message.offset,
        "offset": message.offset,
        "msg_id": message.msg_id,
        "keys": message.keys,
        "age_ms": _age(first),
        "consume_timeout_ms": timeout,
        "batch": message.batch,
        "frame": _frame(call),
        "method": _method(call),
        "top_frame": next(iter(first.frames), None),
        "listener": None if call is None else call.listener,
        "wait": None if call is None else call.doing,
        "library": None if call is None else call.library,
    }


def _title(message: MessageInHand, call: ListenerCall | None, threads: int) -> Text:
    title = _at_offset(call) if _has_place(message) else _of_topic(call)
    if threads == 1:
        return title
    return say(
        "{one}, and {more_threads:count} {more_threads:more thread is|more threads are} at the same place",
        one=title,
    )


def _queue_id(message: MessageInHand) -> int | None:
    """The number of the message's queue; None where the queue stands for all queues of a broker."""
    return message.queue_id if _has_place(message) else None


def _has_place(message: MessageInHand) -> bool:
    """Whether its queue id and offset name one message: a queue of POP or gRPC stands for all queues of a broker."""
    return message.queue_id is None or message.queue_id >= 0


def _at_offset(call: ListenerCall | None) -> Text:
    if call is None:
        return say("{thread} has worked on offset {offset:count} of {topic} for {age_ms:ms}")
    return say("{thread} has worked on offset {offset:count} of {topic} for {age_ms:ms}, in {method}")


def _of_topic(call: ListenerCall | None) -> Text:
    if call is None:
        return say("{thread} has worked on a message of {topic} for {age_ms:ms}")
    return say("{thread} has worked on a message of {topic} for {age_ms:ms}, in {method}")


def _limit(timeout_ms: int | None) -> Text:
    if timeout_ms is None:
        return say("the consumer has no consumeTimeout")
    return say("consumeTimeout is {consume_timeout_ms:ms}")


def _explained(
    thread: HeapThread, message: MessageInHand, timeout_ms: int | None, *, behind: bool
) -> Iterator[Text]:
    yield sentences(
        say("The thread had worked on this message for {age_ms:ms} when the dump was taken.")
        if message.received_age_ms is None
        else say(
            "The thread had worked on this message for {age_ms:ms} or longer when the dump was taken: for that time"
            " the cache of the consumer was full, and no message of it was finished."
        ),
        _place(message),
        say("The consumer has no consumeTimeout.")
        if timeout_ms is None
        else say("consumeTimeout is {consume_timeout_ms:ms}."),
    )
    yield _by_frames(thread)
    if behind:
        yield say(
            "Another thread of the group hangs in a call of its own. It may hold what this thread waits for."
        )


def _place(message: MessageInHand) -> Text:
    if not _has_place(message):
        return say("The message came from {broker}; its id is {msg_id}.")
    if message.keys:
        return say(
            "The message is at offset {offset:count} of queue {queue_id} on {broker}; its id is {msg_id} and its keys"
            " are {keys}."
        )
    return say("The message is at offset {offset:count} of queue {queue_id} on {broker}; its id is {msg_id}.")


def _by_frames(thread: HeapThread) -> Text:
    call = thread.call
    if call is None:
        return say("The dump holds no stack of the thread, so its frame is not known.")
    return sentences(
        say("The call runs in {awaits}, a virtual thread, and the worker waits for it.")
        if thread.awaits
        else None,
        say("The thread's state is {state}, and its top frame is {top_frame}.")
        if thread.frames
        else say("The thread's state is {state}."),
        say("It got there through {library}.") if call.library else None,
        say("The application's own frame is {frame}.") if call.frame else None,
    )
