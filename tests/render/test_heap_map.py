"""The map of a heap: by group, topic and queue where messages fill it, by holder otherwise."""

from __future__ import annotations

from typing import Any

import msgspec

from mqdiag.facts.heap_classes import DominatorBox, Suspect
from mqdiag.language import english
from mqdiag.render.sections.heap_map import heap_map
from tests.render.samples import ARTICLE_HEAP, CONSUMER, queue

MIB = 1 << 20
BOX = DominatorBox(parent=None, name="com.acme.Cache", object_id="0x1", objects=1, retained_bytes=40 * MIB)


def picture(**over: Any) -> str:
    heap = msgspec.structs.replace(ARTICLE_HEAP, **{"dominators": (BOX,), **over})
    figure = heap_map(heap)
    assert figure is not None
    return figure.draw(english())


def test_messages_that_fill_the_heap_are_shown_by_queue() -> None:
    drawn = picture(
        shallow_bytes=120_000_000,
        consumers=(msgspec.structs.replace(CONSUMER, retained_bytes=95_000_000),),
        queues=(queue(0, topic="a<b", broker="x"), queue(1, topic="paid"), queue(2, topic="paid")),
    )
    assert f"{CONSUMER.group}: " in drawn
    assert "x #0: " in drawn
    assert "com.acme.Cache" not in drawn
    assert "a&lt;b" in drawn
    assert "a<b" not in drawn
    assert {f"box part-{place}" in drawn for place in (1, 2)} == {True}, "each topic has a colour"


def test_many_queues_share_a_box() -> None:
    drawn = picture(
        shallow_bytes=8_000_000_000,
        consumers=(msgspec.structs.replace(CONSUMER, retained_bytes=7_000_000_000),),
        queues=tuple(queue(number, topic="paid", broker="x") for number in range(200)),
    )
    assert drawn.count("x #") <= 2 * 60
    assert "other queues: " in drawn


def test_another_heap_is_shown_by_holder() -> None:
    small = msgspec.structs.replace(CONSUMER, retained_bytes=MIB)
    drawn = picture(shallow_bytes=60 * MIB, consumers=(small,))
    assert "com.acme.Cache: 40 MiB" in drawn
    assert CONSUMER.group not in drawn


def test_nothing_is_drawn_of_a_heap_without_a_graph() -> None:
    assert heap_map(msgspec.structs.replace(ARTICLE_HEAP, dominators=())) is None


def test_a_list_of_the_jdk_has_the_name_and_the_colour_of_its_holder() -> None:
    """Else a heap that a local variable holds is one grey block."""
    held = msgspec.structs.replace(BOX, name="java.util.ArrayList")
    holder = Suspect(
        class_name="java.util.ArrayList",
        object_id="0x1",
        retained_bytes=40 * MIB,
        share=0.9,
        path=(),
        label="com.acme.Cache.PAGES",
    )
    drawn = picture(shallow_bytes=44 * MIB, consumers=(), dominators=(held,), suspects=(holder,))
    assert "com.acme.Cache.PAGES: " in drawn
    assert "box application" in drawn
    assert "box jdk" not in drawn
