"""Tables and queues of a broker that grew without limit in some version: entries and retained bytes."""

from __future__ import annotations

from functools import cache

import msgspec

from mqdiag.facts.broker import BrokerTable
from mqdiag.graph.collections import sizes
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.knowledge import packed
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.broker.controllers import Controller
from mqdiag.rocketmq.broker.requests import request_queue_fields

_ISSUES = "https://github.com/apache/rocketmq/issues/"


class _Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table by the name that reports show, and the way of roles from the controller to it."""

    name: str
    way: tuple[str, ...]
    inner: str = ""
    """role of the table in each value of the map at the end of the way, where those tables are meant"""
    issues: tuple[int, ...] = ()


class _Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    table: tuple[_Table, ...]


@cache
def _known() -> tuple[_Table, ...]:
    return packed.decode(packed.ROOT, "broker_tables", _Tables).table


_QUEUE_ISSUES = {"consumerManagerThreadPoolQueue": (3277,)}
"""request queues that have no limit in some version"""


def tables(broker: Controller) -> tuple[BrokerTable, ...]:
    """Those that are there, by retained size; empty ones are left out."""
    rows = [_table(broker, table) for table in _known()]
    for name, queue in request_queue_fields(broker).items():
        rows.append(
            _row(broker.heap, f"BrokerController.{name}", fields.one(queue), _QUEUE_ISSUES.get(name, ()))
        )
    return tuple(sorted((row for row in rows if row.entries), key=lambda row: (-row.retained_bytes, row.name)))


def _table(broker: Controller, table: _Table) -> BrokerTable:
    heap = broker.heap
    held = fields.refs(heap, fields.one(broker.node), *table.way)
    if table.inner:
        # Timers hold the values as well, so that the outer map does not keep them alone.
        held = fields.refs(heap, fields.entries(heap, held)[2], table.inner)
    return _row(heap, table.name, held[held >= 0], table.issues)


def _row(heap: Heap, name: str, held: Nodes, issues: tuple[int, ...]) -> BrokerTable:
    return BrokerTable(
        name=name,
        entries=int(sizes(heap, held).sum()),
        retained_bytes=int(heap.retained_sizes(held).sum()),
        issues=tuple(f"{_ISSUES}{number}" for number in issues),
    )
