"""A row for each ProcessQueue: which messages it holds, how far consuming got, when it last moved."""

from __future__ import annotations

import numpy as np

from mqdiag.facts.heap import QueueFacts
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.client import Client
from mqdiag.rocketmq.messages import Cached, incomplete_queues
from mqdiag.rocketmq.queue_contents import QueueContents
from mqdiag.rocketmq.queue_names import QueueName
from mqdiag.rocketmq.queue_owners import QueueOwners

_NUMBERS = (
    "ProcessQueue.count",
    "ProcessQueue.size",
    "ProcessQueue.dropped",
    "ProcessQueue.locked",
    "ProcessQueue.last_pull_ms",
    "ProcessQueue.last_consume_ms",
    "ProcessQueue.last_lock_ms",
    "ProcessQueue.highest_offset",
    "ProcessQueue.left_on_broker",
)
_BEING_CHANGED = "being changed"
"""column: a thread was inside the write lock of the map"""


def queue_rows(
    client: Client,
    owners: QueueOwners,
    cached: Cached,
    commits: list[dict[QueueName, int]],
    orderly: list[bool | None],
) -> list[QueueFacts]:
    """All ProcessQueues of a client, dropped and `%RETRY%` ones too, in address order.

    Args:
        client: the client.
        owners: names and owners of the queues.
        cached: their messages.
        commits: stored offsets of each consumer.
        orderly: for each consumer, whether its listener is an orderly one.
    """
    heap = client.heap
    columns = _Columns(client, owners.nodes)
    contents = QueueContents(client.heap, cached, owners.nodes.size)
    _name_by_message(client.heap, owners, contents)
    incomplete = incomplete_queues(heap, owners.nodes, cached)
    rows = []
    for place, name in enumerate(owners.names):
        consumer = int(owners.consumers[place])
        commit = commits[consumer].get(name) if consumer >= 0 else None
        first, last = contents.head.offset(place), contents.tail.offset(place)
        next_offset = int(owners.next_offsets[place])
        largest = contents.largest(place)
        rows.append(
            QueueFacts(
                group=owners.groups[place],
                topic=name.topic,
                broker=name.broker,
                queue_id=name.queue_id,
                object_id=hex(heap.object_id(int(owners.nodes[place]))),
                messages=contents.count(place),
                in_flight=contents.count(place, in_flight=True),
                msg_count=columns.number("ProcessQueue.count", place),
                msg_size=columns.number("ProcessQueue.size", place),
                body_bytes=contents.body_bytes(place),
                largest_body_bytes=largest[0],
                largest_body_offset=largest[1],
                largest_body_msg_id=largest[2],
                min_offset=first,
                max_offset=last,
                span=None if first is None or last is None else last - first,
                commit_offset=commit,
                next_offset=None if next_offset == heap.MISSING else next_offset,
                lag=_lag(columns, contents, place, commit),
                started=contents.started(place),
                longest_consume_age_ms=contents.longest_age(place),
                redelivered=contents.redelivered(place),
                most_redelivered=contents.most_redelivered(place),
                oldest_consume_age_ms=contents.head.age(place),
                head_msg_id=contents.head.msg_id(place),
                head_keys=contents.head.keys(place),
                finished_beyond_head=None
                if consumer >= 0 and orderly[consumer]
                else _finished_beyond(columns, contents, place),
                held_offsets=contents.runs(place),
                assigned=bool(owners.assigned[place]),
                dropped=columns.flag("ProcessQueue.dropped", place),
                locked=columns.flag("ProcessQueue.locked", place),
                last_lock_age_ms=columns.age("ProcessQueue.last_lock_ms", place),
                last_pull_age_ms=columns.age("ProcessQueue.last_pull_ms", place),
                last_consume_age_ms=columns.age("ProcessQueue.last_consume_ms", place),
                being_changed=columns.flag(_BEING_CHANGED, place),
                incomplete=bool(incomplete[place]),
                found_by=owners.found_by[place],
            )
        )
    return rows


def _finished_beyond(columns: _Columns, contents: QueueContents, place: int) -> int | None:
    """How many pulled offsets above the head are no longer in the map."""
    head, pulled = contents.head.offset(place), columns.number("ProcessQueue.highest_offset", place)
    if head is None or pulled is None or pulled < head:
        return None
    return (pulled - head + 1) - (contents.count(place) - contents.count(place, in_flight=True))


def _lag(columns: _Columns, contents: QueueContents, place: int, commit: int | None) -> int | None:
    """Messages on the broker beyond the commit offset, as of the last pull.

    The broker's end is MAX_OFFSET of the last message; with an empty map the greatest offset ever put plus
    msgAccCnt, which RocketMQ computed from the same property. Without a stored offset the head counts, which
    is what would be committed.
    """
    end = contents.broker_end(place)
    pulled, behind = (
        columns.number("ProcessQueue.highest_offset", place),
        columns.number("ProcessQueue.left_on_broker", place),
    )
    if end is None and pulled is not None and behind is not None and behind > 0:
        end = pulled + behind
    done = commit if commit is not None else contents.head.offset(place)
    if done is None and end is not None and pulled is not None:
        done = pulled + 1
    return None if end is None or done is None else max(0, end - done)


def _name_by_message(heap: Heap, owners: QueueOwners, contents: QueueContents) -> None:
    """Name the queues that nothing refers to by their first message: topic, queue id, and since 4.7.1 the broker.

    A message of a `%RETRY%` queue carries its original topic once its listener has begun.
    """
    for place, way in enumerate(owners.found_by):
        row = int(contents.any_message[place])
        if way is not None or row < 0:
            continue
        node = contents.message(row)
        topic = fields.text(heap, node, "Message.topic")
        broker = fields.text(heap, node, "MessageExt.broker")
        queue_id = fields.number(heap, node, "MessageExt.queue_id")
        owners.names[place] = QueueName(topic, broker, queue_id)
        owners.found_by[place] = "message"


class _Columns:
    """Plain fields of the ProcessQueues; None where the version has no such field."""

    def __init__(self, client: Client, nodes: Nodes) -> None:
        heap = client.heap
        self._missing = heap.MISSING
        self._now = heap.header.captured_at_ms
        self._columns = {role: fields.numbers(heap, nodes, role) for role in _NUMBERS}
        locks = fields.refs(heap, nodes, "ProcessQueue.map_lock", "Lock.sync")
        writers = fields.refs(heap, locks, "Synchronizer.owner")
        self._columns[_BEING_CHANGED] = np.where(locks >= 0, writers >= 0, heap.MISSING).astype(np.int64)

    def number(self, role: str, place: int) -> int | None:
        """An integer field of one queue."""
        value = int(self._columns[role][place])
        return None if value == self._missing else value

    def flag(self, role: str, place: int) -> bool | None:
        """A boolean field of one queue."""
        value = self.number(role, place)
        return None if value is None else bool(value)

    def age(self, role: str, place: int) -> int | None:
        """Milliseconds from a time to the dump; None where either is unknown."""
        value = self.number(role, place)
        return None if value is None or value <= 0 or self._now <= 0 else self._now - value
