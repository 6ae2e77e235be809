from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.thread_pools import WorkerPool

IDLE = WorkerPool(
    role="consume-worker",
    pool="ConsumeMessageThread_CID",
    group="CID",
    threads=tuple(f"ConsumeMessageThread_CID_{number}" for number in range(1, 21)),
    idle=20,
    busy=(0, 0, 0, 0, 0),
)


def fires() -> Facts:
    """20 of 20 workers wait in the pool's queue."""
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, pools=(IDLE,)))


def silent() -> Facts:
    """Half of them are at work."""
    half = WorkerPool(
        role=IDLE.role, pool=IDLE.pool, group="CID", threads=IDLE.threads, idle=10, progressing=10
    )
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, pools=(half,)))
