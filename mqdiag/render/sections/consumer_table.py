"""Consumers of a heap dump: what they hold, what their thresholds allow, the settings in force, and their rates."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.heap import ConsumerFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Column, Fold, Pairs, Paragraph, Section, Table
from mqdiag.render.wording.words import word
from mqdiag.text import NOTHING, Text, Value, say, sentences

_NOT_SET = -1
"""RocketMQ's value of a threshold that is not set"""


def consumers_section(report: Report, view: View) -> Iterator[Section]:
    """One row for each consumer, then its settings, then the rates of the last minute."""
    if report.heap is None or not report.heap.consumers:
        return
    consumers = report.heap.consumers
    parts: list[AnyPart] = [_table(consumers), *map(_settings, consumers)]
    if any(consumer.rates for consumer in consumers):
        parts.append(_rates(consumers))
    yield Section(name="consumers", title=say("Consumers"), parts=parts)


def _table(consumers: tuple[ConsumerFacts, ...]) -> Table:
    return Table(
        name="consumers",
        columns=(
            Column(say("group")),
            Column(say("kind")),
            Column(say("client"), wide=True),
            Column(say("read as"), wide=True, optional=True),
            Column(say("queues"), "count"),
            Column(say("messages"), "count"),
            Column(say("bodies"), "bytes"),
            Column(say("retained"), "bytes"),
            Column(say("allowed"), "bytes"),
            Column(say("allowed at most"), "bytes", wide=True),
        ),
        rows=[
            (
                one.group,
                word(one.kind),
                one.client_version,
                one.layout or "",
                one.queues,
                one.messages,
                one.body_bytes,
                one.retained_bytes,
                one.bound_bytes,
                one.bound_max_bytes,
            )
            for one in consumers
        ],
        note=_note(consumers),
    )


def _note(consumers: tuple[ConsumerFacts, ...]) -> Text:
    allowed = say('"allowed": bodies that the thresholds let all queues hold together')
    if all(one.bounded_queues in (None, one.queues) for one in consumers):
        return allowed
    return say(
        "{allowed}; dropped queues and empty %RETRY% queues are in the number of queues, but not in that sum",
        allowed=allowed,
    )


def _settings(consumer: ConsumerFacts) -> Fold:
    parts: list[AnyPart] = []
    main = tuple(
        say("{key}={value}", key=key, value=consumer.config[key])
        for key in consumer.traits.main_settings
        if consumer.config.get(key, _NOT_SET) != _NOT_SET
    )
    if main:
        parts.append(Paragraph(say("in force: {settings}", settings=main)))
    parts.append(
        Fold(
            say("All settings of {group}", group=consumer.group),
            (Pairs(sorted(consumer.config.items())),),
            wide=True,
        )
    )
    summary = say("{group}: {nature}", group=consumer.group, nature=tuple(_nature(consumer)))
    return Fold(summary, parts)


def _nature(consumer: ConsumerFacts) -> Iterator[Value]:
    yield say("client {client_version}", client_version=consumer.client_version)
    if consumer.message_model:
        yield consumer.message_model.lower()
    if consumer.orderly is not None:
        yield say("orderly") if consumer.orderly else say("concurrent")
    if consumer.pool_threads is not None:
        yield say(
            "{pool_threads:count} worker {pool_threads:thread|threads}{busy}",
            pool_threads=consumer.pool_threads,
            busy=NOTHING
            if consumer.pool_active is None
            else say(" ({pool_active:count} busy)", pool_active=consumer.pool_active),
        )
    if consumer.queued_requests is not None:
        yield say(
            "{queued_requests:count} queued {queued_requests:request|requests}",
            queued_requests=consumer.queued_requests,
        )
    if consumer.average_body_bytes is not None:
        yield say(
            "bodies of {average_body_bytes:bytes} on average and {largest_body_bytes:bytes} at most",
            average_body_bytes=consumer.average_body_bytes,
            largest_body_bytes=consumer.largest_body_bytes,
        )


def _rates(consumers: tuple[ConsumerFacts, ...]) -> Table:
    groups = len({one.group for one in consumers}) > 1
    drained = any(rate.lag and rate.drain_seconds is not None for one in consumers for rate in one.rates)
    return Table(
        name="rates",
        caption=say("Rates, as the client measured them before the dump"),
        columns=(
            Column(say("group"), wide=not groups),
            Column(say("topic")),
            Column(say("measured over"), "ms"),
            Column(say("consumed"), "rate"),
            Column(say("failed"), "rate", wide=True),
            Column(say("pulled"), "rate", wide=True),
            Column(say("a call"), "ms"),
            Column(say("lag"), "count"),
            Column(say("drained in"), "seconds", optional=True),
        ),
        rows=[
            (
                one.group,
                rate.topic,
                rate.window_ms,
                rate.consumed_per_second,
                rate.failed_per_second,
                rate.pulled_per_second,
                rate.consume_ms,
                rate.lag,
                rate.drain_seconds if rate.lag else None,
            )
            for one in consumers
            for rate in one.rates
        ],
        shown=(6, 500),
        note=sentences(
            say('"lag": messages that wait on the broker.'),
            say('"drained in": at this rate, if no message is sent.') if drained else None,
        ),
    )
