"""Another reader's rules on our graph: which edges it follows, with our own search for the dominators.

Where a reader disagrees, its rules are put in place of ours; if its figures then come out to the byte, for every
object, the rules are the whole difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph import Heap
from mqdiag.graph.dominance import Dominance, build_dominance
from mqdiag.progress import Silent

SUPER, LOADER, SIGNERS, PROTECTION_DOMAIN = 1, 2, 3, 4
"""columns of the references at the head of a class record"""


@dataclass(frozen=True, slots=True)
class Edges:
    """Edge i leads from sources[i] to targets[i]; `starts` int64[n + 1], where each source's edges begin."""

    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    starts: NDArray[np.int64]

    @classmethod
    def sort(cls, count: int, sources: NDArray[np.int32], targets: NDArray[np.int32]) -> Edges:
        """By source; edges of one source stay in order."""
        order = np.argsort(sources, kind="stable")
        sources, targets = sources[order].astype(np.int32), targets[order].astype(np.int32)
        return cls(sources, targets, np.searchsorted(sources, np.arange(count + 1)))


def edges_of(heap: Heap, class_heads: tuple[int, ...], locals_of_threads: bool) -> Edges:
    """Fields and elements; of class objects the statics and the named heads; on demand what threads' frames hold."""
    references = heap.references
    owners, targets = references.of(np.arange(heap.count, dtype=np.int32))
    kept = ~np.isin(owners, list(heap.class_of_node))
    if not locals_of_threads:
        threads, counts = np.unique(references.extra_from, return_counts=True)
        for thread, count in zip(threads, counts, strict=True):
            end = int(references.starts[int(thread) + 1])
            kept[end - int(count) : end] = False
    sources, ends = [owners[kept].astype(np.int32)], [targets[kept]]
    for node, row in heap.class_of_node.items():
        heads = heap.index.lookup.find(heap.dump.classes.heads[row, list(class_heads)])
        statics = [target for _, target in heap.classes.static_refs(row)]
        held = np.array([*heads[heads >= 0], *statics], np.int32)
        sources.append(np.full(held.size, node, np.int32))
        ends.append(held)
    return Edges.sort(heap.count, np.concatenate(sources), np.concatenate(ends))


def dominance_of(
    heap: Heap,
    edges: Edges,
    class_nodes: NDArray[np.int32],
    roots: NDArray[np.int32],
    sizes: NDArray[np.int64],
) -> Dominance:
    """The dominator tree of other edges, roots and sizes."""
    references = SimpleNamespace(starts=edges.starts.astype(np.uint32), edges=edges.targets)
    return build_dominance(
        heap.index,
        references,  # type: ignore[arg-type]  # of References only these two are read
        class_nodes,
        SimpleNamespace(nodes=roots),  # type: ignore[arg-type]
        SimpleNamespace(units=sizes.astype(np.uint32), alignment=1),  # type: ignore[arg-type]
        heap.dump.room,
        Silent(),
    )


def retained_of(tree: Dominance) -> NDArray[np.int64]:
    """Retained bytes by node, -1 for the unreachable."""
    return np.where(tree.numbers > 0, tree.retained(tree.numbers), -1)
