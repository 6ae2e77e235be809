"""How fast a consumer works, from the statistics that the client keeps of itself.

Each item of the statistics only grows; every ten seconds a snapshot of it goes to a list of at most seven.
The counters are AtomicLong up to 4.9.1 and LongAdder after it.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.facts.heap import QueueFacts, TopicRate
from mqdiag.graph.collections import items
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.remoting_kind import Consumer

CONSUMED, FAILED, PULLED, CONSUME_TIME = (
    "ConsumerStatsManager.consumed",
    "ConsumerStatsManager.failed",
    "ConsumerStatsManager.pulled",
    "ConsumerStatsManager.consume_time",
)
_MINUTE_MS = 60_000
_LEAST_WINDOW_MS = 1000


class _Growth(msgspec.Struct, frozen=True, kw_only=True):
    """Growth of one counter since the oldest snapshot of the minute, or since the start of a younger consumer."""

    window_ms: int
    value: int
    times: int

    @property
    def per_second(self) -> float:
        return round(self.value * 1000 / self.window_ms, 3)


def topic_rates(consumer: Consumer, rows: list[QueueFacts]) -> tuple[TopicRate, ...]:
    """Rates by topic; empty for a consumer that is not started."""
    heap = consumer.client.heap
    manager = fields.ref(heap, consumer.instance, "MQClientInstance.statistics")
    if manager < 0 or heap.header.captured_at_ms <= 0:
        return ()
    growths = {
        role: _growths(heap, fields.ref(heap, manager, role), consumer)
        for role in (CONSUMED, FAILED, PULLED, CONSUME_TIME)
    }
    topics = sorted(set().union(*growths.values()))
    found = []
    for topic in topics:
        of = {role: growths[role].get(topic) for role in growths}
        windows = [growth.window_ms for growth in of.values() if growth is not None]
        lags = [row.lag for row in rows if row.topic == topic and row.lag is not None]
        lag = sum(lags) if lags else None
        consumed, time = of[CONSUMED], of[CONSUME_TIME]
        found.append(
            TopicRate(
                topic=topic,
                window_ms=max(windows),
                consumed_per_second=_rate(consumed),
                failed_per_second=_rate(of[FAILED]),
                pulled_per_second=_rate(of[PULLED]),
                consume_ms=round(time.value / time.times, 3) if time is not None and time.times > 0 else None,
                lag=lag,
                drain_seconds=round(lag / consumed.per_second, 1)
                if lag is not None and consumed is not None and consumed.per_second > 0
                else None,
            )
        )
    return tuple(found)


def _rate(growth: _Growth | None) -> float | None:
    return None if growth is None else growth.per_second


def _growths(heap: Heap, statistics: int, consumer: Consumer) -> dict[str, _Growth]:
    """By topic, of one StatsItemSet; the keys of its table are "topic@group"."""
    _, keys, nodes = fields.entries(heap, fields.one(statistics), "StatsItemSet.items")
    owners, snapshots = items(heap, fields.refs(heap, nodes, "StatsItem.minute_snapshots"))
    distinct, first = np.unique(owners, return_index=True)
    oldest = np.full(nodes.size, -1, np.int32)
    oldest[distinct] = snapshots[first]
    values, times = _counter(heap, nodes, "StatsItem.value"), _counter(heap, nodes, "StatsItem.times")
    since = fields.numbers(heap, oldest, "CallSnapshot.at_ms")
    value_then = fields.numbers(heap, oldest, "CallSnapshot.value")
    times_then = fields.numbers(heap, oldest, "CallSnapshot.times")
    started = fields.number(heap, consumer.implementation, "ConsumerImpl.started_ms") or 0
    if heap.header.captured_at_ms - started <= _MINUTE_MS:
        since[:], value_then[:], times_then[:] = started, 0, 0
    found = {}
    for at, key in enumerate(fields.texts(heap, keys)):
        topic, _, rest = (key or "").rpartition(f"@{consumer.group}")
        window = heap.header.captured_at_ms - int(since[at])
        if topic and not rest and since[at] > 0 and window >= _LEAST_WINDOW_MS:
            found[topic] = _Growth(
                window_ms=window,
                value=max(0, int(values[at] - value_then[at])),
                times=max(0, int(times[at] - times_then[at])),
            )
    return found


def _counter(heap: Heap, nodes: Nodes, role: str) -> NDArray[np.int64]:
    """Values of AtomicLongs, or of LongAdders: base and cells."""
    values = fields.numbers(heap, nodes, role)
    adders = fields.refs(heap, nodes, role)
    base = fields.numbers(heap, adders, "LongAdder.base")
    owners, cells = heap.elements(fields.refs(heap, adders, "LongAdder.cells"))
    parts = np.zeros(nodes.size, np.int64)
    np.add.at(parts, owners, fields.numbers(heap, cells, "Number.value"))
    return np.where(values != heap.MISSING, values, base + parts)
