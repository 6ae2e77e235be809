"""Thread locals hold a large part of the heap."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.waste import ThreadLocals, ThreadLocalsOf, Waste
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said, Skip
from mqdiag.rules.shared.waste import LEAST_BYTES, example, reachable_share, waste_of
from mqdiag.text import Text, say

MOST_SHOWN = 3
"""threads and classes that the explanation names"""

RULE = Rule(
    name="thread-local-leak",
    title="Thread locals hold a large part of the heap",
    why=(
        "Threads of a pool live as long as the JVM. So does every value that was put into a ThreadLocal and not"
        " removed: a buffer that grew once, the result of the last request, a whole session. If the application drops"
        " the ThreadLocal itself, the value stays too, and nothing can reach it any more."
    ),
    causes=("thread-locals-kept", "thread-locals-orphaned"),
    severities=(Severity.WARNING,),
    remedy=(
        "Call ThreadLocal.remove() in a finally block when the work is done.",
        "Keep each ThreadLocal in a static final field: if one is dropped, its values stay in all threads.",
        "Limit the size of buffers that are kept for reuse.",
    ),
    references=("java.lang.ThreadLocal.ThreadLocalMap",),
    limits={
        "share_warning": 0.1,
        "least_bytes": LEAST_BYTES,
        "orphaned_share": 0.05,
    },
    explained_by=("stuck-consumer-thread",),
)


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


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
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
        title = say(
            "Values of dropped ThreadLocals hold {orphaned_bytes:bytes}, {share:percent} of the heap in use"
        )
        yield _draft(found, "thread-locals-orphaned", title, orphaned_share)
    elif found.retained_bytes >= limits["least_bytes"] and share >= limits["share_warning"]:
        title = say("Thread locals hold {retained_bytes:bytes}, {share:percent} of the heap in use")
        yield _draft(found, "thread-locals-kept", title, share)


def _draft(found: ThreadLocals, cause: str, title: Text, share: float) -> Draft:
    worst = found.threads[0] if found.threads else None
    return Draft(
        severity=Severity.WARNING,
        cause=cause,
        confidence=Confidence.HIGH,
        confidence_reason=say("the retained sizes of all values in the maps of live threads were computed"),
        title=title,
        subject=Subject(object_class=worst.largest_class if worst else None),
        evidence={
            "entries": found.entries,
            "retained_bytes": found.retained_bytes,
            "orphaned_entries": found.stale_entries,
            "orphaned_bytes": found.stale_bytes,
            "share": round(share, 4),
            "threads": tuple(each.thread for each in found.threads),
            "entries_by_thread": tuple(each.entries for each in found.threads),
            "retained_bytes_by_thread": tuple(each.retained_bytes for each in found.threads),
            "values": found.values,
        },
        explanation=tuple(_explained(found)),
        remedy=(
            say(
                "Find the code that sets values of this class, and call ThreadLocal.remove() in a finally block."
            ),
            say("If a buffer is kept for reuse, drop it when it has grown beyond the usual size."),
        ),
        weight=share,
    )


def _explained(found: ThreadLocals) -> Iterator[Text]:
    for each in found.threads[:MOST_SHOWN]:
        yield say(
            "Thread {thread} holds {held_bytes:bytes} in {held:count} {held:value|values}; the largest value is of"
            " class {largest_class}.",
            thread=each.thread,
            held_bytes=each.retained_bytes,
            held=each.entries,
            largest_class=each.largest_class,
        )
    if found.values:
        yield say("Values by class: {shown}.", shown="; ".join(found.values[:MOST_SHOWN]))
