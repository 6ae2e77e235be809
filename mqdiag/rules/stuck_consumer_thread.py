"""A consume thread has worked on one message for too long, seen in one dump."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.bounds import whole
from mqdiag.facts.heap_threads import HeapThread, ListenerCall, MessageInHand
from mqdiag.findings import Subject
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.peers import counted, lines
from mqdiag.rules.shared.peers import evidence as peer_evidence

UNKNOWN_CAUSE = "stuck-listener"
HELD = frozenset({"stuck-holder", "pool-too-small"})
"""waits that a thread of the same JVM has to end"""
BEHIND = 1000.0
"""by how much lighter such a wait is than its root, which may be in one thread only"""
WAITS_FOR_THREADS = frozenset({"future", "join", "latch", "park", "condition"})
"""waits that a virtual thread may have to end"""

RULE = Rule("stuck-consumer-thread")


@RULE.ages
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for the threads of a group that are at the same place."""
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
        yield _said(heap, threads, behind=behind)
    if undated:
        yield RULE.skip("undated", threads=len(undated), received_ms=max(undated))
    if within_limit:
        yield RULE.margin("longest", max(within_limit), limits["age_ms"])


def _said(heap: HeapFacts, threads: list[HeapThread], *, behind: bool) -> Draft:
    first = threads[0]
    message, call, age, virtual = first.message, first.call, _age(first), heap.virtual_threads
    assert message is not None
    peers = counted(threads)
    timeout, place = _timeout_ms(heap, message.group), _has_place(message)
    one = RULE.word(
        ("at_offset" if call is None else "at_offset_in")
        if place
        else ("of_topic" if call is None else "of_topic_in")
    )
    return RULE.case(
        "over-consume-timeout" if timeout is not None and age >= timeout else "over-a-minute",
        first,
        message,
        call,
        subject=_subject(threads, message, call),
        evidence={
            "thread": first.name,
            "threads": tuple(one.name for one in threads),
            "more_threads": len(threads) - 1,
            "queue_id": message.queue_id if place else None,
            "min_offset": message.offset,
            "consume_timeout_ms": timeout,
            "frame": _frame(call),
            "method": _method(call),
            "top_frame": next(iter(first.frames), None),
            "wait": None if call is None else call.doing,
            **peer_evidence(peers),
        },
        words={
            "one": one,
            "start_known": message.received_age_ms is None,
            "own_frame": None if call is None else call.frame,
            "limit": RULE.word("no_limit" if timeout is None else "limit"),
            "behind": behind,
            "peer_known": bool(peers) or call is None or call.doing != "socket-read",
            "remedy_known": call is not None and bool(call.remedy),
            "waits_for_virtual": (
                call is not None
                and call.doing in WAITS_FOR_THREADS
                and virtual is not None
                and virtual.without_stack > 0
            ),
        },
        given={"one": (one,), "peers": lines(peers), "remedy": () if call is None else call.remedy},
        cause=_cause(call),
        weight=len(threads) / (BEHIND if behind else 1.0),
        age_ms=age,
    )


def _cause(call: ListenerCall | None) -> str:
    return call.cause if call is not None and call.cause in RULE.texts.all_causes else UNKNOWN_CAUSE


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


def _has_place(message: MessageInHand) -> bool:
    """Whether its queue id and offset name one message: a queue of POP or gRPC stands for all queues of a broker."""
    return message.queue_id is None or message.queue_id >= 0


def _subject(threads: list[HeapThread], message: MessageInHand, call: ListenerCall | None) -> Subject:
    """The queue only where all threads work on the same."""
    queues = {
        (one.queue_topic, one.broker, one.queue_id if _has_place(one) else None)
        for thread in threads
        if (one := thread.message) is not None
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
