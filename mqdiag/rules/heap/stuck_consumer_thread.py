"""A worker has had one message in hand for too long, seen in one dump."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap import ConsumerFacts, HeapThread, ListenerCall, MessageInHand
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say

UNKNOWN_CAUSE = "stuck-listener"
HELD = frozenset({"stuck-holder", "pool-too-small"})
"""waits that a thread of the same JVM has to end"""
BEHIND = 1000.0
"""by how much lighter such a wait is than its root, which may be in one thread only"""
UNKNOWN_REMEDY = (
    say(
        "Take five thread dumps a few seconds apart and give them to `mqdiag stacks`: the"
        " frames name what it waits for."
    ),
    say("Give every call of the listener that leaves the process a timeout."),
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
            remedy=("Set RequestConfig.setSocketTimeout.",),
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
    """Sixteen minutes in a socket read, consumeTimeout is fifteen."""
    return _facts(16 * 60_000)


def silent() -> Facts:
    """Half a minute: a listener may take that long."""
    return _facts(30_000)


@rule(
    name="stuck-consumer-thread",
    title="A consume thread has had the same message in hand for too long",
    why=(
        "A worker serves one call of the listener at a time and no one interrupts it: a call that waits for ever"
        " takes a thread out of the pool and keeps the offset of its queue where it is. The dump tells which"
        " thread has which message, since when, and in which frame."
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
        "Give the call that the frame names a timeout, shorter than consumeTimeout.",
        "Take thread dumps a few seconds apart: `mqdiag stacks` tells a standstill from slow work.",
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
    needs=("heap",),
    limits={"age_ms": 60_000},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for the threads of a group that are at the same place."""
    heap = facts.heap
    assert heap is not None
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    places: dict[tuple[str | None, str, str | None], list[HeapThread]] = {}
    for thread in heap.threads:
        message = thread.message
        if message is None or message.age_ms is None or message.age_ms < limits["age_ms"]:
            continue
        if thread.frames and thread.call is None:
            continue  # the listener is done; a result that cannot be sent back is another fault
        method = None if thread.call is None else (thread.call.frame or thread.call.listener).partition("(")[0]
        places.setdefault((message.group, _cause(thread.call), method), []).append(thread)
    for (group, cause, _), threads in places.items():
        threads.sort(key=lambda one: (-_age(one), one.name))
        # a dump names no owner of a monitor, but who waits to be let in is not the root where somebody else hangs
        behind = cause in HELD and any(
            other == group and root not in HELD and root != UNKNOWN_CAUSE for other, root, _ in places
        )
        yield _draft(heap, threads, behind=behind)


def _cause(call: ListenerCall | None) -> str:
    return call.cause if call is not None and call.cause in check.card.causes else UNKNOWN_CAUSE


def _age(thread: HeapThread) -> int:
    return 0 if thread.message is None else thread.message.age_ms or 0


def _timeout_ms(heap: HeapFacts, group: str | None) -> int | None:
    """The longest consumeTimeout of the group's consumers; None before 3.5.3, which has none."""
    consumers: list[ConsumerFacts] = [one for one in heap.consumers if one.group == group]
    known = [whole(one.config.get("consumeTimeout")) for one in consumers]
    return max((60_000 * minutes for minutes in known if minutes is not None and minutes > 0), default=None)


def _draft(heap: HeapFacts, threads: list[HeapThread], *, behind: bool) -> Draft:
    first = threads[0]
    message, call, age = first.message, first.call, _age(first)
    assert message is not None
    timeout = _timeout_ms(heap, message.group)
    over = timeout is not None and age >= timeout
    frame = None if call is None else call.frame or call.listener
    at = "" if frame is None else say(" in {frame}", frame=frame.partition("(")[0])
    others = (
        ""
        if len(threads) == 1
        else say(
            " and {threads} at the same place",
            threads=say("{number:count} {number:more thread|more threads}", number=len(threads) - 1),
        )
    )
    limit = (
        say("the consumer has no consumeTimeout")
        if timeout is None
        else say("consumeTimeout is {timeout:ms}", timeout=timeout)
    )
    places = {
        (one.message.queue_topic, one.message.broker, one.message.queue_id) for one in threads if one.message
    }
    topic, broker, queue_id = places.pop() if len(places) == 1 else (None, None, None)
    return Draft(
        severity=Severity.ERROR if over else Severity.WARNING,
        cause=_cause(call),
        confidence=Confidence.HIGH if over else Confidence.MEDIUM,
        confidence_reason=(
            say("thread and message are tied by the running task, the age is the message's own start time")
            if over
            else say("{limit}: a slow call looks the same in one dump", limit=limit)
        ),
        title=(
            say(
                "{name} has had offset {offset} of {topic} in hand for {age:ms}{at}{others}",
                name=first.name,
                offset=_or_unknown(message.offset),
                topic=_or_unknown(message.topic),
                age=age,
                at=at,
                others=others,
            )
        ),
        subject=Subject(
            group=message.group,
            topic=topic,
            broker=broker,
            queue_id=queue_id,
            object_class=None if frame is None else frame.partition("(")[0].rpartition(".")[0],
        ),
        evidence={
            "thread": first.name,
            "threads": tuple(one.name for one in threads),
            "state": first.state,
            "topic": message.topic,
            "broker": message.broker,
            "queue_id": message.queue_id,
            "min_offset": message.offset,
            "offset": message.offset,
            "msg_id": message.msg_id,
            "keys": message.keys,
            "age_ms": age,
            "consume_timeout_ms": timeout,
            "batch": message.batch,
            "frame": frame,
            "listener": None if call is None else call.listener,
            "wait": None if call is None else call.doing,
            "library": None if call is None else call.library,
        },
        explanation=(
            say(
                (
                    "Since {age:ms} before the dump it works on queue {queue_id} at {broker}, offset {offset},"
                    " message id {msg_id}{keys}; {limit}."
                ),
                age=age,
                queue_id=_or_unknown(message.queue_id),
                broker=_or_unknown(message.broker),
                offset=_or_unknown(message.offset),
                msg_id=_or_unknown(message.msg_id),
                keys=say(", keys {keys}", keys=message.keys) if message.keys else "",
                limit=limit,
            ),
            *_by_frames(first),
            *(
                (
                    say(
                        "Another thread of the group hangs in a call of its own: it may hold what is waited for here."
                    ),
                )
                if behind
                else ()
            ),
        ),
        remedy=(call.remedy if call is not None and call.remedy else UNKNOWN_REMEDY),
        weight=len(threads) / (BEHIND if behind else 1.0),
    )


def _by_frames(thread: HeapThread) -> tuple[str, ...]:
    if thread.call is None:
        return (say("The dump holds no stack of the thread, so the frame is not known."),)
    top = say("Top frame {frames}", frames=thread.frames[0]) if thread.frames else "It"
    library = say(", through {library}", library=thread.call.library) if thread.call.library else ""
    own = say("; the application's own frame is {frame}", frame=thread.call.frame) if thread.call.frame else ""
    return (
        say(
            "{top}, state {state}{library}{own}.",
            top=top,
            state=_or_unknown(thread.state),
            library=library,
            own=own,
        ),
    )


def _or_unknown(value: str | int | None) -> str:
    return say("unknown") if value is None else f"{value:,}" if isinstance(value, int) else value
