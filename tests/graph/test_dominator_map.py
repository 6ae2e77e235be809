"""The upper dominator tree as boxes: nothing counted twice, and sums as a plain walk over the tree gives them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mqdiag.graph import Heap, open_heap
from mqdiag.graph.dominator_map import dominator_boxes

FIXTURES = Path(__file__).parents[2] / "fixtures" / "heap"


@pytest.fixture(scope="module")
def heap() -> Heap:
    return open_heap(str(FIXTURES / "app-retains-5.3.3" / "dump.hprof.gz"))


def test_boxes_fit_into_the_box_around_them(heap: Heap) -> None:
    boxes = dominator_boxes(heap)
    assert {box.parent is None for box in boxes} == {True, False}
    for place, box in enumerate([None, *boxes], -1):
        inner = [each.retained_bytes for each in boxes if each.parent == (None if box is None else place)]
        around = heap.dominance.total_bytes if box is None else box.retained_bytes
        assert sum(inner) <= around
        assert box is None or box.parent is None or box.parent < place


def test_an_object_box_has_the_retained_size_of_its_object(heap: Heap) -> None:
    for box in dominator_boxes(heap):
        if box.object_id is not None:
            node = heap.index.lookup.find(np.array([int(box.object_id, 16)], np.uint64))[:1]
            assert heap.retained_sizes(node).tolist() == [box.retained_bytes]


def test_small_objects_are_summed_by_class(heap: Heap) -> None:
    tree = heap.dominance
    boxes = dominator_boxes(heap)
    summed = [box for box in boxes if box.object_id is None]
    assert summed
    for box in summed:
        around = 0 if box.parent is None else _place(heap, boxes[box.parent].object_id)
        own = {_place(heap, each.object_id) for each in boxes if each.parent == box.parent and each.object_id}
        children = [
            child
            for child in tree.children(around).tolist()
            if heap.class_name(int(tree.order[child])) == box.name and child not in own
        ]
        assert box.objects == len(children)
        assert box.retained_bytes == tree.retained(np.array(children, np.int32)).sum()


def _place(heap: Heap, object_id: str | None) -> int:
    assert object_id is not None
    node = heap.index.lookup.find(np.array([int(object_id, 16)], np.uint64))[0]
    return int(heap.dominance.numbers[node])
