from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import CollectorLoad
from tests.rules.examples.consume_pools import BUSY


def _facts(cpu_ms: float) -> Facts:
    load = CollectorLoad(thread="GC Thread#0", collector_cpu_ms=cpu_ms, others_cpu_ms=9_000.0, seconds=10.0)
    return Facts(
        stacks=StacksFacts(samples=5, seconds=10.0, judged=True, has_cpu=True, pools=(BUSY,), collector=load)
    )


def fires() -> Facts:
    """Pauses for 6 of 10 seconds."""
    return _facts(6_000.0)


def silent() -> Facts:
    """For 4 seconds, while the application used 9 s of processor time."""
    return _facts(4_000.0)
