"""Sums over the messages of each queue, and its first and last one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mqdiag.graph.heap import Heap
from mqdiag.rocketmq.messages import (
    KEYS,
    MAX_OFFSET,
    Cached,
    decimal_property,
    distinct_body_bytes,
    message_ids,
    text_property,
)

MOST_RUNS = 64
"""most runs of offsets that are kept for a queue"""


class QueueContents:
    """Sums over the messages of each queue, and its first and last one.

    `cached` is sorted by queue, then in-flight messages last, then offset.
    """

    def __init__(self, heap: Heap, cached: Cached, queues: int) -> None:
        self._heap, self._cached = heap, cached
        self._now = heap.header.captured_at_ms
        self._bounds = np.searchsorted(cached.queues, np.arange(queues + 1))
        waiting = np.bincount(cached.queues[~cached.in_flight], minlength=queues)
        self._waiting = waiting
        firsts = np.where(waiting > 0, self._bounds[:-1], -1)
        lasts = np.where(waiting > 0, self._bounds[:-1] + waiting - 1, -1)
        self.head = _EndMessages(heap, cached, firsts)
        self.tail = _EndMessages(heap, cached, lasts)
        self.any_message = np.where(np.diff(self._bounds) > 0, self._bounds[:-1], -1)
        with_body = cached.bodies >= 0
        self._largest = np.full(queues, -1, np.int64)
        order = np.lexsort((-cached.offsets, cached.body_bytes, cached.queues))
        order = order[with_body[order]]
        self._largest[cached.queues[order]] = order
        self._largest_ids = message_ids(heap, _rows(cached.nodes, self._largest))
        self._max_offsets = decimal_property(heap, _rows(cached.nodes, lasts), MAX_OFFSET)

    def _slice(self, place: int) -> slice:
        return slice(int(self._bounds[place]), int(self._bounds[place + 1]))

    def count(self, place: int, in_flight: bool = False) -> int:
        """Messages of a queue, or those of its orderly in-flight map alone."""
        all_of_it = int(self._bounds[place + 1] - self._bounds[place])
        return all_of_it - int(self._waiting[place]) if in_flight else all_of_it

    def body_bytes(self, place: int) -> int:
        """Bytes of the queue's distinct bodies."""
        return distinct_body_bytes(self._heap, self._cached.bodies[self._slice(place)])

    def largest(self, place: int) -> tuple[int | None, int | None, str | None]:
        """Bytes, offset and id of the largest body; the first of several."""
        row = int(self._largest[place])
        if row < 0:
            return None, None, None
        return int(self._cached.body_bytes[row]), self._offset(row), self._largest_ids[place]

    def _offset(self, row: int) -> int | None:
        offset = int(self._cached.offsets[row])
        return None if offset == self._heap.MISSING else offset

    def _starts(self, place: int) -> NDArray[np.int64]:
        starts: NDArray[np.int64] = self._cached.started_ms[self._slice(place)]
        starts = starts[starts != self._heap.MISSING]
        return starts

    def started(self, place: int) -> int:
        """Messages that were handed to a listener."""
        return int(self._starts(place).size)

    def longest_age(self, place: int) -> int | None:
        """Milliseconds since the first of them was."""
        starts = self._starts(place)
        return int(self._now - starts.min()) if starts.size and self._now > 0 else None

    def redelivered(self, place: int) -> int:
        """Messages that failed before."""
        return int((self._cached.redeliveries[self._slice(place)] > 0).sum())

    def most_redelivered(self, place: int) -> int | None:
        """How often the one that failed most did; None for an empty map."""
        times = self._cached.redeliveries[self._slice(place)]
        return int(times.max()) if times.size else None

    def runs(self, place: int) -> tuple[tuple[int, int], ...]:
        """Offsets of the map as (first, last) of each run without a gap; beyond 64 the widest gaps are kept."""
        begin = int(self._bounds[place])
        offsets = self._cached.offsets[begin : begin + int(self._waiting[place])]
        offsets = offsets[offsets != self._heap.MISSING]
        if not offsets.size:
            return ()
        gaps = np.diff(offsets)
        breaks = np.flatnonzero(gaps > 1)
        if breaks.size >= MOST_RUNS:
            widest = np.argsort(-gaps[breaks], kind="stable")[: MOST_RUNS - 1]
            breaks = np.sort(breaks[widest])
        firsts = offsets[np.concatenate(([0], breaks + 1))]
        lasts = offsets[np.concatenate((breaks, [offsets.size - 1]))]
        return tuple(zip(firsts.tolist(), lasts.tolist(), strict=True))

    def message(self, row: int) -> int:
        """Node of a message."""
        return int(self._cached.nodes[row])

    def broker_end(self, place: int) -> int | None:
        """MAX_OFFSET of the last message."""
        value = int(self._max_offsets[place])
        return None if value == self._heap.MISSING else value


class _EndMessages:
    """The first or last message of each queue. `rows` int64: row in `cached`, -1 for an empty map."""

    def __init__(self, heap: Heap, cached: Cached, rows: NDArray[np.int64]) -> None:
        self._heap, self._now, self._there = heap, heap.header.captured_at_ms, rows >= 0
        nodes = _rows(cached.nodes, rows)
        self._offsets = _rows(cached.offsets, rows)
        self._starts = _rows(cached.started_ms, rows)
        self._ids = message_ids(heap, nodes)
        self._keys = text_property(heap, nodes, KEYS)

    def offset(self, place: int) -> int | None:
        value = int(self._offsets[place])
        return None if not self._there[place] or value == self._heap.MISSING else value

    def age(self, place: int) -> int | None:
        start = int(self._starts[place])
        if not self._there[place] or start == self._heap.MISSING or self._now <= 0:
            return None
        return self._now - start

    def msg_id(self, place: int) -> str | None:
        return self._ids[place] if self._there[place] else None

    def keys(self, place: int) -> str | None:
        return self._keys[place] if self._there[place] else None


def _rows(column: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
    """Values of some rows; -1 where the row is -1."""
    if not column.size:
        return np.full(rows.size, -1, column.dtype)
    return np.where(rows >= 0, column[rows], -1).astype(column.dtype)
