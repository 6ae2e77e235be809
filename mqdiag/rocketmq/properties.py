"""Message properties: values of a few keys for many messages at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.collections import map_entries
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq.queue_names import texts

CONSUME_START_TIME = "CONSUME_START_TIME"
"""epoch ms, set just before the listener by the concurrent and pop services since 3.5.3"""
MAX_OFFSET = "MAX_OFFSET"
"""end of the queue on the broker when the message was pulled"""
UNIQ_KEY = "UNIQ_KEY"
"""the message id that users know, since 3.5.1"""
KEYS = "KEYS"


def property_nodes(heap: Heap, messages: Nodes, keys: tuple[str, ...]) -> dict[str, Nodes]:
    """Value strings of each key: int32[k], -1 where a message has no such property."""
    found = {key: np.full(messages.size, -1, np.int32) for key in keys}
    owners, names, values = map_entries(heap, heap.refs(messages, "properties"))
    for key in keys:
        same = heap.strings_equal(names, key)
        found[key][owners[same]] = values[same]
    return found


def decimal_property(heap: Heap, messages: Nodes, key: str) -> NDArray[np.int64]:
    """A property that is a number, Heap.MISSING where it is absent."""
    return heap.decimal_strings(property_nodes(heap, messages, (key,))[key])


def message_ids(heap: Heap, messages: Nodes) -> list[str | None]:
    """The id that users know: UNIQ_KEY; the msgId field, an offset id, where there is none."""
    unique = texts(heap, property_nodes(heap, messages, (UNIQ_KEY,))[UNIQ_KEY])
    stored = texts(heap, heap.refs(messages, "msgId"))
    return [key or offset_id for key, offset_id in zip(unique, stored, strict=True)]


def text_property(heap: Heap, messages: Nodes, key: str) -> list[str | None]:
    """A property as text."""
    return texts(heap, property_nodes(heap, messages, (key,))[key])
