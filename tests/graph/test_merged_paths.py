"""Merged shortest paths against a plain walk from every single object, on random graphs and on known shapes."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from mqdiag.facts.shown import PathStep
from mqdiag.graph import Heap, merged_paths
from mqdiag.graph.kernels.merge import MAX_REPEATS
from mqdiag.graph.merged_paths import paths_to_all, paths_to_one
from mqdiag.graph.paths import edge_name
from mqdiag.graph.referrers import referrers_of
from tests.graph.opening import heap_of
from tests.layers import one_in_each_run
from tests.writers.hprof_records import INT, OBJECT, STICKY_CLASS
from tests.writers.hprof_writer import DumpWriter

Way = tuple[tuple[str, str], ...]
Sums = tuple[int, int, int]


def flat(steps: tuple[PathStep, ...], before: Way = ()) -> dict[Way, Sums]:
    """Each way with what ends on it, what is there or below, and what that retains."""
    found: dict[Way, Sums] = {}
    for step in steps:
        way = (*before, (step.root or step.field, step.class_name))
        found[way] = (step.ends, step.instances, step.retained_bytes)
        found |= flat(step.below, way)
    return found


def kind(heap: Heap, node: int) -> str:
    row = heap.class_of_node.get(node)
    return heap.class_name(node) if row is None else f"class {heap.classes.names[row]}"


def walked(heap: Heap, node: int) -> Way:
    """The way to one object, with the two rules that keep the tree small."""
    chain = [node]
    while heap.shortest_paths[chain[-1]] >= 0:
        chain.append(int(heap.shortest_paths[chain[-1]]))
    chain.reverse()
    way: list[tuple[str, str]] = [("system class", kind(heap, chain[0]))]
    for holder, held in itertools.pairwise(chain):
        step = (edge_name(heap, holder, held), kind(heap, held))
        if step[1] == way[-1][1]:
            continue
        same = [at for at, known in enumerate(way) if known == step]
        if len(same) >= MAX_REPEATS:
            way = way[: same[-1] + 1]
        else:
            way.append(step)
    return tuple(way)


def expected(heap: Heap, nodes: list[int]) -> dict[Way, Sums]:
    retained = heap.dominance.retained_together(np.array(nodes, np.int32)).tolist()
    ends: Counter[Way] = Counter()
    below: Counter[Way] = Counter()
    weights: Counter[Way] = Counter()
    for node, weight in zip(nodes, retained, strict=True):
        way = walked(heap, node)
        ends[way] += 1
        for length in range(1, len(way) + 1):
            below[way[:length]] += 1
            weights[way[:length]] += weight
    return {way: (ends[way], count, weights[way]) for way, count in below.items()}


@pytest.fixture
def uncut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merged_paths, "LEAST_SHARE", 0)
    monkeypatch.setattr(merged_paths, "MOST_BRANCHES", 1 << 30)
    monkeypatch.setattr(merged_paths, "MOST_STEPS", 1 << 9)


def random_dump(seed: int) -> DumpWriter:
    rng = random.Random(seed)
    dump = DumpWriter()
    dump.known("java/lang/Class")
    arrays = dump.known("[Ljava/lang/Object;")
    letters = [
        dump.java_class(name, fields={f"{name.lower()}1": OBJECT, "n": INT, f"{name.lower()}2": OBJECT})
        for name in "ABC"
    ]
    ids = [
        dump.object_array(arrays, [0] * rng.randrange(4))
        if rng.random() < 0.2
        else dump.instance(rng.choice(letters))
        for _ in range(rng.randrange(2, 60))
    ]
    for item in dump.items:
        if hasattr(item, "elements"):
            item.elements[:] = [rng.choice([0, *ids]) for _ in item.elements]
        elif hasattr(item, "values"):
            names = [name for name in item.java_class.fields if name != "n"]
            item.values.update({name: rng.choice([0, 0xBAD, *ids]) for name in names})
    holder = dump.java_class("Holder", statics={"FIRST": (OBJECT, ids[0]), "OTHER": (OBJECT, rng.choice(ids))})
    for known in [holder, *letters]:
        dump.root(STICKY_CLASS, known.id)
    return dump


@one_in_each_run(4)
@pytest.mark.usefixtures("uncut")
@pytest.mark.parametrize("seed", range(25))
def test_random_graphs(seed: int, tmp_path: Path) -> None:
    heap = heap_of(random_dump(seed), tmp_path)
    for name in ("A", "B", "java.lang.Object[]"):
        nodes = heap.instances(heap.classes.indices_named(name), subclasses=False)
        nodes = nodes[heap.reachable(nodes)]
        found = flat(paths_to_all(heap, nodes, heap.dominance.retained_together(nodes)))
        assert found == expected(heap, nodes.tolist())


@pytest.mark.usefixtures("uncut")
def test_small_tables_are_made_larger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heap = heap_of(random_dump(7), tmp_path)
    nodes = heap.instances(heap.classes.indices_named("A"), subclasses=False)
    nodes = nodes[heap.reachable(nodes)]
    retained = heap.dominance.retained_together(nodes)
    whole = paths_to_all(heap, nodes, retained)
    monkeypatch.setattr(merged_paths, "_FIRST_ROOM", 1)
    assert paths_to_all(heap, nodes, retained) == whole
    # Where no table is large enough, the sums above stay right and what is too deep stays with its holder.
    monkeypatch.setattr(merged_paths, "_MOST_ROOM", 1)
    folded = paths_to_all(heap, nodes, retained)
    assert sum(step.instances for step in folded) == nodes.size
    assert sum(step.retained_bytes for step in folded) == sum(step.retained_bytes for step in whole)


def chain(length: int) -> tuple[DumpWriter, list[int]]:
    """A static list of one class's objects, each held by the one before."""
    dump = DumpWriter()
    dump.known("java/lang/Class")
    link = dump.java_class("Link", fields={"next": OBJECT})
    links = [dump.instance(link)]
    for _ in range(length - 1):
        links.append(dump.instance(link, next=links[-1]))
    holder = dump.java_class("Holder", statics={"HEAD": (OBJECT, links[-1])})
    for known in (link, holder):
        dump.root(STICKY_CLASS, known.id)
    return dump, links


