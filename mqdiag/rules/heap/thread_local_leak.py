"""Thread locals hold a large part of the heap."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.waste import ThreadLocals, ThreadLocalsOf, Waste
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.waste import LEAST_BYTES, example, reachable_share, waste_of
from mqdiag.text import say

SHOWN = 3


def _facts(retained: int) -> Facts:
    return example(
        Waste(
            thread_locals=ThreadLocals(
                entries=210,
                retained_bytes=retained,
                stale_entries=0,
                stale_bytes=0,
                threads=(
                    ThreadLocalsOf(
                        thread="ConsumeMessageThread_CID_wash_1",
                        object_id="0x7f",
                        entries=3,
                        retained_bytes=retained // 20,
                        largest_class="com.acme.ReportBuffer",
                    ),
                ),
                values=("com.acme.ReportBuffer: 90,000,000 bytes in 20",),
            )
        )
    )


def fires() -> Facts:
    """Buffers of worker threads hold a quarter of the heap."""
    return _facts(100_000_000)


def silent() -> Facts:
    """They hold a twentieth."""
    return _facts(20_000_000)


@rule(
    name="thread-local-leak",
    title="Thread locals hold a large part of the heap",
    why=(
        "Threads of a pool live as long as the JVM, and with them all that was put into a ThreadLocal and not"
        " removed: a buffer that grew once, the result of the last request, a whole session. When the ThreadLocal"
        " itself was dropped the value stays as well, and nobody can reach it any more."
    ),
    causes=("thread-locals-kept", "thread-locals-orphaned"),
    severities=(Severity.WARNING,),
    remedy=(
        "Call ThreadLocal.remove() in a finally block when the work is done.",
        "Keep ThreadLocals in static final fields: of one that is dropped the values stay in all threads.",
        "Bound buffers that are kept for reuse.",
    ),
    references=("java.lang.ThreadLocal.ThreadLocalMap",),
    needs=("heap",),
    limits={
        "share_warning": 0.1,
        "least_bytes": LEAST_BYTES,
        "orphaned_share": 0.05,
    },
    explained_by=("stuck-consumer-thread",),
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding: orphaned values if they are many, else all thread locals if they are large."""
    waste = waste_of(facts)
    if isinstance(waste, Skip):
        yield waste
        return
    found = waste.thread_locals
    if found is None:
        return
    orphaned = found.stale_bytes or 0
    orphaned_share, share = reachable_share(facts, orphaned), reachable_share(facts, found.retained_bytes)
    if orphaned >= limits["least_bytes"] and orphaned_share >= limits["orphaned_share"]:
        yield _draft(
            found,
            "thread-locals-orphaned",
            say(
                (
                    "Values of dropped ThreadLocals hold {orphaned:bytes}, {orphaned_share:percent} of the heap"
                    " in use"
                ),
                orphaned=orphaned,
                orphaned_share=orphaned_share,
            ),
            orphaned_share,
        )
    elif found.retained_bytes >= limits["least_bytes"] and share >= limits["share_warning"]:
        yield _draft(
            found,
            "thread-locals-kept",
            say(
                "Thread locals hold {retained_bytes:bytes}, {share:percent} of the heap in use",
                retained_bytes=found.retained_bytes,
                share=share,
            ),
            share,
        )


def _draft(found: ThreadLocals, cause: str, title: str, share: float) -> Draft:
    worst = found.threads[0] if found.threads else None
    return Draft(
        severity=Severity.WARNING,
        cause=cause,
        confidence=Confidence.HIGH,
        confidence_reason=say("retained sizes of all values in the maps of live threads"),
        title=title,
        subject=Subject(object_class=worst.largest_class if worst else None),
        evidence={
            "entries": found.entries,
            "retained_bytes": found.retained_bytes,
            "orphaned_entries": found.stale_entries,
            "orphaned_bytes": found.stale_bytes,
            "share": round(share, 4),
            "threads": tuple(each.thread for each in found.threads),
            "values": found.values,
        },
        explanation=(
            *(
                say(
                    "Thread {thread}: {retained_bytes:bytes} in {values}, the largest a {largest_class}.",
                    thread=each.thread,
                    retained_bytes=each.retained_bytes,
                    values=say("{number:count} {number:value|values}", number=each.entries),
                    largest_class=each.largest_class,
                )
                for each in found.threads[:SHOWN]
            ),
            *(
                (say("Values by class: {values}.", values="; ".join(found.values[:SHOWN])),)
                if found.values
                else ()
            ),
        ),
        remedy=(
            say("Find who sets values of this class and call ThreadLocal.remove() in a finally block."),
            say("Where a buffer is kept for reuse, drop it when it has grown beyond what is usual."),
        ),
        weight=share,
    )
