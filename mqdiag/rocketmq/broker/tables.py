"""Tables and queues of a broker that grew without bound in some version, with what each keeps alive."""

from __future__ import annotations

from dataclasses import dataclass

from mqdiag.facts.broker import BrokerTable
from mqdiag.graph.collections import map_entries, sizes
from mqdiag.graph.heap import Heap
from mqdiag.rocketmq.broker.controllers import Controller, one

_ISSUES = "https://github.com/apache/rocketmq/issues/"


@dataclass(frozen=True, kw_only=True)
class _Known:
    """`path` leads from the controller to a map or a queue; `inner` to the table in each value of that map."""

    name: str
    path: str
    inner: str = ""
    issues: tuple[int, ...] = ()


_TABLES = (
    _Known(
        name="PopBufferMergeService.buffer",
        path="popMessageProcessor.popBufferMergeService.buffer",
        issues=(6598, 7031, 10052),
    ),
    _Known(
        name="PopBufferMergeService.commitOffsets",
        path="popMessageProcessor.popBufferMergeService.commitOffsets",
        issues=(6598, 7031),
    ),
    _Known(
        name="BrokerStatsManager.statsTable",
        path="brokerStatsManager.statsTable",
        inner="statsItemTable",
        issues=(8463,),
    ),
    _Known(name="ConsumerManager.consumerTable", path="consumerManager.consumerTable"),
    _Known(
        name="ProducerManager.groupChannelTable",
        path="producerManager.groupChannelTable",
        issues=(7737, 8673),
    ),
    _Known(name="PullRequestHoldService.pullRequestTable", path="pullRequestHoldService.pullRequestTable"),
    _Known(name="ConsumerOffsetManager.offsetTable", path="consumerOffsetManager.offsetTable"),
    _Known(name="TopicConfigManager.topicConfigTable", path="topicConfigManager.topicConfigTable"),
)
_UNBOUNDED = (("BrokerController.consumerManagerThreadPoolQueue", (3277,)),)
_QUEUE_ENDING = "ThreadPoolQueue"


def tables(broker: Controller) -> tuple[BrokerTable, ...]:
    """Those that are there, by retained size; empty ones are left out."""
    found = [(known, broker.first(broker.node, known.path)) for known in (*_TABLES, *_queues(broker))]
    rows = [_row(broker.heap, known, node) for known, node in found if node >= 0]
    return tuple(sorted((row for row in rows if row.entries), key=lambda row: (-row.retained_bytes, row.name)))


def _queues(broker: Controller) -> list[_Known]:
    row = int(broker.heap.index.rows[broker.node])
    names = [name for name in broker.heap.classes.field_places(row) if name.endswith(_QUEUE_ENDING)]
    issues = dict(_UNBOUNDED)
    return [
        _Known(
            name=f"BrokerController.{name}",
            path=name,
            issues=issues.get(f"BrokerController.{name}", ()),
        )
        for name in sorted(names)
    ]


def _row(heap: Heap, known: _Known, node: int) -> BrokerTable:
    held = one(node)
    if known.inner:
        # Timers hold the values as well, so that the outer map does not keep them alone.
        held = heap.refs(map_entries(heap, held)[2], known.inner)
        held = held[held >= 0]
    return BrokerTable(
        name=known.name,
        entries=int(sizes(heap, held).sum()),
        retained_bytes=int(heap.retained_sizes(held).sum()),
        issues=tuple(f"{_ISSUES}{number}" for number in known.issues),
    )
