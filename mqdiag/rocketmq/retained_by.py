"""What keeps messages in the heap: queues, executors, frames of threads, or a class and field of the application.

For messages that the application keeps, a walk up the dominator tree finds the class and the field. A collection
dominates its elements however it is built, so the walk only has to pass over classes of the JDK. An object that
several others refer to has only the root above it; the walk then goes on from one of its referrers.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.heap import MessageHolder
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.graph.paths import edge_name
from mqdiag.read.hprof.distinct import distinct, is_among, is_in
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.fields import place_of

_MAX_SHOWN = 10
_MAX_PATHS = 3
_JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")
_MAX_STEPS = 64
_MANY, _FEW_EACH = 8, 8
"""over 8 objects of an application class that keep fewer than 8 each, on average, are entries of a collection"""


class Split(msgspec.Struct, frozen=True, kw_only=True):
    """Reachable messages by what keeps them, each under the first that applies; int32 node arrays."""

    reachable: Nodes
    unreachable: int
    in_queues: Nodes
    in_executors: Nodes
    in_frames: Nodes
    elsewhere: Nodes
    retainers: Retainers
    """holders of the messages elsewhere"""


def split_messages(heap: Heap, messages: Nodes, queued: Nodes, requested: Nodes) -> Split:
    """Split all messages by what keeps them.

    Args:
        heap: the graph.
        messages: all MessageExt of the file, reachable or not.
        queued: those in the maps of ProcessQueues.
        requested: those in the requests of executors.
    """
    there = heap.reachable(messages)
    reachable = messages[there]
    is_queued = is_in(reachable, queued)
    is_requested = is_in(reachable, requested) & ~is_queued
    rest = reachable[~is_queued & ~is_requested]
    # a local variable is a frame's even when something else holds the message too
    is_local = is_in(rest, heap.references.extra_to)
    retainers = find_retainers(heap, rest[~is_local])
    others = rest[~is_local]
    outside = ~retainers.in_frames
    return Split(
        reachable=reachable,
        unreachable=int((~there).sum()),
        in_queues=reachable[is_queued],
        in_executors=reachable[is_requested],
        in_frames=np.sort(np.concatenate((rest[is_local], others[retainers.in_frames]))),
        elsewhere=others[outside],
        retainers=Retainers(
            nodes=retainers.nodes[outside],
            children=retainers.children[outside],
            in_frames=retainers.in_frames[outside],
        ),
    )


def message_holders(heap: Heap, split: Split) -> tuple[MessageHolder, ...]:
    """Holders of the messages elsewhere, most messages first."""
    pairs, counts = _pairs(split.retainers)
    order = np.argsort(-counts, kind="stable")[:_MAX_SHOWN].tolist()
    found = []
    for rank, at in enumerate(order):
        owner, child = (int(node) for node in pairs[at])
        if owner < 0:
            continue
        holder, field = owner_name(heap, owner, child)
        weight = child if field and owner in heap.class_of_node else owner
        found.append(
            MessageHolder(
                holder_class=holder,
                holder_field=field,
                object_id=hex(heap.object_id(child if child >= 0 else owner)),
                messages=int(counts[at]),
                retained_bytes=int(heap.retained_sizes(np.array([weight], np.int32))[0]),
                path=tuple(heap.path_to_root(child if child >= 0 else owner)) if rank < _MAX_PATHS else (),
            )
        )
    return tuple(found)


def _pairs(retainers: Retainers) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Distinct (owner, child), and how many objects each keeps."""
    stacked = np.stack((retainers.nodes, retainers.children), axis=1)
    if not stacked.size:
        return stacked, np.empty(0, np.int64)
    pairs, counts = np.unique(stacked, axis=0, return_counts=True)
    return pairs, counts


class Retainers(msgspec.Struct, frozen=True, kw_only=True):
    """For each object: `nodes` int32, what keeps it (-1 unknown); `children` int32, what that refers to directly.

    `in_frames` bool: only frames of threads hold it.
    """

    nodes: Nodes
    children: Nodes
    in_frames: NDArray[np.bool_]


def find_retainers(heap: Heap, nodes: Nodes) -> Retainers:
    """Walk up from all objects at once; each round is one step for all that have not arrived."""
    threads = distinct(heap.references.extra_from)
    walk = _DominatorWalk(heap, nodes, threads)
    for _ in range(_MAX_STEPS):
        if not walk.step():
            break
    return Retainers(nodes=walk.retainers, children=walk.children, in_frames=walk.in_frames)


