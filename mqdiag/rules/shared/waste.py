"""What the rules about waste share: the facts or why there are none."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.waste import Waste
from mqdiag.rules.said import Skip
from mqdiag.rules.shared.graph_needed import not_read

LEAST_BYTES = 16 * 1024 * 1024
"""below it no waste is worth a finding, whatever its share of a small heap"""


def waste_of(facts: Facts) -> Waste | Skip:
    """The facts, or the reason to skip."""
    heap = facts.heap
    assert heap is not None
    return not_read(heap, "reachability") if heap.waste is None else heap.waste


def reachable_share(facts: Facts, size: int) -> float:
    """Share of the reachable bytes; 0 where these are unknown."""
    assert facts.heap is not None
    reachable = facts.heap.shallow_bytes or 0
    return size / reachable if reachable else 0.0
