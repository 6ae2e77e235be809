"""Growth by who holds it: accumulation points, consumers, queues."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from mqdiag.diff.classes import plain_name
from mqdiag.diff.growth import both, growth, total
from mqdiag.facts import HeapFacts
from mqdiag.facts.diff import ConsumerGrowth, HolderGrowth, QueueGrowth
from mqdiag.facts.heap import ConsumerFacts, QueueFacts
from mqdiag.facts.heap_classes import Suspect


def holder_growth(before: HeapFacts, after: HeapFacts) -> tuple[HolderGrowth, ...]:
    """Accumulation points by name and owner, the largest growth first."""
    rows = [
        HolderGrowth(
            name=name,
            owner=owner,
            retained_bytes=growth(
                total(one.retained_bytes for one in old), total(one.retained_bytes for one in new)
            ),
        )
        for (name, owner), old, new in both(
            _grouped(before.suspects, _holder), _grouped(after.suspects, _holder)
        )
    ]
    return tuple(sorted(rows, key=lambda row: (-_size(row), row.name)))


def consumer_growth(before: HeapFacts, after: HeapFacts) -> tuple[ConsumerGrowth, ...]:
    """Consumers by group and kind."""
    rows = []
    for (group, kind), old, new in both(
        _grouped(before.consumers, _consumer), _grouped(after.consumers, _consumer)
    ):
        rows.append(
            ConsumerGrowth(
                group=group,
                kind=kind,
                consumers=growth(len(old), len(new)),
                messages=_summed(old, new, "messages"),
                body_bytes=_summed(old, new, "body_bytes"),
                retained_bytes=_summed(old, new, "retained_bytes"),
                bound_bytes=_summed(old, new, "bound_bytes"),
                queued_requests=_summed(old, new, "queued_requests"),
                lag=growth(_lag(before, group), _lag(after, group)),
            )
        )
    return tuple(rows)


def queue_growth(before: HeapFacts, after: HeapFacts) -> tuple[QueueGrowth, ...]:
    """Queues by group, topic, broker and number, those with most messages more first; dropped ones apart."""
    rows = []
    for (group, topic, broker, number), old, new in both(
        _grouped(_living(before), _queue), _grouped(_living(after), _queue)
    ):
        rows.append(
            QueueGrowth(
                group=group,
                topic=topic,
                broker=broker,
                queue_id=number,
                messages=_summed(old, new, "messages"),
                body_bytes=_summed(old, new, "body_bytes"),
                span=_summed(old, new, "span"),
                lag=_summed(old, new, "lag"),
                commit_offset=_summed(old, new, "commit_offset"),
                same_head=_same_head(old, new),
            )
        )
    return tuple(sorted(rows, key=lambda row: (-(row.messages.grown or 0), str(row.topic), row.queue_id or 0)))


def _grouped(rows: Iterable[Any], key: Any) -> dict[Any, list[Any]]:
    found: dict[Hashable, list[Any]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def _holder(suspect: Suspect) -> tuple[str, str]:
    return plain_name(suspect.label or suspect.class_name), suspect.owner


def _consumer(consumer: ConsumerFacts) -> tuple[str, str]:
    return consumer.group, consumer.kind


def _queue(queue: QueueFacts) -> tuple[str | None, str | None, str | None, int | None]:
    return queue.group, queue.topic, queue.broker, queue.queue_id


def _living(heap: HeapFacts) -> list[QueueFacts]:
    return [queue for queue in heap.queues if not queue.dropped]


def _summed(before: list[Any], after: list[Any], field: str) -> Any:
    return growth(total(getattr(one, field) for one in before), total(getattr(one, field) for one in after))


def _lag(heap: HeapFacts, group: str) -> int | None:
    known = [queue.lag for queue in _living(heap) if queue.group == group and queue.lag is not None]
    return total(known)


def _same_head(before: list[QueueFacts], after: list[QueueFacts]) -> bool | None:
    """An offset names one message of a queue for good."""
    if len(before) != 1 or len(after) != 1:
        return None
    old, new = before[0].min_offset, after[0].min_offset
    return None if old is None or new is None else old == new


def _size(row: HolderGrowth) -> int:
    """What it grew by; what came again counts whole."""
    return (row.retained_bytes.after or 0) - (row.retained_bytes.before or 0)