def test_a_long_chain_is_one_step(tmp_path: Path) -> None:
    dump, links = chain(50_000)
    heap = heap_of(dump, tmp_path)
    nodes = heap.instances(heap.classes.indices_named("Link"))
    (root,) = paths_to_all(heap, nodes, heap.dominance.retained_together(nodes))
    assert (root.root, root.class_name) == ("system class", "class Holder")
    (step,) = root.below
    assert (step.field, step.class_name, step.ends, step.instances) == ("Holder.HEAD", "Link", 50_000, 50_000)
    assert step.retained_bytes == sum(dump.sizes[link] for link in links)
    assert step.below == ()


def test_branches_that_are_not_shown_are_counted(tmp_path: Path) -> None:
    dump = DumpWriter()
    element = dump.java_class("Element", fields={"x": INT})
    fields = {
        f"F{number}": (OBJECT, dump.instance(element)) for number in range(merged_paths.MOST_BRANCHES + 3)
    }
    holder = dump.java_class("Holder", statics=fields)
    dump.root(STICKY_CLASS, holder.id)
    heap = heap_of(dump, tmp_path)
    nodes = heap.instances(heap.classes.indices_named("Element"))
    (root,) = paths_to_all(heap, nodes, heap.dominance.retained_together(nodes))
    assert (len(root.below), root.more_steps, root.more_instances) == (merged_paths.MOST_BRANCHES, 3, 3)
    assert {(step.objects, step.instances, step.more_instances) for step in root.below} == {(0, 1, 0)}


def test_a_tree_of_two_classes_folds(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.known("java/lang/Class")
    element = dump.java_class("Element", fields={"children": OBJECT})
    arrays = dump.known("[LElement;")
    below = dump.object_array(arrays, [])
    for _ in range(500):
        below = dump.object_array(arrays, [dump.instance(element, children=below)])
    holder = dump.java_class("Holder", statics={"ROOT": (OBJECT, below)})
    dump.root(STICKY_CLASS, holder.id)
    heap = heap_of(dump, tmp_path)
    nodes = heap.instances(heap.classes.indices_named("Element"))
    way = flat(paths_to_all(heap, nodes, heap.dominance.retained_together(nodes)))
    assert len(way) <= 2 + 2 * MAX_REPEATS
    assert max(instances for _, instances, _ in way.values()) == 500


def test_paths_to_one_lead_through_every_referrer_but_not_through_itself(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.known("java/lang/Class")
    node = dump.java_class("Node", fields={"left": OBJECT, "right": OBJECT})
    other = dump.java_class("Other", fields={"back": OBJECT})
    wanted = dump.instance(node)
    behind = dump.instance(other, back=wanted)
    dump.set(wanted, left=behind, right=wanted)
    first, second = dump.instance(node, right=wanted), dump.instance(other, back=wanted)
    holder = dump.java_class("Holder", statics={"A": (OBJECT, first), "B": (OBJECT, second)})
    dump.root(STICKY_CLASS, holder.id)
    heap = heap_of(dump, tmp_path)
    at = heap.node(wanted)
    referrers = referrers_of(heap, at)
    assert {heap.object_id(int(each)) for each in referrers} == {wanted, behind, first, second}
    ways = {
        tuple(field for field, _ in way): sums for way, sums in flat(paths_to_one(heap, at, referrers)).items()
    }
    assert ways[("system class",)] == (0, 2, 0)
    assert ways[("system class", "Holder.B", "Other.back")] == (1, 1, 0)
    # Of a step within one class only the class is told.
    assert ways[("system class", "Holder.A")] == (1, 1, 0)
    assert paths_to_one(heap, heap.node(holder.id), np.empty(0, np.int32))[0].ends == 1


def test_a_referent_of_a_weak_reference_is_no_way_while_there_is_another(tmp_path: Path) -> None:
    dump = DumpWriter()
    dump.known("java/lang/Class")
    reference = dump.java_class("java/lang/ref/Reference", fields={"referent": OBJECT})
    weak_class = dump.java_class("java/lang/ref/WeakReference", superclass=reference)
    thing = dump.java_class("Thing")
    strong, only_weak = dump.instance(thing), dump.instance(thing)
    refs = [dump.instance(weak_class, referent=strong), dump.instance(weak_class, referent=only_weak)]
    holder = dump.java_class(
        "Holder", statics={"S": (OBJECT, strong), "W": (OBJECT, refs[0]), "V": (OBJECT, refs[1])}
    )
    dump.root(STICKY_CLASS, holder.id)
    heap = heap_of(dump, tmp_path)
    for object_id, field in ((strong, "Holder.S"), (only_weak, "java.lang.ref.WeakReference.referent")):
        node = heap.node(object_id)
        ends = [
            way[-1][0]
            for way, sums in flat(paths_to_one(heap, node, referrers_of(heap, node))).items()
            if sums[0]
        ]
        assert ends == [field]
