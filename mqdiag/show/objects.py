"""One object: what is in it, what keeps it alive, who refers to it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.shown import ShownHolder, ShownObject
from mqdiag.graph import Heap
from mqdiag.graph.merged_paths import paths_to_one
from mqdiag.graph.paths import edge_name
from mqdiag.graph.referrers import referrers_of
from mqdiag.graph.roots import ROOT_NAMES
from mqdiag.show.values import (
    FIRST,
    collection_entries,
    element_values,
    field_values,
    label_of,
    static_values,
)

DOMINATORS_TOLD = 30
"""dominators that are shown; the middle of a longer chain, such as a linked list, is left out"""


def show_object(heap: Heap, node: int) -> ShownObject:
    """Everything about one object."""
    at = np.array([node], np.int32)
    represented = heap.class_of_node.get(node)
    length = int(heap.array_lengths(at)[0])
    count, entries = collection_entries(heap, node)
    chain = _dominators(heap, node)
    referrers = referrers_of(heap, node)
    return ShownObject(
        object_id=f"0x{heap.object_id(node):x}",
        class_name=heap.class_name(node),
        label=label_of(heap, node),
        shallow_bytes=int(heap.shallow_sizes(at)[0]),
        retained_bytes=int(heap.retained_sizes(at)[0]),
        reachable=bool(heap.reachable(at)[0]),
        root=_root(heap, node),
        fields=field_values(heap, node),
        statics=() if represented is None else static_values(heap, represented),
        length=length if length >= 0 else None,
        elements=element_values(heap, node),
        entry_count=count,
        entries=entries,
        dominators=_chain_told(heap, node, chain),
        dominator_count=len(chain),
        paths=paths_to_one(heap, node, referrers),
        referrers=_referrers_told(heap, node, referrers),
        referrer_count=referrers.size,
    )


def _root(heap: Heap, node: int) -> str | None:
    roots = heap.roots
    at = int(np.searchsorted(roots.nodes, node))
    if at >= roots.nodes.size or int(roots.nodes[at]) != node:
        return None
    return ROOT_NAMES.get(int(roots.types[at]), "GC root")


def _dominators(heap: Heap, node: int) -> list[int]:
    """Nodes that dominate a node, the nearest first, without the virtual root."""
    tree = heap.dominance
    chain = []
    place = tree.dominator.item(tree.numbers.item(node)) if tree.numbers.item(node) else 0
    while place:
        chain.append(tree.order.item(place))
        place = tree.dominator.item(place)
    return chain


def _chain_told(heap: Heap, node: int, chain: list[int]) -> tuple[ShownHolder, ...]:
    half = DOMINATORS_TOLD // 2
    told = list(range(len(chain)))
    if len(chain) > DOMINATORS_TOLD:
        told = told[:half] + told[-half:]
    below = [node, *chain]
    return tuple(_holder(heap, chain[at], below[at]) for at in told)


def _referrers_told(heap: Heap, node: int, referrers: NDArray[np.int32]) -> tuple[ShownHolder, ...]:
    order = np.argsort(-heap.retained_sizes(referrers), kind="stable")[:FIRST]
    return tuple(_holder(heap, holder, node) for holder in referrers[order].tolist())


def _holder(heap: Heap, holder: int, held: int) -> ShownHolder:
    at = np.array([holder], np.int32)
    _, direct = heap.references.of(at)
    return ShownHolder(
        class_name=heap.class_name(holder),
        object_id=f"0x{heap.object_id(holder):x}",
        label=label_of(heap, holder),
        field=edge_name(heap, holder, held) if held in direct else None,
        retained_bytes=int(heap.retained_sizes(at)[0]),
    )
