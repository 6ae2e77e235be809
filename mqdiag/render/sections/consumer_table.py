"""Consumers of a heap dump: what they hold, what their thresholds allow, the settings in force, and their rates."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.heap import ConsumerFacts, TopicRate
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Fold, Nested, Pairs, Paragraph, Section, Table
from mqdiag.render.tables import Tables
from mqdiag.text import NOTHING, Text, Value, say, sentences

TABLES = Tables("consumer_table")

_NOT_SET = -1
"""RocketMQ's value of a threshold that is not set"""


def consumers_section(report: Report, view: View) -> Iterator[Section]:
    """One row for each consumer, then its settings, then the rates of the last minute."""
    if report.heap is None or not report.heap.consumers:
        return
    consumers = report.heap.consumers
    parts: list[AnyPart] = [
        TABLES.table("consumers", consumers, note=_note(consumers)),
        *map(_settings, consumers),
    ]
    if any(consumer.rates for consumer in consumers):
        parts.append(_rates(consumers))
    yield Section(name="consumers", title=say("Consumers"), parts=parts)


def _note(consumers: tuple[ConsumerFacts, ...]) -> Text:
    allowed = say(
        '"retained": what would be free without its queues, messages and queued requests together; "allowed": bodies'
        " that the thresholds let all queues hold together"
    )
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
            "bodies of {average_body_bytes:bytes} on average and {largest_body_bytes:bytes} at most", consumer
        )


def _rates(consumers: tuple[ConsumerFacts, ...]) -> Table:
    groups = len({one.group for one in consumers}) > 1
    drained = any(rate.lag and rate.drain_seconds is not None for one in consumers for rate in one.rates)
    return TABLES.table(
        "rates",
        [Nested(one, rate) for one in consumers for rate in one.rates],
        note=sentences(
            say('"lag": messages that wait on the broker.'),
            say('"drained in": at this rate, if no message is sent.') if drained else None,
        ),
        only_wide=() if groups else ("group",),
        drained_in=_drained_in,
    )


def _drained_in(row: Nested) -> Value:
    """Only what waits can be drained."""
    rate: TopicRate = row.inner
    return rate.drain_seconds if rate.lag else None
