"""Threads wait for a future, latch, queue or lock of their own that does not come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from mqdiag.facts import Facts, HeapFacts, StacksFacts
from mqdiag.facts.stacks import Standstill
from mqdiag.findings import Severity
from mqdiag.knowledge.remedies import remedy
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.standstill import LIMITS, draft, example, short_frame, who
from mqdiag.text import Text, say

(_DUMP_VIRTUAL_THREADS,) = remedy("dump_virtual_threads")
VIRTUAL_HELPERS = ("VirtualThread-", "Read-Poller", "MasterPoller", "Master-Poller")
"""beginnings of the names of threads that the JDK starts for virtual threads that sleep, block or wait for a socket"""

RULE = Rule(
    name="stuck-wait",
    title="Threads wait without a timeout for something that does not come",
    why=(
        "get(), join(), await() and take() without a timeout never return when the other side died, was never"
        " started or waits itself. An idle thread waits too, but in its pool's queue and not in the listener."
    ),
    causes=("missing-timeout", "blocked-log-sink", "pool-starved"),
    severities=(Severity.ERROR, Severity.WARNING, Severity.INFO),
    remedy=(
        "Use the variant of the call that takes a timeout, and treat a timeout as a failure of the message.",
        "Look at the side that has to answer: often a pool in the same dump.",
    ),
    references=(
        "java.util.concurrent.Future.get(long, TimeUnit)",
        "ThreadPoolExecutor.getTask is the mark of an idle worker, in every JDK",
    ),
    limits=LIMITS,
    in_chain=say("threads wait for an answer that does not come"),
    explained_by=("stuck-socket-read", "deadlock", "connection-pool-exhausted", "stuck-wait:pool-starved"),
)


WAIT = Standstill(
    kind="wait",
    cause="missing-timeout",
    threads=("ConsumeMessageThread_CID_1",),
    role="consume-worker",
    pool="ConsumeMessageThread_CID",
    pool_size=20,
    group="CID",
    frame="com.acme.orders.OrderListener.await(OrderListener.java:31)",
    listener="com.acme.orders.OrderListener.consumeMessage(OrderListener.java:19)",
    wait="jdk.internal.misc.Unsafe.park",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=0.0,
    confidence="high",
    remedy=(say("Use Future.get(timeout, unit)."),),
)


def fires() -> Facts:
    """A worker in CompletableFuture.join in five samples."""
    return example(WAIT)


def silent() -> Facts:
    """A sleep is no wait for another thread."""
    return example(Standstill(kind="sleep", cause="sleep-in-listener", threads=WAIT.threads, role=WAIT.role))


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each pool and cause; where the samples do not tell a wait that ends, a note that undecides."""
    stacks = facts.stacks
    assert stacks is not None
    for still in stacks.standstills:
        if still.kind != "wait" or still.role == "client-callback":
            continue
        if not still.decided:
            yield _undecided(still, limits)
            continue
        more: tuple[Text, ...] = ()
        if still.holder_pool:
            more = (
                say(
                    "The answer has to come from pool {holder_pool}: {holder} is in {holder_does}.",
                    holder_pool=still.holder_pool,
                ),
            )
        if still.cause == "pool-starved":
            more = (
                say(
                    "The tasks that they wait for are queued in a pool whose threads all wait for such tasks"
                    " themselves, so no thread is free to run them."
                ),
            )
        made = draft(still, limits, title=_title(still), more=more)
        call = _call_in_virtual_thread(facts.heap, still)
        if call is not None and still.frame:
            made = msgspec.structs.replace(
                made,
                explanation=(made.explanation[0], say("The waiting code is {frame}."), call.shown),
                remedy=call.remedy or made.remedy,
            )
        elif (
            still.holder is None
            and still.library is None
            and _DUMP_VIRTUAL_THREADS not in made.remedy
            and _leave_out_virtual_threads(stacks)
        ):
            made = msgspec.structs.replace(made, remedy=(_DUMP_VIRTUAL_THREADS, *made.remedy))
        yield made


def _undecided(still: Standstill, limits: Limits) -> Draft:
    title = say(
        "{who} {thread_count:waits|wait} for room in a queue at {frame} in all samples: a slow reader, or none",
        who=who(still),
        frame=short_frame(still.frame),
    )
    return msgspec.structs.replace(draft(still, limits, title=title, worst=Severity.INFO), undecides=True)


class _Call(NamedTuple):
    shown: Text
    remedy: tuple[Text, ...]


def _call_in_virtual_thread(heap: HeapFacts | None, still: Standstill) -> _Call | None:
    """What a heap dump shows of the virtual thread for which the first of the threads waits that it knows."""
    for thread in () if heap is None else heap.threads:
        if thread.awaits and thread.call is not None and thread.name in still.threads:
            shown = say(
                "The heap dump shows what it waits for: {awaits} is in {call}.",
                awaits=thread.awaits,
                call=thread.call.frame,
            )
            return _Call(shown, thread.call.remedy)
    return None


def _leave_out_virtual_threads(stacks: StacksFacts) -> bool:
    """The JVM has virtual threads, and the samples show none, as those of jstack."""
    roles = {thread.role for thread in stacks.threads}
    helpers = any(thread.name.startswith(VIRTUAL_HELPERS) for thread in stacks.threads)
    return "virtual" not in roles and ("virtual-carrier" in roles or helpers)


def _title(still: Standstill) -> Text:
    subject, frame = who(still), short_frame(still.frame)
    if still.cause == "blocked-log-sink":
        return say("{who} {thread_count:hangs|hang} in writing a log line at {frame}", who=subject, frame=frame)
    if still.cause == "pool-starved":
        return say(
            "{who} {thread_count:waits|wait} for tasks that no thread runs, at {frame}",
            who=subject,
            frame=frame,
        )
    if still.library:
        return say(
            "{who} {thread_count:waits|wait} for an answer of {library} that does not come, at {frame}",
            who=subject,
            frame=frame,
        )
    return say(
        "{who} {thread_count:waits|wait} for an answer that does not come, at {frame}", who=subject, frame=frame
    )
