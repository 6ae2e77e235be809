"""Queues are drawn where they differ, and told in words where they do not."""

from __future__ import annotations

from typing import Any

import msgspec

from mqdiag.facts.heap import QueueFacts
from mqdiag.language import english
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Figure, Paragraph
from mqdiag.render.sections.queue_table import queues_section
from tests.render.samples import ARTICLE, ARTICLE_HEAP, queue


def shown(*queues: QueueFacts) -> list[AnyPart]:
    heap = msgspec.structs.replace(ARTICLE_HEAP, queues=queues)
    (section,) = queues_section(msgspec.structs.replace(ARTICLE, heap=heap), View())
    return [part for part in section.parts if isinstance(part, Figure | Paragraph)]


def words(*queues: QueueFacts) -> list[str]:
    return [english()(part.text) for part in shown(*queues) if isinstance(part, Paragraph)]


def held(queue_id: int, *runs: tuple[int, int], **over: Any) -> QueueFacts:
    return queue(queue_id, held_offsets=runs, **over)


def test_queues_that_hold_the_same_are_no_bars() -> None:
    assert words(queue(0), queue(1)) == [
        "The 2 queues that have messages hold about the same, up to 29 MiB of bodies in 71 messages each."
    ]
    (figure,) = shown(queue(0), queue(1, body_bytes=1000))
    assert isinstance(figure, Figure)
    assert shown(queue(0)) == []


def test_strips_are_drawn_of_queues_with_gaps() -> None:
    assert "No queue has a gap in the offsets of its cached messages." in words(
        held(0, (5, 75)), held(1, (5, 75))
    )
    (figure,) = shown(held(0, (5, 5), (9, 78)))
    assert isinstance(figure, Figure)
    assert "5" in figure.draw(english())
