"""A series of thread dumps with one standstill."""

from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import Standstill


def example(standstill: Standstill) -> Facts:
    """Facts of a series with one standstill."""
    return Facts(
        stacks=StacksFacts(samples=5, seconds=10.4, judged=True, has_cpu=True, standstills=(standstill,))
    )