class _DominatorWalk:
    def __init__(self, heap: Heap, nodes: Nodes, threads: Nodes) -> None:
        self._heap, self._threads = heap, threads
        names = heap.classes.names
        self._is_jdk = np.array([name.startswith(_JDK) or name.endswith("[]") for name in names], bool)
        self._is_loader = np.zeros(heap.classes.count, bool)
        self._is_loader[heap.classes.subclasses(fields.class_rows(heap, "", "ClassLoader"))] = True
        self._is_class = np.zeros(heap.count, bool)
        self._is_class[list(heap.class_of_node)] = True
        self._at = nodes.copy()
        self._open = np.arange(nodes.size)
        self.retainers = np.full(nodes.size, -1, np.int32)
        self.children = np.full(nodes.size, -1, np.int32)
        self.in_frames = np.zeros(nodes.size, bool)

    def step(self) -> bool:
        """One step up; False when all have arrived."""
        if not self._open.size:
            return False
        heap = self._heap
        distinct, inverse = np.unique(self._at[self._open], return_inverse=True)
        counts = np.bincount(inverse)
        ends = self._end_of_chain(distinct)
        above = self._above(ends)
        rows = heap.class_index(above)
        is_thread = is_among(above, self._threads)
        from_frame = is_thread & self._is_local(above, ends)
        through = (above >= 0) & self._is_jdk[rows] & ~self._is_class[above] & ~is_thread
        through |= self._is_entry(above, rows, counts) & ~through & ~is_thread
        stop = ~through
        stopped = stop[inverse]
        arrived = self._open[stopped]
        self.retainers[arrived] = above[inverse][stopped]
        self.children[arrived] = ends[inverse][stopped]
        self.in_frames[arrived] = from_frame[inverse][stopped]
        self._open = self._open[~stopped]
        self._at[self._open] = above[inverse][~stopped]
        return bool(self._open.size)

    def _above(self, nodes: Nodes) -> Nodes:
        """Dominator of each node; a referrer instead where only the root or a class loader dominates it."""
        tree = self._heap.dominance
        parents = tree.dominator[tree.numbers[nodes]]
        above = np.where(parents > 0, tree.order[parents], -1).astype(np.int32)
        rows = self._heap.class_index(above)
        shared = (above < 0) | self._is_loader[rows]
        # a dominator may reach a node through two of its fields: either one will do
        owner = ~shared & (self._is_class[above] | ~self._is_jdk[rows])
        owner[owner] = ~self._refers(above[owner], nodes[owner])
        shared |= owner
        if shared.any():
            above[shared] = self._referrer(nodes[shared])
        return above

    def _refers(self, holders: Nodes, nodes: Nodes) -> NDArray[np.bool_]:
        """Which holders refer to their node directly."""
        at, targets = self._heap.references.of(holders)
        direct = np.zeros(holders.size, bool)
        direct[at[targets == nodes[at]]] = True
        return direct

    def _end_of_chain(self, nodes: Nodes) -> Nodes:
        """First link of the chain of each node: steps double, so a chain of 100,000 links takes 17."""
        tree, heap = self._heap.dominance, self._heap
        rows = heap.class_index(nodes)
        ends = nodes.copy()
        parents = tree.order[tree.dominator[tree.numbers[nodes]]]
        linked = (tree.dominator[tree.numbers[nodes]] > 0) & (heap.class_index(parents) == rows)
        for row in distinct(rows[linked]).tolist():
            links = heap.instances([row], subclasses=False)
            links = links[heap.reachable(links)]
            up = place_of(links, tree.order[tree.dominator[tree.numbers[links]]].astype(np.int32))
            up = np.where(up >= 0, up, np.arange(links.size)).astype(np.int64)
            while True:
                further = up[up]
                if (further == up).all():
                    break
                up = further
            mine = rows == row
            ends[mine] = links[up[place_of(links, nodes[mine])]]
        return ends

    def _referrer(self, nodes: Nodes) -> Nodes:
        """One referrer of each node, no thread where there is another one; -1 for a root."""
        owners, sources = self._heap.referrers(nodes)
        order = np.lexsort((sources, is_among(sources, self._threads), owners))
        owners, sources = owners[order], sources[order]
        distinct, first = np.unique(owners, return_index=True)
        found = np.full(nodes.size, -1, np.int32)
        found[distinct] = sources[first]
        return found

    def _is_local(self, threads: Nodes, nodes: Nodes) -> NDArray[np.bool_]:
        """Which (thread, node) pairs are a thread and a local of its frames."""
        shift = np.int64(1) << 32
        held = self._heap.references.extra_from.astype(np.int64) * shift + self._heap.references.extra_to
        return is_in(threads.astype(np.int64) * shift + nodes, held)

    def _is_entry(self, above: Nodes, rows: Nodes, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which dominators are entries of a collection: many objects of one class that keep few messages each."""
        entry = np.zeros(above.size, bool)
        plain = (above >= 0) & ~self._is_class[above]
        for row in distinct(rows[plain]).tolist():
            mine = plain & (rows == row)
            owners = distinct(above[mine]).size
            entry[mine] = owners > _MANY and counts[mine].sum() < owners * _FEW_EACH
        return entry


def owner_name(heap: Heap, owner: int, child: int) -> tuple[str, str]:
    """(class, field) of an owner and its direct reference; the field is empty where none leads there directly."""
    row = heap.class_of_node.get(owner)
    holder = heap.classes.names[row] if row is not None else heap.class_name(owner)
    edge = edge_name(heap, owner, child) if child >= 0 else ""
    start = f"{holder}."
    return holder, edge[len(start) :] if edge.startswith(start) else ""
