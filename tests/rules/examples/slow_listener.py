from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.thread_pools import WorkerPool
from tests.rules.examples.consume_pools import BUSY


def fires() -> Facts:
    """All workers at the same frame in nearly all looks, and moving."""
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, pools=(BUSY,)))


def silent() -> Facts:
    """All workers stuck: no pace at all."""
    stuck = WorkerPool(
        role=BUSY.role, pool=BUSY.pool, group=BUSY.group, threads=BUSY.threads, stuck=20, busy=BUSY.busy
    )
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, pools=(stuck,)))
