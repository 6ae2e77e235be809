"""Message properties: values of a few keys for many messages at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.collections import map_entries
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.read.hprof.records import big_endian
from mqdiag.rocketmq.queue_names import texts

CONSUME_START_TIME = "CONSUME_START_TIME"
"""epoch ms, set just before the listener by the concurrent and pop services since 3.5.3"""
MAX_OFFSET = "MAX_OFFSET"
"""end of the queue on the broker when the message was pulled"""
UNIQ_KEY = "UNIQ_KEY"
"""the message id that users know, since 3.5.1"""
KEYS = "KEYS"
CLIENT_MESSAGE = ".common.message.MessageClientExt"
_MAX_CHAIN = 4096
_SAMPLE = 64


def property_nodes(heap: Heap, messages: Nodes, key: str) -> Nodes:
    """Value string of a key: int32[k], -1 where a message has no such property.

    A queue may hold 100,000 messages with ten properties each, so HashMaps are asked as `HashMap.get` asks them:
    one slot of the table, the hash beside each key of its chain, and the texts of those that agree.
    """
    found = np.full(messages.size, -1, np.int32)
    maps = heap.refs(messages, "properties")
    hashed = np.flatnonzero(_keeps_hashes(heap, maps))
    tables = heap.refs(maps[hashed], "table")
    hashed, tables = hashed[tables >= 0], tables[tables >= 0]
    if not hashes_are_true(heap, tables):
        hashed, tables = hashed[:0], tables[:0]
    for wanted in np.unique(spread_hashes(key)).tolist():
        owners, nodes = _slot(heap, tables, wanted)
        for _ in range(_MAX_CHAIN):
            if not nodes.size:
                break
            close = np.flatnonzero(heap.numbers(nodes, "hash") == wanted)
            close = close[heap.strings_equal(heap.refs(nodes[close], "key"), key)]
            found[hashed[owners[close]]] = heap.refs(nodes[close], "value")
            following = heap.refs(nodes, "next")
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
    places = heap.index.offsets[tables[sound]] + 9 + 2 * id_size + id_size * (wanted & (lengths[sound] - 1))
    inside = places + id_size <= heap.data.size
    sound, places = sound[inside], places[inside]
    nodes = heap.index.lookup.find(big_endian(heap.data, places, id_size))
    return sound[nodes >= 0], nodes[nodes >= 0]


def _keeps_hashes(heap: Heap, maps: Nodes) -> NDArray[np.bool_]:
    """HashMap and its subclasses, what all clients use; any other map is read by its structure."""
    plain = heap.classes.subclasses(heap.classes.indices_named("java.util.HashMap"))
    return np.isin(heap.class_index(maps), plain)


def hashes_are_true(heap: Heap, tables: Nodes) -> bool:
    """A sample of keys against the hash beside them: JDK 7 may seed it, other JVMs may compute it otherwise."""
    _, nodes = heap.elements(tables[:: max(1, tables.size // _SAMPLE)][:_SAMPLE])
    hashes = heap.numbers(nodes, "hash").tolist()
    keys = texts(heap, heap.refs(nodes, "key"))
    return all(key is not None and found in spread_hashes(key) for key, found in zip(keys, hashes, strict=True))


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


def message_ids(heap: Heap, messages: Nodes) -> list[str | None]:
    """What getMsgId() gives: UNIQ_KEY since MessageClientExt of 3.5.1; before, or without one, the msgId field."""
    rows = heap.classes.subclasses(heap.classes.indices_ending(CLIENT_MESSAGE))
    with_key = np.where(np.isin(heap.class_index(messages), rows), messages, -1).astype(np.int32)
    unique = text_property(heap, with_key, UNIQ_KEY)
    stored = texts(heap, heap.refs(messages, "msgId"))
    return [key or offset_id for key, offset_id in zip(unique, stored, strict=True)]


def text_property(heap: Heap, messages: Nodes, key: str) -> list[str | None]:
    """A property as text."""
    return texts(heap, property_nodes(heap, messages, key))
