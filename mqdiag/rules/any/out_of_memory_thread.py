"""The thread that ran into the OutOfMemoryError when the dump was written."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import HeapThread
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.any._out_of_memory_thread_logs import in_logs
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.text import say

OWN_FRAMES = ("java.lang.OutOfMemoryError.<init>",)


def _facts(hit: bool) -> Facts:
    thread = HeapThread(
        name="NettyClientPublicExecutor_1",
        role="pull-callback",
        hit_out_of_memory=hit,
        frames=(
            "java.lang.OutOfMemoryError.<init>(OutOfMemoryError.java:48)",
            "org.apache.rocketmq.common.message.MessageDecoder.decode(MessageDecoder.java:320)",
        )[0 if hit else 1 :],
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        threads=(thread,),
        out_of_memory=hit,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """The pull callback failed while it decoded messages."""
    return _facts(True)


def silent() -> Facts:
    """The same thread in a dump that was asked for."""
    return _facts(False)


@rule(
    name="out-of-memory-thread",
    title="This thread hit the OutOfMemoryError",
    why=(
        "The JVM puts the constructor of the error on the stack of the thread whose allocation failed. It names"
        " what was being allocated; the memory itself is held by others, so this is a place to look, not the"
        " cause. In RocketMQ clients up to 5.3.2 an error in a pull callback can end the pulling of a queue."
    ),
    causes=("out-of-memory",),
    severities=(Severity.INFO,),
    remedy=("Read the findings about who holds the heap; restart the process, as its threads may have died.",),
    references=("-XX:+HeapDumpOnOutOfMemoryError", "https://github.com/apache/rocketmq/pull/9278"),
    any_of=("heap", "logs"),
    of_process=True,
    explained_by=("consumer-cache-exceeds-heap", "messages-outside-queues", "heap-held-by-application"),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each such thread of a heap, mostly it is one; and one for what the logs say."""
    for thread in facts.heap.threads if facts.heap is not None else ():
        if thread.hit_out_of_memory:
            yield _draft(thread)
    yield from in_logs(facts)


def _draft(thread: HeapThread) -> Draft:
    frames = tuple(frame for frame in thread.frames if not frame.startswith(OWN_FRAMES))
    at = say(" in {frames}", frames=frames[0]) if frames else ""
    return Draft(
        severity=Severity.INFO,
        cause="out-of-memory",
        confidence=Confidence.HIGH,
        confidence_reason=say("OutOfMemoryError.<init> is the first frame of the thread"),
        title=say("Thread {name} hit the OutOfMemoryError{at}", name=thread.name, at=at),
        subject=Subject(thread=thread.name),
        evidence={"thread": thread.name, "frame": frames[0] if frames else None, "frames": frames[:20]},
        explanation=(
            say(
                "Its allocation failed because the heap was full; it need not be the thread that filled it, and the"
                " log may name another one."
            ),
        ),
        remedy=(
            say("Look at the findings about who holds the heap for the cause."),
            say("Restart the process: after an OutOfMemoryError a pull loop or a worker may be gone for good."),
        ),
    )
