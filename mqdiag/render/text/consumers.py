"""The RocketMQ view: consumers with the settings in force, and their queues."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.facts.heap import ConsumerFacts, QueueFacts, TopicRate
from mqdiag.render.text.page import Column, Page
from mqdiag.render.wording.sizes import duration, number, size
from mqdiag.render.wording.words import word
from mqdiag.text import say

QUEUES_SHOWN = 10
TOPICS_SHOWN = 3


def show_consumers(page: Page, heap: HeapFacts) -> None:
    """One row each, then its settings."""
    if not heap.consumers:
        return
    page.heading(say("Consumers"))
    page.table(
        [
            Column(head=say("group")),
            Column(head=say("kind")),
            Column(head=say("queues"), right=True),
            Column(head=say("messages"), right=True),
            Column(head=say("bodies"), right=True),
            Column(head=say("retained"), right=True),
            Column(head=say("allowed"), right=True),
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
    page.paragraph(say('"allowed": bodies that the thresholds let all its queues hold together'), style="dim")
    for consumer in heap.consumers:
        page.blank()
        page.hanging("-", f"{consumer.group}: {', '.join(_nature(consumer))}")
        # -1 is RocketMQ's word for "not set".
        settings = [
            f"{key}={_value(consumer.config[key])}"
            for key in consumer.traits.main_settings
            if consumer.config.get(key, -1) != -1
        ]
        if settings:
            page.paragraph(say("in force: {settings}", settings=", ".join(settings)), indent=4)
        for rate in consumer.rates[:TOPICS_SHOWN]:
            page.paragraph(
                say(
                    "last {window_ms:ms} of {topic}: {rate}",
                    window_ms=rate.window_ms,
                    topic=rate.topic,
                    rate=", ".join(_rate(rate)),
                ),
                indent=4,
            )


def _nature(consumer: ConsumerFacts) -> Iterator[str]:
    yield say("client {client_version}", client_version=consumer.client_version or say("of unknown version"))
    if consumer.message_model:
        yield consumer.message_model.lower()
    if consumer.orderly is not None:
        yield say("orderly") if consumer.orderly else say("concurrent")
    if consumer.pool_threads is not None:
        busy = (
            ""
            if consumer.pool_active is None
            else say(", {pool_active} busy", pool_active=consumer.pool_active)
        )
        yield say("{pool_threads} worker threads{busy}", pool_threads=consumer.pool_threads, busy=busy)
    if consumer.queued_requests is not None:
        yield say("{queued_requests:count} requests queued", queued_requests=consumer.queued_requests)
    if consumer.average_body_bytes is not None:
        largest = size(consumer.largest_body_bytes)
        largest = size(consumer.largest_body_bytes)
        yield say(
            "bodies of {average_body_bytes:bytes} on average, {largest} at most",
            average_body_bytes=consumer.average_body_bytes,
            largest=largest,
        )


def _rate(rate: TopicRate) -> Iterator[str]:
    if rate.consumed_per_second is not None:
        yield (
            say("{consumed_per_second:rate} consumed", consumed_per_second=rate.consumed_per_second)
            if rate.consumed_per_second
            else say("nothing consumed")
        )
    if rate.failed_per_second:
        yield say("{failed_per_second:rate} failed", failed_per_second=rate.failed_per_second)
    if rate.consume_ms is not None:
        yield say("{consume_ms:count} ms a call", consume_ms=rate.consume_ms)
    if rate.lag is not None:
        gone = ""
        if rate.lag and rate.drain_seconds is not None:
            gone = say(
                ": gone in {drain_seconds:ms} at this rate",
                drain_seconds=round(1000 * rate.drain_seconds),
            )
        yield say("{lag:count} waiting{gone}", lag=rate.lag, gone=gone)


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
    common = [
        f"{word(name)} {getattr(rows[0], name) or '?'}" for name in ("topic", "broker") if name not in names
    ]
    page.heading(say("Queues, all of {common}", common=", ".join(common)) if common else say("Queues"))
    page.table(
        [
            Column(head=" ".join(map(word, (*names, "queue")))),
            Column(head=say("messages"), right=True),
            Column(head=say("bodies"), right=True),
            Column(head=say("offset"), right=True),
            Column(head=say("span"), right=True),
            Column(head=say("in hand"), right=True),
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
        page.paragraph(
            say(
                "and {rest:count} more queues: {messages:count} messages, {bodies} of bodies",
                rest=len(rest),
                messages=messages,
                bodies=bodies,
            )
        )
    page.paragraph(
        say('"offset": of the first cached message; "in hand": since a listener got it'), style="dim"
    )


def _place(queue: QueueFacts, names: list[str]) -> str:
    parts = [str(getattr(queue, name) or "?") for name in names]
    parts.append("#?" if queue.queue_id is None else f"#{queue.queue_id}")
    if queue.dropped:
        parts.append("(dropped)")
    return " ".join(parts)
