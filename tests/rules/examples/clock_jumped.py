from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import SampleFacts


def _facts(jumped_s: float) -> Facts:
    series = tuple(
        SampleFacts(
            path=f"{number}.txt", format="jstack", captured_local=f"2026-11-28 20:44:4{number}", jumped_s=one
        )
        for number, one in enumerate((None, 0.4, jumped_s))
    )
    return Facts(stacks=StacksFacts(samples=3, series=series))


def fires() -> Facts:
    """The clock went on by 20 minutes between two thread dumps, and the JVM by 4 seconds."""
    return _facts(1200.3)


def silent() -> Facts:
    """A change to summer time, which is none of the clock."""
    return _facts(3600.2)
