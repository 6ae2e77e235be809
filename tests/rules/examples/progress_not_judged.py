from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts


def fires() -> Facts:
    """One jstack."""
    return Facts(stacks=StacksFacts(samples=1, not_judged_because="one-sample"))


def silent() -> Facts:
    """Five of one JVM."""
    return Facts(stacks=StacksFacts(samples=5, seconds=10.4, judged=True, has_cpu=True))
