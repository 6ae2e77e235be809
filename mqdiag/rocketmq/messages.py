"""Messages of a heap: those that ProcessQueues cache, their properties, and columns over all of them."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.collections import map_entries
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.read.hprof.distinct import distinct, is_in
from mqdiag.read.hprof.records import big_endian
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.client import Client, find_clients

CONSUME_START_TIME = "CONSUME_START_TIME"
"""epoch ms, set just before the listener by the concurrent and pop services since 3.5.3"""
MAX_OFFSET = "MAX_OFFSET"
"""end of the queue on the broker when the message was pulled"""
UNIQ_KEY = "UNIQ_KEY"
"""the message id that users know, since 3.5.1"""
KEYS = "KEYS"
TAGS = "TAGS"
_LONGEST_BIN = 4096
_SAMPLE = 64


class Cached(msgspec.Struct, frozen=True, kw_only=True):
    """Messages by queue and offset; all columns have one row a message.

    `queues` int64: position of the ProcessQueue. `nodes` int32. `offsets` int64: keys of the map, Heap.MISSING if
    unreadable. `in_flight` bool: in the orderly in-flight map. `bodies` int32, `body_bytes` int64: 0 for a null
    body. `stored_bytes` int64: size on the broker. `started_ms` int64: CONSUME_START_TIME, Heap.MISSING if not begun.
    `redeliveries` int64.
    """

    queues: NDArray[np.int64]
    nodes: Nodes
    offsets: NDArray[np.int64]
    in_flight: NDArray[np.bool_]
    bodies: Nodes
    body_bytes: NDArray[np.int64]
    stored_bytes: NDArray[np.int64]
    started_ms: NDArray[np.int64]
    redeliveries: NDArray[np.int64]


def read_cached(heap: Heap, process_queues: Nodes) -> Cached:
    """All messages in the maps of ProcessQueues."""
    parts = []
    for role, in_flight in (("ProcessQueue.messages", False), ("ProcessQueue.in_flight", True)):
        owners, keys, values = fields.entries(heap, process_queues, role)
        there = values >= 0
        offsets = fields.numbers(heap, keys[there], "Number.value")
        parts.append((owners[there], values[there], offsets, np.full(offsets.size, in_flight)))
    queues, nodes, offsets, flying = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((offsets, flying, queues))
    queues, nodes, offsets, flying = queues[order], nodes[order], offsets[order], flying[order]
    bodies = fields.refs(heap, nodes, "Message.body")
    return Cached(
        queues=queues,
        nodes=nodes,
        offsets=offsets,
        in_flight=flying,
        bodies=bodies,
        body_bytes=np.maximum(heap.array_lengths(bodies), 0),
        stored_bytes=_or_zero(heap, fields.numbers(heap, nodes, "MessageExt.stored_bytes")),
        started_ms=decimal_property(heap, nodes, CONSUME_START_TIME),
        redeliveries=_or_zero(heap, fields.numbers(heap, nodes, "MessageExt.redeliveries")),
    )


def incomplete_queues(heap: Heap, process_queues: Nodes, cached: Cached) -> NDArray[np.bool_]:
    """Which ProcessQueues have messages that are not read: a map, entries of it, a message or its body.

    A map counts its entries itself. While a thread changes it, it may be one ahead of them. A queue always has
    its maps: where none is found that counts, its class has fields or maps that no known version has.
    """
    without_body = fields.lacks(heap, cached.nodes, "Message.body")
    incomplete = np.bincount(cached.queues[without_body], minlength=process_queues.size) > 0
    for role, in_flight in (("ProcessQueue.messages", False), ("ProcessQueue.in_flight", True)):
        found = np.bincount(cached.queues[cached.in_flight == in_flight], minlength=process_queues.size)
        counted = fields.numbers(heap, process_queues, role, "TreeMap.size")
        incomplete |= (counted > found) | ((counted == heap.MISSING) & (found == 0))
    return incomplete


def distinct_body_bytes(heap: Heap, bodies: Nodes) -> int:
    """Bytes of the distinct arrays: messages may share one."""
    arrays = distinct(bodies[bodies >= 0])
    return int(np.maximum(heap.array_lengths(arrays), 0).sum())


def _or_zero(heap: Heap, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.where(numbers == heap.MISSING, 0, numbers)


# Properties


def property_nodes(heap: Heap, messages: Nodes, key: str) -> Nodes:
    """Value string of a key: int32[k], -1 where a message has no such property.

    A queue may hold 100,000 messages with ten properties each, so HashMaps are asked as `HashMap.get` asks them:
    one slot of the table, the hash beside each key of its bin, and the texts of those that agree.
    """
    found = np.full(messages.size, -1, np.int32)
    maps = fields.refs(heap, messages, "Message.properties")
    hashed = np.flatnonzero(_keeps_hashes(heap, maps))
    tables = fields.refs(heap, maps[hashed], "HashMap.table")
    hashed, tables = hashed[tables >= 0], tables[tables >= 0]
    if not hashes_are_true(heap, tables):
        hashed, tables = hashed[:0], tables[:0]
    for wanted in distinct(spread_hashes(key)).tolist():
        owners, nodes = _slot(heap, tables, wanted)
        for _ in range(_LONGEST_BIN):
            if not nodes.size:
                break
            close = np.flatnonzero(fields.numbers(heap, nodes, "Node.hash") == wanted)
            close = close[heap.strings_equal(fields.refs(heap, nodes[close], "Node.key"), key)]
            found[hashed[owners[close]]] = fields.refs(heap, nodes[close], "Node.value")
            following = fields.refs(heap, nodes, "Node.next")
            owners, nodes = owners[following >= 0], following[following >= 0]
    rest = maps >= 0
    rest[hashed] = False
    others = np.flatnonzero(rest)
    if others.size:
        places, names, values = map_entries(heap, maps[others])
        same = heap.strings_equal(names, key)
        found[others[places[same]]] = values[same]
    return found


def _slot(heap: Heap, tables: Nodes, wanted: int) -> tuple[NDArray[np.int64], Nodes]:
    """(position in `tables`, first node) of the slot that a hash belongs to, where it is not empty."""
    lengths = heap.array_lengths(tables)
    sound = np.flatnonzero((lengths > 0) & (lengths & (lengths - 1) == 0))
    id_size = heap.header.id_size
    # OBJECT ARRAY DUMP: tag, id, stack trace, length, array class, then the ids
    places = heap.index.places(tables[sound]) + 9 + 2 * id_size + id_size * (wanted & (lengths[sound] - 1))
    inside = places + id_size <= heap.data.size
    sound, places = sound[inside], places[inside]
    nodes = heap.index.lookup.find(big_endian(heap.data, places, id_size))
    return sound[nodes >= 0], nodes[nodes >= 0]


def _keeps_hashes(heap: Heap, maps: Nodes) -> NDArray[np.bool_]:
    """HashMap and its subclasses, what all clients use; any other map is read by its structure."""
    rows = heap.classes.subclasses(fields.class_rows(heap, "", "HashMap"))
    return is_in(heap.class_index(maps), rows)


def hashes_are_true(heap: Heap, tables: Nodes) -> bool:
    """A sample of keys against the hash beside them: JDK 7 may seed it, other JVMs may compute it otherwise."""
    _, nodes = heap.elements(tables[:: max(1, tables.size // _SAMPLE)][:_SAMPLE])
    hashes = fields.numbers(heap, nodes, "Node.hash").tolist()
    keys = fields.texts(heap, nodes, "Node.key")
    sampled = set(zip(keys, hashes, strict=True))  # messages have the same few keys
    return all(key is not None and found in spread_hashes(key) for key, found in sampled)


def spread_hashes(text: str) -> NDArray[np.int64]:
    """What HashMap stores for a string key: since JDK 8, and in JDK 7 without a seed."""
    code = 0
    raw = text.encode("utf-16-be", "replace")
    for at in range(0, len(raw), 2):
        code = (31 * code + int.from_bytes(raw[at : at + 2], "big")) & 0xFFFFFFFF
    older = code ^ (code >> 20) ^ (code >> 12)
    spread = [code ^ (code >> 16), older ^ (older >> 7) ^ (older >> 4)]
    return np.array([number - (1 << 32) if number >> 31 else number for number in spread], np.int64)


def decimal_property(heap: Heap, messages: Nodes, key: str) -> NDArray[np.int64]:
    """A property that is a number, Heap.MISSING where it is absent."""
    return heap.decimal_strings(property_nodes(heap, messages, key))


def text_property(heap: Heap, messages: Nodes, key: str) -> list[str | None]:
    """A property as text."""
    return fields.texts(heap, property_nodes(heap, messages, key))


def message_ids(heap: Heap, messages: Nodes) -> list[str | None]:
    """What getMsgId() gives: UNIQ_KEY since MessageClientExt of 3.5.1; before, or without one, the msgId field."""
    roots = fields.package_roots(heap, "MessageClientExt")
    rows = [row for root in roots for row in fields.class_rows(heap, root, "MessageClientExt")]
    is_client = is_in(heap.class_index(messages), heap.classes.subclasses(rows))
    unique = text_property(heap, np.where(is_client, messages, -1).astype(np.int32), UNIQ_KEY)
    stored = fields.texts(heap, messages, "MessageExt.id")
    return [key or offset_id for key, offset_id in zip(unique, stored, strict=True)]


# Tables


def message_columns(heap: Heap) -> tuple[Nodes, dict[str, NDArray[Any]]]:
    """(messages int32, columns) of all reachable messages, over all clients of the heap.

    Numbers are int64 with Heap.MISSING for unknown, times epoch milliseconds, texts object arrays with None.
    `process_queue` uint64 is the id of the ProcessQueue whose map holds the message, 0 where none does.
    """
    clients = find_clients(heap)
    found = [client.objects("MessageExt") for client in clients]
    nodes = distinct(np.concatenate([np.empty(0, np.int32), *found]))
    bodies = fields.refs(heap, nodes, "Message.body")
    return nodes, {
        "topic": _objects(fields.texts(heap, nodes, "Message.topic")),
        "queue_id": fields.numbers(heap, nodes, "MessageExt.queue_id"),
        "queue_offset": fields.numbers(heap, nodes, "MessageExt.queue_offset"),
        "msg_id": _objects(message_ids(heap, nodes)),
        "keys": _objects(text_property(heap, nodes, KEYS)),
        "tags": _objects(text_property(heap, nodes, TAGS)),
        "body_bytes": np.maximum(heap.array_lengths(bodies), 0),
        "stored_bytes": fields.numbers(heap, nodes, "MessageExt.stored_bytes"),
        "born_at": fields.numbers(heap, nodes, "MessageExt.born_ms"),
        "stored_at": fields.numbers(heap, nodes, "MessageExt.stored_ms"),
        "started_at": decimal_property(heap, nodes, CONSUME_START_TIME),
        "reconsume_times": fields.numbers(heap, nodes, "MessageExt.redeliveries"),
        "process_queue": _holding_queues(heap, clients, nodes),
    }


def _objects(values: list[str | None]) -> NDArray[Any]:
    column = np.empty(len(values), object)
    column[:] = values
    return column


def _holding_queues(heap: Heap, clients: list[Client], nodes: Nodes) -> NDArray[np.uint64]:
    """Ids of the ProcessQueues that hold the messages."""
    holding = np.zeros(nodes.size, np.uint64)
    for client in clients:
        queues = client.objects("ProcessQueue")
        cached = read_cached(heap, queues)
        places = fields.place_of(nodes, cached.nodes)
        known = places >= 0
        holding[places[known]] = heap.object_ids(queues[cached.queues[known]])
    return holding
