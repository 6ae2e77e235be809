"""What the pictures rest on: areas are right, nothing lies outside."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqdiag.render.figures.svg import cut, element
from mqdiag.render.figures.treemap import squarified


@given(st.lists(st.floats(1, 1e6), min_size=1, max_size=40))
def test_a_treemap_gives_each_weight_its_area(weights: list[float]) -> None:
    weights.sort(reverse=True)
    room = (10.0, 20.0, 900.0, 400.0)
    boxes = squarified(weights, room)
    total = sum(weights)
    assert len(boxes) == len(weights)
    for weight, (left, top, width, height) in zip(weights, boxes, strict=True):
        assert width * height == pytest.approx(weight / total * 360_000, rel=1e-6, abs=1e-3)
        assert left >= 10 - 1e-6
        assert top >= 20 - 1e-6
        assert left + width <= 910 + 1e-3
        assert top + height <= 420 + 1e-3
    for one, other in itertools.combinations(boxes[:12], 2):
        across = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
        down = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
        assert min(across, down) < 1e-3


def test_no_room_and_no_weight_are_no_fault() -> None:
    assert squarified([], (0, 0, 10, 10)) == []
    assert squarified([1.0], (0, 0, 0, 10)) == [(0, 0, 0.0, 0.0)]


def test_attributes_and_text_are_escaped() -> None:
    drawn = element("text", '<b>&"', class_='"><script>', x=1.0, text_anchor=None)
    assert drawn == '<text class="&#34;&gt;&lt;script&gt;" x="1">&lt;b&gt;&amp;&#34;</text>'


def test_a_long_name_keeps_its_end() -> None:
    assert cut("short", 100) == "short"
    assert cut("org.apache.rocketmq.MessageExt", 100).endswith("MessageExt")
    assert cut("org.apache.rocketmq.MessageExt", 100).startswith("…")
    assert cut("org.apache.rocketmq.MessageExt", 10) == ""
