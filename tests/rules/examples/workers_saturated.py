from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.thread_pools import WorkerPool
from tests.rules.examples.consume_pools import BUSY


def fires() -> Facts:
    """20 of 20 workers in the listener in all samples, all moving."""
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, pools=(BUSY,)))


def silent() -> Facts:
    """Half of them idle."""
    half = WorkerPool(
        role=BUSY.role,
        pool=BUSY.pool,
        group=BUSY.group,
        threads=BUSY.threads,
        progressing=20,
        busy=(10, 9, 11, 10, 8),
    )
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, pools=(half,)))
