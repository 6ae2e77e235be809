from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import ThreadAt, ThreadFacts


def _pools(made: int) -> Facts:
    threads = tuple(
        ThreadFacts(
            name=f"pool-{pool}-thread-{number}",
            role="other",
            state="idle",
            samples=(ThreadAt(state="WAITING", doing="idle"),),
        )
        for pool in range(1, made + 1)
        for number in (1, 2, 3)
    )
    return Facts(stacks=StacksFacts(samples=1, threads=threads))


def fires() -> Facts:
    """40 executors of three threads each, all at rest."""
    return _pools(40)


def silent() -> Facts:
    """Three executors are what an application has."""
    return _pools(3)
