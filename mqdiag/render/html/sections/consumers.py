"""Consumers with their settings, and their queues as bars, strips and rows."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.figures.bars import BarRow, bars
from mqdiag.render.html.figures.offset_strip import Strip, offset_strips
from mqdiag.render.html.page.cells import age_cell, count_cell
from mqdiag.render.html.page.parts import AnyPart, Cell, Column, Figure, Fold, Pairs, Section, Table
from mqdiag.render.wording.settings import setting_text
from mqdiag.render.wording.sizes import number, size
from mqdiag.text import say

MOST_BARS = 20
MOST_STRIPS = 12
MOST_QUEUES = 2000


def consumers_section(report: Report, view: View) -> Section | None:
    """Nothing when the dump has neither consumer nor queue."""
    heap = report.heap
    if heap is None or not (heap.consumers or heap.queues):
        return None
    parts: list[AnyPart] = []
    if heap.consumers:
        parts.append(_consumers(heap))
        parts += [_settings(consumer) for consumer in heap.consumers]
    holding = [queue for queue in heap.queues if queue.messages]
    if holding:
        parts.append(_bars(holding))
    strips = [queue for queue in heap.queues if queue.held_offsets and (queue.span or 0) > 0]
    if strips:
        parts.append(_strips(strips))
    if heap.queues:
        parts.append(_queues(heap))
    return Section(name="consumers", title=say("Consumers and queues"), parts=parts)


def _consumers(heap: HeapFacts) -> Table:
    return Table(
        name="consumers",
        caption=say("Consumers"),
        columns=(
            Column(head=say("group")),
            Column(head=say("kind")),
            Column(head=say("client")),
            Column(head=say("queues"), number=True),
            Column(head=say("messages"), number=True),
            Column(head=say("bodies"), number=True),
            Column(head=say("retained"), number=True),
            Column(head=say("thresholds allow"), number=True),
        ),
        rows=[
            (
                one.group,
                one.kind,
                one.client_version or say("not known"),
                Cell(number(one.queues), one.queues),
                Cell(number(one.messages), one.messages),
                Cell(size(one.body_bytes), one.body_bytes),
                Cell(size(one.retained_bytes), -1 if one.retained_bytes is None else one.retained_bytes),
                Cell(size(one.bound_bytes), -1 if one.bound_bytes is None else one.bound_bytes),
            )
            for one in heap.consumers
        ],
    )


def _settings(consumer: ConsumerFacts) -> Fold:
    rows = [(key, setting_text(value)) for key, value in sorted(consumer.config.items())]
    return Fold(summary=say("Settings in force of {group}", group=consumer.group), parts=[Pairs(rows)])


def _bars(queues: list[QueueFacts]) -> Figure:
    shown = sorted(queues, key=lambda queue: (-queue.body_bytes, -queue.messages))[:MOST_BARS]
    left_out = len(queues) - len(shown)
    title = say(
        "The queue with most bytes is {name}: {body_bytes:bytes}",
        name=_name(shown[0]),
        body_bytes=shown[0].body_bytes,
    )
    return Figure(
        svg=bars(
            title,
            (say("bytes of bodies"), "messages"),
            [
                BarRow(
                    label=_name(queue),
                    first=queue.body_bytes,
                    first_text=size(queue.body_bytes),
                    second=queue.messages,
                    second_text=number(queue.messages),
                )
                for queue in shown
            ],
        ),
        caption=say("Queues by what they hold")
        + (say("; {left_out} more hold less", left_out=left_out) if left_out else ""),
    )


def _strips(queues: list[QueueFacts]) -> Figure:
    shown = sorted(queues, key=lambda queue: (-(queue.oldest_consume_age_ms or 0), -(queue.span or 0)))
    shown = shown[:MOST_STRIPS]
    widest = max(shown, key=lambda queue: queue.span or 0)
    return Figure(
        svg=offset_strips(
            say(
                "Offsets held, the widest span is {span:count} of {name}",
                span=widest.span,
                name=_name(widest),
            ),
            [
                Strip(
                    label=_name(queue),
                    runs=queue.held_offsets,
                    commit=queue.commit_offset,
                    head_text=_head(queue),
                )
                for queue in shown
            ],
        ),
        caption=(
            say(
                "Offsets of the queues, each on its own scale: filled is held, empty is finished; red"
                " is the message at the head that a listener has in hand, and no offset beyond it can"
                " be committed."
            )
        ),
    )


def _head(queue: QueueFacts) -> str:
    if queue.oldest_consume_age_ms is None or queue.min_offset is None:
        return ""
    finished = ""
    if queue.finished_beyond_head:
        finished = say(
            ", {finished_beyond_head:count} finished beyond it",
            finished_beyond_head=queue.finished_beyond_head,
        )
    return say(
        "offset {min_offset} in hand for {oldest_consume_age_ms:ms}{finished}",
        min_offset=queue.min_offset,
        oldest_consume_age_ms=queue.oldest_consume_age_ms,
        finished=finished,
    )


def _queues(heap: HeapFacts) -> Table:
    rows = sorted(heap.queues, key=lambda queue: (-queue.body_bytes, -queue.messages, queue.queue_id or 0))
    hidden = len(rows) - MOST_QUEUES
    return Table(
        name="queues",
        caption=say("Queues"),
        columns=(
            Column(head=say("group")),
            Column(head=say("topic")),
            Column(head=say("broker")),
            Column(head=say("queue"), number=True),
            Column(head=say("messages"), number=True),
            Column(head=say("bodies"), number=True),
            Column(head=say("first offset"), number=True),
            Column(head=say("last offset"), number=True),
            Column(head=say("span"), number=True),
            Column(head=say("committed"), number=True),
            Column(head=say("behind"), number=True),
            Column(head=say("head in hand"), number=True),
            Column(head=say("state")),
        ),
        rows=[
            (
                queue.group or "?",
                queue.topic or "?",
                queue.broker or "?",
                count_cell(queue.queue_id),
                count_cell(queue.messages),
                Cell(size(queue.body_bytes), queue.body_bytes),
                count_cell(queue.min_offset),
                count_cell(queue.max_offset),
                count_cell(queue.span),
                count_cell(queue.commit_offset),
                count_cell(queue.lag),
                age_cell(queue.oldest_consume_age_ms),
                _state(queue),
            )
            for queue in rows[:MOST_QUEUES]
        ],
        note=say("and {hidden:count} more queues; --format json has them all", hidden=hidden)
        if hidden > 0
        else "",
    )


def _state(queue: QueueFacts) -> str:
    return ", ".join(
        word for word, holds in ((say("dropped"), queue.dropped), (say("locked"), queue.locked)) if holds
    )


def _name(queue: QueueFacts) -> str:
    return f"{queue.topic or '?'} {queue.broker or '?'} #{'?' if queue.queue_id is None else queue.queue_id}"
