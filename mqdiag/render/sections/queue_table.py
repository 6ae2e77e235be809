"""The queues of a heap dump: as bars, as strips of offsets, and in rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import QueueFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.figures.bars import BarRow, bars
from mqdiag.render.figures.offset_strip import Strip, offset_strips
from mqdiag.render.parts import AnyPart, Bullets, Figure, Paragraph, Row, Section, Table
from mqdiag.render.tables import Tables
from mqdiag.render.wording.words import queue_number
from mqdiag.text import NOTHING, Text, Value, say

TABLES = Tables("queue_table")

ALIKE = 1.1
"""the largest against the smallest: bars that differ less tell nothing"""
_MOST_BARS = 20
_MOST_STRIPS = 12
_COMMON = (
    ("group", say("group {group}")),
    ("topic", say("topic {topic}")),
    ("broker", say("broker {broker}")),
)


def queues_section(report: Report, view: View) -> Iterator[Section]:
    """What all queues have in common is in the title."""
    heap = report.heap
    if heap is None or not heap.queues:
        return
    parts: list[AnyPart] = []
    parts += _bars([queue for queue in heap.queues if queue.messages])
    parts += _strips([queue for queue in heap.queues if queue.held_offsets and (queue.span or 0) > 0])
    parts.append(_table(heap))
    yield Section(name="queues", title=_title(heap), short_title=say("Queues"), parts=parts)


def _title(heap: HeapFacts) -> Text:
    common = tuple(
        words.filled({name: getattr(heap.queues[0], name)})
        for name, words in _COMMON
        if not _differ(heap, name)
    )
    return say("Queues, all of {common}", common=common) if common else say("Queues")


def _differ(heap: HeapFacts, name: str) -> bool:
    return len({getattr(queue, name) for queue in heap.queues}) > 1


def _table(heap: HeapFacts) -> Table:
    same = [name for name in ("group", "topic", "broker") if not _differ(heap, name)]
    rows = sorted(heap.queues, key=_weight)
    return TABLES.table("queues", rows, rest=_rest, only_wide=same, queue=_number)


def _number(queue: QueueFacts) -> Value:
    return None if queue.queue_id is None else queue_number(queue.queue_id)


def _weight(queue: QueueFacts) -> tuple[int, int, int]:
    return (-queue.body_bytes, -queue.messages, queue.queue_id or 0)


def _rest(rows: Sequence[Row]) -> Text:
    return say(
        "and {hidden:count} more {hidden:queue|queues}: {messages:count} {messages:message|messages},"
        " {body_bytes:bytes} of bodies",
        hidden=len(rows),
        messages=_sum(rows, 4),
        body_bytes=_sum(rows, 5),
    )


def _sum(rows: Sequence[Row], place: int) -> int:
    return sum(value for row in rows if isinstance(value := row[place], int))


def _name(queue: QueueFacts) -> Text:
    if queue.queue_id is not None and queue.queue_id < 0:
        return say("{topic} {broker}", queue)
    return say("{topic} {broker} #{queue_id}", queue)


def _bars(queues: list[QueueFacts]) -> Iterator[AnyPart]:
    """What each queue holds: as bars where they differ, else in words."""
    if len(queues) < 2:
        return
    bodies, messages = ([getattr(queue, name) for queue in queues] for name in ("body_bytes", "messages"))
    if max(bodies) <= ALIKE * min(bodies) and max(messages) <= ALIKE * min(messages):
        yield Paragraph(
            say(
                "The {queues:count} queues that have messages hold about the same, up to {body_bytes:bytes} of bodies"
                " in {messages:count} {messages:message|messages} each.",
                queues=len(queues),
                body_bytes=max(bodies),
                messages=max(messages),
            ),
            wide=True,
        )
        return
    shown = sorted(queues, key=_weight)[:_MOST_BARS]
    title = say(
        "The queue with the most bytes is {name}: {body_bytes:bytes}",
        name=_name(shown[0]),
        body_bytes=shown[0].body_bytes,
    )
    rows = [BarRow(label=_name(queue), first=queue.body_bytes, second=queue.messages) for queue in shown]
    left_out = len(queues) - len(shown)
    yield Figure(
        draw=lambda write: bars(
            write, title, (say("bytes of bodies"), say("messages")), ("bytes", "count"), rows
        ),
        caption=say("Queues by what they hold; {left_out:count} more hold less", left_out=left_out)
        if left_out
        else say("Queues by what they hold"),
    )


def _strips(queues: list[QueueFacts]) -> Iterator[AnyPart]:
    """The offsets of queues that have gaps; a queue without one would be a full strip."""
    gapped = [queue for queue in queues if len(queue.held_offsets) > 1]
    if not gapped:
        if queues:
            yield Paragraph(say("No queue has a gap in the offsets of its cached messages."), wide=True)
        return
    shown = sorted(gapped, key=lambda queue: (-(queue.oldest_consume_age_ms or 0), -(queue.span or 0)))
    shown = shown[:_MOST_STRIPS]
    widest = max(shown, key=lambda queue: queue.span or 0)
    title = say(
        "Offsets that are held; the largest span is {span:count} of {name}",
        span=widest.span,
        name=_name(widest),
    )
    strips = [
        Strip(label=_name(queue), runs=queue.held_offsets, commit=queue.commit_offset, head=_head(queue))
        for queue in shown
    ]
    beyond = [queue for queue in shown if queue.finished_beyond_head]
    words = [say("{name}: {head}", name=_name(queue), head=_head(queue)) for queue in beyond if _head(queue)]
    yield Figure(
        draw=lambda write: offset_strips(write, title, strips),
        caption=say(
            "Offsets of the queues with gaps, each on its own scale: filled is held, empty is finished. Red is the"
            " first message while a listener has it in hand; no offset beyond it can be committed."
        ),
        words=(Bullets(words, title=say("First message in hand")),) if words else (),
    )


def _head(queue: QueueFacts) -> Text:
    if queue.oldest_consume_age_ms is None or queue.min_offset is None:
        return NOTHING
    if not queue.finished_beyond_head:
        return say(
            "offset {offset} in hand for {age:ms}", offset=queue.min_offset, age=queue.oldest_consume_age_ms
        )
    return say(
        "offset {offset} in hand for {age:ms}, {finished:count} finished beyond it",
        offset=queue.min_offset,
        age=queue.oldest_consume_age_ms,
        finished=queue.finished_beyond_head,
    )
