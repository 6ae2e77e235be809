"""The RocketMQ view: consumers with the settings in force, and their queues."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import ConsumerFacts, QueueFacts, TopicRate
from mqdiag.render.text.page import Column, Page
from mqdiag.render.wording.sizes import duration, number, per_second, size

QUEUES_SHOWN = 10
TOPICS_SHOWN = 3

# The settings that decide how much is cached and how fast it is worked off, in that order.
SETTINGS_SHOWN = (
    "pullThresholdForQueue",
    "pullThresholdSizeForQueue",
    "pullThresholdForTopic",
    "pullThresholdSizeForTopic",
    "pullThresholdForAll",
    "popThresholdForQueue",
    "pullBatchSize",
    "consumeConcurrentlyMaxSpan",
    "consumeMaxSpan",
    "consumeThreadMin",
    "consumeThreadMax",
    "pullThreadNums",
    "consumeMessageBatchMaxSize",
    "consumeTimeout",
    "maxReconsumeTimes",
)


def show_consumers(page: Page, heap: HeapFacts) -> None:
    """One row each, then its settings."""
    if not heap.consumers:
        return
    page.heading("Consumers")
    page.table(
        [
            Column(head="group"),
            Column(head="kind"),
            Column(head="queues", right=True),
            Column(head="messages", right=True),
            Column(head="bodies", right=True),
            Column(head="retained", right=True),
            Column(head="allowed", right=True),
        ],
        [
            (
                consumer.group,
                consumer.kind,
                number(consumer.queues),
                number(consumer.messages),
                size(consumer.body_bytes),
                size(consumer.retained_bytes),
                size(consumer.bound_bytes),
            )
            for consumer in heap.consumers
        ],
    )
    page.paragraph('"allowed": bodies that the thresholds let all its queues hold together', style="dim")
    for consumer in heap.consumers:
        page.blank()
        page.hanging("-", f"{consumer.group}: {', '.join(_nature(consumer))}")
        # -1 is RocketMQ's word for "not set".
        settings = [
            f"{key}={_value(consumer.config[key])}"
            for key in SETTINGS_SHOWN
            if consumer.config.get(key, -1) != -1 and (consumer.kind == "pop" or not key.startswith("pop"))
        ]
        if settings:
            page.paragraph(f"in force: {', '.join(settings)}", indent=4)
        for rate in consumer.rates[:TOPICS_SHOWN]:
            page.paragraph(
                f"last {duration(rate.window_ms)} of {rate.topic}: {', '.join(_rate(rate))}", indent=4
            )


def _nature(consumer: ConsumerFacts) -> Iterator[str]:
    yield f"client {consumer.client_version or 'of unknown version'}"
    if consumer.message_model:
        yield consumer.message_model.lower()
    if consumer.orderly is not None:
        yield "orderly" if consumer.orderly else "concurrent"
    if consumer.pool_threads is not None:
        busy = "" if consumer.pool_active is None else f", {consumer.pool_active} busy"
        yield f"{consumer.pool_threads} worker threads{busy}"
    if consumer.queued_requests is not None:
        yield f"{number(consumer.queued_requests)} requests queued"
    if consumer.average_body_bytes is not None:
        largest = size(consumer.largest_body_bytes)
        largest = size(consumer.largest_body_bytes)
        yield f"bodies of {size(consumer.average_body_bytes)} on average, {largest} at most"


def _rate(rate: TopicRate) -> Iterator[str]:
    if rate.consumed_per_second is not None:
        yield (
            f"{per_second(rate.consumed_per_second)} consumed"
            if rate.consumed_per_second
            else "nothing consumed"
        )
    if rate.failed_per_second:
        yield f"{per_second(rate.failed_per_second)} failed"
    if rate.consume_ms is not None:
        yield f"{rate.consume_ms:,.0f} ms a call"
    if rate.lag is not None:
        gone = ""
        if rate.lag and rate.drain_seconds is not None:
            gone = f": gone in {duration(round(1000 * rate.drain_seconds))} at this rate"
        yield f"{number(rate.lag)} waiting{gone}"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "?" if value is None else str(value)


def show_queues(page: Page, heap: HeapFacts) -> None:
    """The largest queues; the rest as one sum. What all have in common is said once."""
    if not heap.queues:
        return
    rows = sorted(heap.queues, key=lambda queue: (-queue.body_bytes, -queue.messages, queue.queue_id or 0))
    shown, rest = rows[:QUEUES_SHOWN], rows[QUEUES_SHOWN:]
    names = [name for name in ("group", "topic", "broker") if len({getattr(row, name) for row in rows}) > 1]
    common = [f"{name} {getattr(rows[0], name) or '?'}" for name in ("topic", "broker") if name not in names]
    page.heading(f"Queues, all of {', '.join(common)}" if common else "Queues")
    page.table(
        [
            Column(head=" ".join((*names, "queue"))),
            Column(head="messages", right=True),
            Column(head="bodies", right=True),
            Column(head="offset", right=True),
            Column(head="span", right=True),
            Column(head="in hand", right=True),
        ],
        [
            (
                _place(queue, names),
                number(queue.messages),
                size(queue.body_bytes),
                "-" if queue.min_offset is None else str(queue.min_offset),
                "-" if queue.span is None else number(queue.span),
                "-" if queue.oldest_consume_age_ms is None else duration(queue.oldest_consume_age_ms),
            )
            for queue in shown
        ],
    )
    if rest:
        messages = sum(queue.messages for queue in rest)
        bodies = size(sum(queue.body_bytes for queue in rest))
        page.paragraph(f"and {number(len(rest))} more queues: {number(messages)} messages, {bodies} of bodies")
    page.paragraph('"offset": of the first cached message; "in hand": since a listener got it', style="dim")


def _place(queue: QueueFacts, names: list[str]) -> str:
    parts = [str(getattr(queue, name) or "?") for name in names]
    parts.append("#?" if queue.queue_id is None else f"#{queue.queue_id}")
    if queue.dropped:
        parts.append("(dropped)")
    return " ".join(parts)
