"""Pools whose threads are all at work while messages move; shared by two rules."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import StacksFacts
from mqdiag.facts.stacks import WorkerPool
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.language import say
from mqdiag.rules.registry import Draft
from mqdiag.rules.stacks._standstill import plain
from mqdiag.rules.wording import percent

BUSY = WorkerPool(
    role="consume-worker",
    pool="ConsumeMessageThread_CID",
    group="CID",
    threads=tuple(f"ConsumeMessageThread_CID_{number}" for number in range(1, 21)),
    progressing=20,
    busy=(20, 20, 19, 20, 20),
    shared_frame="com.acme.orders.InventoryClient.reserve(InventoryClient.java:48)",
    shared_doing="socket-read",
    shared_share=0.97,
)


def busy_pools(stacks: StacksFacts, share: float) -> Iterator[WorkerPool]:
    """Consume pools with at least this share of threads in the listener in every sample, and moving."""
    if not stacks.judged or stacks.samples < 2:
        return
    for pool in stacks.pools:
        size = len(pool.threads)
        if pool.role != "consume-worker" or not size or not pool.busy:
            continue
        if min(pool.busy) >= share * size and pool.progressing >= share * size:
            yield pool


def pool_draft(
    pool: WorkerPool, *, severity: Severity, cause: str, title: str, remedy: tuple[str, ...]
) -> Draft:
    """A finding on a busy pool."""
    lines = [
        say(
            "Threads in the listener, by sample: {busy} of {threads}.",
            busy=", ".join(map(str, pool.busy)),
            threads=len(pool.threads),
        )
    ]
    if pool.shared_frame:
        lines.append(
            say(
                "{shared_share} of the looks found them at {shared_frame}, in {shared_doing}.",
                shared_share=percent(pool.shared_share),
                shared_frame=plain(pool.shared_frame),
                shared_doing=pool.shared_doing,
            )
        )
    if pool.shared_doing == "sleep":
        lines.append(
            say(
                "They sleep there: without the sleep the same threads would do more, or it is a"
                " retry's back-off."
            )
        )
    lines.append(
        say(
            "If the consumer offset does not move all the same, the listener tries one message"
            " again and again: compare mqadmin consumerProgress over a minute."
        )
    )
    return Draft(
        severity=severity,
        cause=cause,
        confidence=Confidence.HIGH if len(pool.busy) >= 3 else Confidence.MEDIUM,
        confidence_reason="" if len(pool.busy) >= 3 else say("two samples only"),
        title=title,
        subject=Subject(group=pool.group, thread=None if pool.group else pool.pool),
        evidence={
            "threads": pool.threads,
            "frame": pool.shared_frame,
            "samples": len(pool.busy),
            "busy": pool.busy,
            "shared_share": pool.shared_share,
            "doing": pool.shared_doing,
        },
        explanation=tuple(lines),
        remedy=remedy,
        weight=float(len(pool.threads)),
    )
