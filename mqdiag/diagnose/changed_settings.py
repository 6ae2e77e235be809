"""Settings in force that are not RocketMQ's defaults: only their owner can say whether they are meant to be so.

Sources: the field initialisers of DefaultMQPushConsumer, and of BrokerConfig 4.3.2 to 5.3.3.
"""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import AdminFacts, HeapFacts
from mqdiag.facts.expectations import NOT_GIVEN
from mqdiag.facts.heap import ConsumerFacts
from mqdiag.findings import Report
from mqdiag.knowledge.consumer_settings import consumer_settings
from mqdiag.text import NOTHING, Text, say

SEND_QUEUE, SEND_QUEUE_DEFAULT = "sendThreadPoolQueueCapacity", 10_000
_MOST_SETTINGS = 3


def changed_settings(report: Report) -> Text:
    """One sentence about the first consumer or broker with such settings; nothing where all have the defaults."""
    for text in (*_of_consumers(report), *_of_brokers(report.heap, report.admin)):
        return text
    return NOTHING


def _of_consumers(report: Report) -> Iterator[Text]:
    if report.heap is None or all(one.reason != NOT_GIVEN for one in report.skipped):
        return
    for consumer in report.heap.consumers:
        changed = _changed(consumer) if consumer.kind == "push" else []
        if changed:
            yield say(
                "Group {group} runs with {settings:and}, not with RocketMQ's {count:default|defaults}. If you set"
                " another value, --expect {key}=VALUE shows it.",
                group=consumer.group,
                settings=tuple(say("{key}={value}", key=key, value=consumer.config[key]) for key in changed),
                count=len(changed),
                key=changed[0],
            )


def _changed(consumer: ConsumerFacts) -> list[str]:
    """Names of the first settings that differ."""
    changed = [
        key
        for key, defaults in consumer_settings().push_defaults.items()
        if consumer.config.get(key, defaults[0]) not in defaults
    ]
    return changed[:_MOST_SETTINGS]


def _of_brokers(heap: HeapFacts | None, admin: AdminFacts | None) -> Iterator[Text]:
    capacities = [] if admin is None else [status.values.get(SEND_QUEUE) for status in admin.broker_statuses]
    if heap is not None and heap.broker is not None:
        capacities.append(str(heap.broker.config.get(SEND_QUEUE, SEND_QUEUE_DEFAULT)))
    for capacity in capacities:
        if capacity is not None and capacity.isdecimal() and int(capacity) != SEND_QUEUE_DEFAULT:
            yield say(
                "The broker's send queue takes {capacity:count} {capacity:request|requests}, not {usual:count} as by"
                " default: check that sendThreadPoolQueueCapacity is meant to be so.",
                capacity=int(capacity),
                usual=SEND_QUEUE_DEFAULT,
            )
