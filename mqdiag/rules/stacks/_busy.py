"""Pools whose threads are all at work while messages move; shared by two rules."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import StacksFacts
from mqdiag.facts.stacks import WorkerPool
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft
from mqdiag.rules.stacks._standstill import plain
from mqdiag.text import say

MOST = 0.5
"""share of the threads that must be seen to move"""
SAME_LOOKS = 0.9
"""share of the looks at one frame from which frames say nothing about progress"""
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
    """Consume pools with at least this share of threads in the listener in every sample, and moving.

    Some of them may be undecided: calls that take as long as the series end in a part of the threads only.
    """
    if not stacks.judged or stacks.samples < 2:
        return
    for pool in stacks.pools:
        size = len(pool.threads)
        if pool.role != "consume-worker" or not size or not pool.busy:
            continue
        at_work = pool.progressing + pool.unknown
        if min(pool.busy) >= share * size and at_work >= share * size and pool.progressing >= MOST * size:
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
                "{shared_share:percent} of the looks found them at {shared_frame}, in {shared_doing}.",
                shared_share=pool.shared_share,
                shared_frame=plain(pool.shared_frame),
                shared_doing=pool.shared_doing,
            )
        )
    if pool.unknown:
        lines.append(
            say(
                "Of {unknown} more it is open whether they move: samples over a longer time would tell.",
                unknown=pool.unknown,
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
    doubt = _doubt(pool)
    return Draft(
        severity=severity,
        cause=cause,
        confidence=Confidence.MEDIUM if doubt else Confidence.HIGH,
        confidence_reason=doubt,
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


def _doubt(pool: WorkerPool) -> str:
    """Why it is not sure that messages move; empty when it is."""
    if len(pool.busy) < 3:
        return say("two samples only")
    if pool.shared_share >= SAME_LOOKS and pool.shared_doing not in ("lock", "monitor"):
        # of a lock that moves it was seen that its owner changes
        return say("they were found at the same call again and again: only their CPU time says that they move")
    return ""
