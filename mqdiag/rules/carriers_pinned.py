"""Virtual threads wait without leaving their carriers, and no carrier is left for others."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts, StacksFacts
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said

RULE = Rule("carriers-pinned")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Iterator[Said]:
    """At most one finding."""
    if (pinned := stacks.pinned_carriers) is not None:
        yield RULE.case("in-all-samples" if pinned.samples > 1 else "in-one-sample", pinned)


@RULE.heap
def in_heap(heap: HeapFacts, limits: Limits) -> Iterator[Said]:
    """At most one finding; one dump does not show for how long."""
    virtual = heap.virtual_threads
    if virtual is None or not virtual.carriers or not virtual.waiting_for_carrier:
        return
    if virtual.pinned >= virtual.carriers:
        yield RULE.case("in-heap", virtual)
