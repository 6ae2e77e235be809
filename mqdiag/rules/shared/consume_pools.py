"""Pools of consume threads that are not stuck: who owns one, and whether all of its threads are at work."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import StacksFacts
from mqdiag.facts.stacks import WorkerPool
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft
from mqdiag.rules.shared.standstill import short_frame
from mqdiag.text import NOTHING, Text, say

MOVING_SHARE = 0.5
"""share of the threads that must be seen to move"""
SAME_FRAME_SHARE = 0.9
"""share of the samples at one frame from which frames prove nothing about progress"""
SURE_SAMPLES = 3
LOCKS = ("lock", "monitor")
"""what threads do that wait for each other"""
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
"""for the examples of rules"""


def pool_subject(pool: WorkerPool) -> Subject:
    """The group, or the pool where there is none."""
    return Subject(group=pool.group, thread=None if pool.group else pool.pool)


def busy_pools(stacks: StacksFacts, share: float) -> Iterator[WorkerPool]:
    """Consume pools with at least this share of threads in the listener in every sample, and moving.

    Some threads may be undecided: calls that take as long as the series end in some of the threads only. Threads that
    move only because they give up waiting for a connection do no work.
    """
    failing = {waits.pool for waits in stacks.connection_waits}
    if not stacks.judged or stacks.samples < 2:
        return
    for pool in stacks.pools:
        size = len(pool.threads)
        if pool.role != "consume-worker" or not size or not pool.busy or pool.pool in failing:
            continue
        at_work = pool.progressing + pool.unknown
        if (
            min(pool.busy) >= share * size
            and at_work >= share * size
            and pool.progressing >= MOVING_SHARE * size
        ):
            yield pool


def remedy_of_wait(pool: WorkerPool) -> tuple[Text, ...]:
    """What helps where most samples found the threads in a wait that more threads cannot shorten; empty elsewhere."""
    frame = short_frame(pool.shared_frame)
    if pool.shared_doing in LOCKS:
        return (
            say(
                "Shorten what the holder of the lock at {frame} does, or use a finer lock. Do not add consume threads:"
                " more threads make the wait longer.",
                frame=frame,
            ),
        )
    if pool.shared_doing == "pool":
        return (
            say(
                "Make the pool that {frame} waits for larger, or hold what it gives for a shorter time. Do not add"
                " consume threads before: more threads wait longer for the same pool.",
                frame=frame,
            ),
        )
    if pool.shared_pause is not None:
        return (
            say(
                "Raise the rate of {library} at {frame} if the downstream can take more: it makes the threads wait on"
                " purpose. More threads do not consume faster.",
                library=pool.shared_pause,
                frame=frame,
            ),
        )
    if pool.shared_doing == "sleep":
        return (
            say(
                "Find out why the listener sleeps at {frame}: remove the sleep, or bound the retry loop around it.",
                frame=frame,
            ),
        )
    return ()


def busy_pool_draft(
    pool: WorkerPool, *, severity: Severity, cause: str, title: Text, remedy: tuple[Text, ...]
) -> Draft:
    """A finding on a busy pool."""
    lines = [say("Threads in the listener, by sample: {busy} of {pool_size:count}.")]
    if pool.shared_frame:
        lines.append(
            say(
                "{shared_share:percent} of the samples found them at {frame} ({doing}).",
                frame=short_frame(pool.shared_frame),
                doing=Text(pool.shared_doing or ""),
            )
        )
    if pool.unknown:
        lines.append(
            say(
                "{undecided:count} more {undecided:thread may or may not move|threads may or may not move}: samples"
                " over a longer time would show it."
            )
        )
    if pool.shared_doing == "sleep" and pool.shared_pause is None:
        lines.append(
            say("They sleep there: without the sleep the same threads would do more, or a retry waits there.")
        )
    lines.append(
        say(
            "If the consumer offset still does not move, the listener retries one message again and again: compare"
            " mqadmin consumerProgress over a minute."
        )
    )
    doubt = _doubt(pool)
    return Draft(
        severity=severity,
        cause=cause,
        confidence=Confidence.MEDIUM if doubt else Confidence.HIGH,
        confidence_reason=doubt,
        title=title,
        subject=pool_subject(pool),
        evidence={
            "threads": pool.threads,
            "frame": pool.shared_frame,
            "samples": len(pool.busy),
            "busy": pool.busy,
            "pool_size": len(pool.threads),
            "moving": pool.progressing,
            "undecided": pool.unknown,
            "shared_share": pool.shared_share,
            "doing": pool.shared_doing,
        },
        explanation=tuple(lines),
        remedy=remedy,
        weight=float(len(pool.threads)),
    )


def _doubt(pool: WorkerPool) -> Text:
    """Why it is not sure that messages move; empty when it is."""
    if len(pool.busy) < SURE_SAMPLES:
        return say("two samples only")
    if pool.shared_share >= SAME_FRAME_SHARE and pool.shared_doing not in LOCKS:
        # a lock that moves was seen to change its owner
        return say("all samples show the same call; only the growing CPU time shows that the threads move")
    return NOTHING
