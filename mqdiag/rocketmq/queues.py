"""A row for each ProcessQueue: what it holds, how far it is, since when it stands still."""

from __future__ import annotations

import numpy as np

from mqdiag.facts.heap import QueueFacts
from mqdiag.rocketmq.bind import Client
from mqdiag.rocketmq.cached import Cached
from mqdiag.rocketmq.links import Links
from mqdiag.rocketmq.queue_columns import QueueColumns
from mqdiag.rocketmq.queue_names import QueueName, texts
from mqdiag.rocketmq.queue_spans import QueueSpans


def queue_rows(
    client: Client,
    links: Links,
    cached: Cached,
    commits: list[dict[QueueName, int]],
    orderly: list[bool | None],
) -> list[QueueFacts]:
    """All ProcessQueues of a client, dropped and `%RETRY%` ones too, in address order.

    Args:
        client: the client.
        links: names and owners of the queues.
        cached: their messages.
        commits: stored offsets of each consumer.
        orderly: for each consumer, whether its listener is an orderly one.
    """
    heap = client.heap
    columns = QueueColumns(client, links.nodes)
    spans = QueueSpans(client, cached, links.nodes.size)
    _name_by_message(client, links, spans)
    rows = []
    for place, name in enumerate(links.names):
        consumer = int(links.consumers[place])
        commit = commits[consumer].get(name) if consumer >= 0 else None
        first, last = spans.head.offset(place), spans.tail.offset(place)
        next_offset = int(links.next_offsets[place])
        largest = spans.largest(place)
        rows.append(
            QueueFacts(
                group=links.groups[place],
                topic=name.topic,
                broker=name.broker,
                queue_id=name.queue_id,
                object_id=hex(heap.object_id(int(links.nodes[place]))),
                messages=spans.count(place),
                in_flight=spans.count(place, in_flight=True),
                msg_count=columns.number("count", place),
                msg_size=columns.number("size", place),
                body_bytes=spans.body_bytes(place),
                largest_body_bytes=largest[0],
                largest_body_offset=largest[1],
                largest_body_msg_id=largest[2],
                min_offset=first,
                max_offset=last,
                span=None if first is None or last is None else last - first,
                commit_offset=commit,
                next_offset=None if next_offset == heap.MISSING else next_offset,
                lag=_lag(columns, spans, place, commit),
                started=spans.started(place),
                longest_consume_age_ms=spans.longest_age(place),
                redelivered=spans.redelivered(place),
                most_redelivered=spans.most_redelivered(place),
                oldest_consume_age_ms=spans.head.age(place),
                head_msg_id=spans.head.msg_id(place),
                head_keys=spans.head.keys(place),
                finished_beyond_head=None
                if consumer >= 0 and orderly[consumer]
                else _finished_beyond(columns, spans, place),
                held_offsets=spans.runs(place),
                assigned=bool(links.assigned[place]),
                dropped=columns.flag("dropped", place),
                locked=columns.flag("locked", place),
                last_lock_age_ms=columns.age("lastLockTimestamp", place),
                last_pull_age_ms=columns.age("lastPullTimestamp", place),
                last_consume_age_ms=columns.age("lastConsumeTimestamp", place),
                being_changed=columns.flag("writer", place),
                found_by=links.found_by[place],
            )
        )
    return rows


def _finished_beyond(columns: QueueColumns, spans: QueueSpans, place: int) -> int | None:
    """Offsets above the head that were pulled and are no longer in the map."""
    head, pulled = spans.head.offset(place), columns.number("queueOffsetMax", place)
    if head is None or pulled is None or pulled < head:
        return None
    return (pulled - head + 1) - (spans.count(place) - spans.count(place, in_flight=True))


def _lag(columns: QueueColumns, spans: QueueSpans, place: int, commit: int | None) -> int | None:
    """Messages on the broker beyond the commit offset, as of the last pull.

    The broker's end is MAX_OFFSET of the last message; with an empty map the greatest offset ever put plus
    msgAccCnt, which RocketMQ computed from the same property. Without a stored offset the head counts, which
    is what would be committed.
    """
    end = spans.broker_end(place)
    pulled, behind = columns.number("queueOffsetMax", place), columns.number("msgAccCnt", place)
    if end is None and pulled is not None and behind is not None and behind > 0:
        end = pulled + behind
    done = commit if commit is not None else spans.head.offset(place)
    if done is None and end is not None and pulled is not None:
        done = pulled + 1
    return None if end is None or done is None else max(0, end - done)


def _name_by_message(client: Client, links: Links, spans: QueueSpans) -> None:
    """The last way: a queue's own first message says topic and queue id, and since 4.7.0 the broker.

    A message of a `%RETRY%` queue carries its original topic once its listener has begun.
    """
    heap = client.heap
    for place, way in enumerate(links.found_by):
        row = int(spans.any_message[place])
        if way is not None or row < 0:
            continue
        node = np.array([spans.message(row)], np.int32)
        topic, broker = (texts(heap, heap.refs(node, field))[0] for field in ("topic", "brokerName"))
        queue_id = heap.number(int(node[0]), "queueId")
        links.names[place] = QueueName(topic, broker, queue_id)
        links.found_by[place] = "message"
