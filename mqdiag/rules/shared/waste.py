"""What the rules about waste share: the facts or why there are none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mqdiag.facts import Facts
from mqdiag.facts.waste import Waste
from mqdiag.rules.draft import Skip
from mqdiag.rules.shared.graph_needed import not_read

LEAST_BYTES = 16 * 1024 * 1024
"""below it no waste is worth a finding, whatever its share of a small heap"""


class Wasted(NamedTuple):
    """The waste of a heap."""

    waste: Waste
    reachable_bytes: int
    """0 where they are unknown"""

    def share(self, size: int) -> float:
        """Share of the reachable bytes; 0 where these are unknown."""
        return size / self.reachable_bytes if self.reachable_bytes else 0.0


def wasted(facts: Facts) -> Iterator[Wasted | Skip]:
    """The waste of the heap dump, or the reason to skip."""
    heap = facts.heap
    if heap is not None and heap.waste is not None:
        yield Wasted(heap.waste, heap.shallow_bytes or 0)
    elif heap is not None:
        yield not_read(heap, "reachability")
