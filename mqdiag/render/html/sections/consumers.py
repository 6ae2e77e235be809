"""Consumers with their settings, and their queues as bars, strips and rows."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.html.figures.bars import BarRow, bars
from mqdiag.render.html.figures.offset_strip import Strip, offset_strips
from mqdiag.render.html.page.parts import AnyPart, Cell, Column, Figure, Fold, Pairs, Section, Table
from mqdiag.render.wording.sizes import duration, number, size

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
    return Section(name="consumers", title="Consumers and queues", parts=parts)


def _consumers(heap: HeapFacts) -> Table:
    return Table(
        name="consumers",
        caption="Consumers",
        columns=(
            Column(head="group"),
            Column(head="kind"),
            Column(head="client"),
            Column(head="queues", number=True),
            Column(head="messages", number=True),
            Column(head="bodies", number=True),
            Column(head="retained", number=True),
            Column(head="thresholds allow", number=True),
        ),
        rows=[
            (
                one.group,
                one.kind,
                one.client_version or "not known",
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
    rows = [(key, _setting(value)) for key, value in sorted(consumer.config.items())]
    return Fold(summary=f"Settings in force of {consumer.group}", parts=[Pairs(rows)])


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "not known" if value is None else str(value)


def _bars(queues: list[QueueFacts]) -> Figure:
    shown = sorted(queues, key=lambda queue: (-queue.body_bytes, -queue.messages))[:MOST_BARS]
    left_out = len(queues) - len(shown)
    title = f"The queue with most bytes is {_name(shown[0])}: {size(shown[0].body_bytes)}"
    return Figure(
        svg=bars(
            title,
            ("bytes of bodies", "messages"),
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
        caption="Queues by what they hold" + (f"; {left_out} more hold less" if left_out else ""),
    )


def _strips(queues: list[QueueFacts]) -> Figure:
    shown = sorted(queues, key=lambda queue: (-(queue.oldest_consume_age_ms or 0), -(queue.span or 0)))
    shown = shown[:MOST_STRIPS]
    widest = max(shown, key=lambda queue: queue.span or 0)
    return Figure(
        svg=offset_strips(
            f"Offsets held, the widest span is {number(widest.span)} of {_name(widest)}",
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
            "Offsets of the queues, each on its own scale: filled is held, empty is finished; red is the message at the"
            " head that a listener has in hand, and no offset beyond it can be committed."
        ),
    )


def _head(queue: QueueFacts) -> str:
    if queue.oldest_consume_age_ms is None or queue.min_offset is None:
        return ""
    finished = ""
    if queue.finished_beyond_head:
        finished = f", {number(queue.finished_beyond_head)} finished beyond it"
    return f"offset {queue.min_offset} in hand for {duration(queue.oldest_consume_age_ms)}{finished}"


def _queues(heap: HeapFacts) -> Table:
    rows = sorted(heap.queues, key=lambda queue: (-queue.body_bytes, -queue.messages, queue.queue_id or 0))
    hidden = len(rows) - MOST_QUEUES
    return Table(
        name="queues",
        caption="Queues",
        columns=(
            Column(head="group"),
            Column(head="topic"),
            Column(head="broker"),
            Column(head="queue", number=True),
            Column(head="messages", number=True),
            Column(head="bodies", number=True),
            Column(head="first offset", number=True),
            Column(head="last offset", number=True),
            Column(head="span", number=True),
            Column(head="committed", number=True),
            Column(head="behind", number=True),
            Column(head="head in hand", number=True),
            Column(head="state"),
        ),
        rows=[
            (
                queue.group or "?",
                queue.topic or "?",
                queue.broker or "?",
                _cell(queue.queue_id),
                _cell(queue.messages),
                Cell(size(queue.body_bytes), queue.body_bytes),
                _cell(queue.min_offset),
                _cell(queue.max_offset),
                _cell(queue.span),
                _cell(queue.commit_offset),
                _cell(queue.lag),
                _cell(queue.oldest_consume_age_ms, duration),
                _state(queue),
            )
            for queue in rows[:MOST_QUEUES]
        ],
        note=f"and {number(hidden)} more queues; --format json has them all" if hidden > 0 else "",
    )


def _cell(value: int | None, words: object = None) -> Cell:
    if value is None:
        return Cell("", -1)
    return Cell(words(value) if callable(words) else number(value), value)


def _state(queue: QueueFacts) -> str:
    return ", ".join(word for word, holds in (("dropped", queue.dropped), ("locked", queue.locked)) if holds)


def _name(queue: QueueFacts) -> str:
    return f"{queue.topic or '?'} {queue.broker or '?'} #{'?' if queue.queue_id is None else queue.queue_id}"
