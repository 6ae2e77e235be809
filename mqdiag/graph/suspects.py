"""Accumulation points with the names that a person would give them.

Shares decide: points from 5 % of the reachable bytes, and values of threads or objects of one class that reach it
together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import msgspec
import numpy as np

from mqdiag.facts.heap_classes import Suspect
from mqdiag.facts.vocabulary import HolderOwner
from mqdiag.graph.heap import Heap
from mqdiag.graph.holders.accumulation import Points
from mqdiag.graph.holders.contents import Contents, contents_of
from mqdiag.graph.holders.naming import Name, name_of, outermost_own_frame
from mqdiag.graph.holders.own_classes import is_application, is_jdk, named_class, web_application
from mqdiag.graph.holders.pools import Pool, pool_on
from mqdiag.graph.holders.shared_objects import SharedObjects, shared_objects
from mqdiag.graph.holders.thread_values import Held, thread_values
from mqdiag.graph.kernels.row_counts import sum_inside
from mqdiag.graph.paths import describe, steps_of
from mqdiag.graph.threads import ThreadRecord
from mqdiag.knowledge.lookup import known_holder

MIN_SHARE = 0.05
"""share of the reachable bytes"""
MOST = 10
_HOLDS = 5
_OWN_CLASSES = 3
_FEWEST_OWN = 16
"""objects of a class: fewer are no data"""
_MOST_SUMMED = 4096
"""values of threads of which the contents are summed up"""

FINALIZER = "java.lang.ref.Finalizer"

IsRocketmq = Callable[[str], bool]


def suspects(heap: Heap, is_rocketmq: IsRocketmq) -> tuple[Suspect, ...]:
    """Holders that retain much, largest first."""
    total = heap.dominance.total_bytes
    least = max(int(total * MIN_SHARE), 1)
    records = {record.node: record for record in heap.threads}
    values = thread_values(heap, records, least)
    points = Points(heap, least).find()
    for place in values.fields:
        points.find(place, inside=True)
    found = [_of_point(heap, place, records, is_rocketmq) for place in points.places]
    found += [_of_threads(heap, held, is_rocketmq) for held in values.held if held.retained_bytes >= least]
    for place in points.loose:
        found += [_of_shared(heap, one, is_rocketmq) for one in shared_objects(heap, place, least)]
    finalizers = _finalizers(heap, least, is_rocketmq)
    if finalizers is not None:
        found = [one for one in found if one.known_as != finalizers.known_as]
        found.append(finalizers)
    found = list(_together(found))
    found.sort(key=lambda one: -one.retained_bytes)
    return tuple(
        msgspec.structs.replace(one, share=one.retained_bytes / total if total else 0.0) for one in found[:MOST]
    )


def _together(found: list[Suspect]) -> Iterator[Suspect]:
    """One suspect for each name: several accumulation points may be under one field."""
    by_name: dict[tuple[str, str, str | None], list[Suspect]] = {}
    for one in found:
        own = one.object_id if one.kind == "object" else one.thread if one.kind == "local-variable" else None
        by_name.setdefault((one.label, one.kind, own), []).append(one)
    for same in by_name.values():
        largest = max(same, key=lambda one: one.retained_bytes)
        yield msgspec.structs.replace(largest, retained_bytes=sum(one.retained_bytes for one in same))


def _of_point(heap: Heap, place: int, records: dict[int, ThreadRecord], is_rocketmq: IsRocketmq) -> Suspect:
    tree = heap.dominance
    node = int(tree.order[place])
    name = name_of(heap, node, records)
    pool = pool_on(heap, name.nodes, node)
    contents = None if pool is not None else contents_of(heap, name.held, node)
    suspect = _suspect(heap, place, name, contents, is_rocketmq)
    return suspect if pool is None else _with_pool(suspect, name, pool, is_rocketmq)


def _finalizers(heap: Heap, least: int, is_rocketmq: IsRocketmq) -> Suspect | None:
    """Objects that wait for finalize(), by their commonest class, as no field of the application holds them.

    They hang together in two lists, of all and of those whose turn has come, so no single object dominates them.
    """
    nodes = heap.instances(heap.classes.indices_named(FINALIZER))
    nodes = nodes[heap.reachable(nodes)]
    retained = int(heap.dominance.retained_together(nodes).sum())
    referents = heap.refs(nodes, "referent")
    referents = referents[referents >= 0]
    if retained < least or not referents.size:
        return None
    rows, counts = np.unique(heap.index.rows[referents], return_counts=True)
    largest = np.argsort(-counts, kind="stable")[:_HOLDS].tolist()
    names = [heap.classes.names[rows[at]] for at in largest]
    node = int(referents[heap.index.rows[referents] == rows[largest[0]]][0])
    at_work = next((record for record in heap.threads if record.name == "Finalizer"), None)
    suspect = Suspect(
        class_name=names[0],
        object_id=f"0x{heap.object_id(node):x}",
        retained_bytes=retained,
        share=0.0,
        path=tuple(steps_of(heap, heap.path_nodes(node))),
        owner="rocketmq" if is_rocketmq(names[0]) else "application",
        holds=(),
        label=names[0],
        kind="field",
        thread=None if at_work is None else at_work.name,
        frame=None if at_work is None else outermost_own_frame(at_work),
        entries=int(referents.size),
        entry_classes=tuple(f"{name}: {counts[at]:,}" for name, at in zip(names, largest, strict=True)),
    )
    return _known(suspect, (FINALIZER,))


def _known(suspect: Suspect, classes: Iterable[str]) -> Suspect:
    """With what users know one of the classes as, and what limits it."""
    known = known_holder(classes)
    if known is None:
        return suspect
    # what works by itself is no registry of beans
    even = suspect.even and not known.works_alone
    return msgspec.structs.replace(suspect, even=even, known_as=known.name, remedy=(known.remedy,))


def _suspect(heap: Heap, place: int, name: Name, contents: Contents | None, is_rocketmq: IsRocketmq) -> Suspect:
    tree = heap.dominance
    node = int(tree.order[place])
    entry_classes = () if contents is None else contents.classes
    on_the_way = [named_class(heap, at) for at in (*name.nodes, name.held, node)]
    inside = _inside(heap, [place])
    suspect = Suspect(
        class_name=describe(heap, node) if node in heap.class_of_node else heap.class_name(node),
        object_id=f"0x{heap.object_id(node):x}",
        retained_bytes=int(tree.retained(np.array([place], np.int32))[0]),
        share=0.0,
        path=name.path,
        owner=_owner(heap, place, name, is_rocketmq),
        holds=inside.holds,
        own_inside=inside.own_inside,
        label=name.label,
        kind=name.kind,
        thread=name.thread,
        threads=name.threads,
        frame=name.frame,
        entries=None if contents is None else contents.entries,
        entry_classes=entry_classes,
        largest_entry_share=None if contents is None else contents.largest_share,
        even=contents is not None and contents.even,
        broken_keys=None if contents is None else contents.broken_keys,
        web_application=web_application(heap, name.holder_class),
    )
    return _known(suspect, (*on_the_way, *entry_classes))


def _with_pool(suspect: Suspect, name: Name, pool: Pool, is_rocketmq: IsRocketmq) -> Suspect:
    """A queue of tasks is named by the field that holds the pool, else by the pool's threads.

    Threads and frames of the JDK hold a pool as well, so whose it is depends on that field and on the tasks: requests
    that wait for a pool of a broker are the broker's.
    """
    label = suspect.label
    if is_jdk(name.holder_class) or name.kind != "field":
        label = pool.label or pool.threads or suspect.label
    of_rocketmq = is_rocketmq((pool.label or "").rpartition(".")[0])
    named = msgspec.structs.replace(
        suspect,
        label=label,
        owner="rocketmq" if of_rocketmq and not is_application(pool.task_class or "") else suspect.owner,
        kind="pool-queue",
        thread=pool.threads,
        threads=0,
        frame=None,
        entries=pool.tasks,
        entry_classes=() if pool.task_class is None else (f"{pool.task_class}: {pool.tasks:,}",),
        known_as=None,
        remedy=(),
    )
    return _known(named, (pool.queue_class,))


def _of_threads(heap: Heap, held: Held, is_rocketmq: IsRocketmq) -> Suspect:
    """Local variables of one method, or values of one ThreadLocal, in all threads that have them."""
    tree = heap.dominance
    place = held.places[0]
    node = int(tree.order[place])
    holder = held.label.rpartition(".")[0]
    inside = _inside(heap, list(held.places[:_MOST_SUMMED]))
    suspect = Suspect(
        class_name=heap.class_name(node),
        object_id=f"0x{heap.object_id(node):x}",
        retained_bytes=held.retained_bytes,
        share=0.0,
        path=tuple(steps_of(heap, heap.path_nodes(node))),
        owner="rocketmq" if is_rocketmq(holder) else "application" if not is_jdk(holder) else "jdk",
        holds=inside.holds,
        own_inside=inside.own_inside,
        label=held.label,
        kind="local-variable" if held.kind == "local-variable" else "thread-local",
        thread=held.threads[0],
        threads=len(held.threads),
        frame=held.frame,
        web_application=web_application(heap, holder),
    )
    return _known(suspect, (heap.class_name(node),))


def _of_shared(heap: Heap, shared: SharedObjects, is_rocketmq: IsRocketmq) -> Suspect:
    owned = is_rocketmq(shared.class_name) or is_rocketmq(shared.name.holder_class)
    mine = is_application(shared.class_name) or is_application(shared.name.holder_class)
    suspect = Suspect(
        class_name=shared.class_name,
        object_id=f"0x{heap.object_id(shared.example):x}",
        retained_bytes=shared.retained_bytes,
        share=0.0,
        path=shared.name.path,
        owner="rocketmq" if owned else "application" if mine else "jdk",
        holds=(f"{shared.class_name}: {shared.retained_bytes:,} bytes in {shared.objects:,}",),
        label=shared.name.label,
        kind="shared-objects",
        entries=shared.objects,
        entry_classes=(f"{shared.class_name}: {shared.objects:,}",),
        also_held_by=shared.also,
    )
    return _known(suspect, (shared.class_name, shared.name.label))


def _owner(heap: Heap, place: int, name: Name, is_rocketmq: IsRocketmq) -> HolderOwner:
    """Whose object it is: the nearest class of its own package on the way up to the roots, else by its path."""
    tree = heap.dominance
    at = place
    while at:
        holder = named_class(heap, int(tree.order[at]))
        if is_rocketmq(holder):
            return "rocketmq"
        if not is_jdk(holder) and not holder.rstrip("[]").islower():
            return "application"
        at = int(tree.dominator[at])
    if is_rocketmq(name.holder_class):
        return "rocketmq"
    if not is_jdk(name.holder_class):
        return "application"
    return "jdk"


class _Inside(msgspec.Struct, frozen=True, kw_only=True):
    """What is inside, by class: all classes as `Suspect.holds`, those of the application as `Suspect.own_inside`."""

    holds: tuple[str, ...]
    own_inside: tuple[str, ...]


def _inside(heap: Heap, places: list[int]) -> _Inside:
    counts, sums = np.zeros(heap.classes.count, np.int64), np.zeros(heap.classes.count, np.int64)
    for place in places:
        sum_inside(heap.dominance.inside(place), heap.index.rows, heap.sizes.units, counts, sums)
    bytes_by_row = sums * heap.sizes.alignment
    order = np.argsort(-bytes_by_row, kind="stable")
    largest = order[counts[order] > 0].tolist()
    names = heap.classes.names
    own = (row for row in largest if counts[row] >= _FEWEST_OWN and is_application(names[row]))
    return _Inside(
        holds=tuple(
            f"{names[row]}: {int(bytes_by_row[row]):,} bytes in {int(counts[row]):,}"
            for row in largest[:_HOLDS]
        ),
        own_inside=tuple(f"{names[row]}: {int(counts[row]):,}" for row in islice(own, _OWN_CLASSES)),
    )
