"""Events of threads, gathered from chunks, against the same in plain Python."""

from __future__ import annotations

import random

import numpy as np

from mqdiag.recordings.constants import ThreadKey
from mqdiag.recordings.spans import PARK, PINNED, SOCKET_READ, Alike, Numbered, Spans, SpansByThread
from tests.folded import folded

WORKER = ThreadKey("ConsumeMessageThread_orders_1", 7, 70)
Event = tuple[int, int, int, int]
"""kind, stack, begin, nanoseconds"""


def chunk(rng: random.Random, kind: int) -> tuple[list[Event], Spans]:
    """Lots of the worker, and one of a thread that consumes nothing."""
    lots = [(stack, rng.randrange(1, 20)) for stack in rng.sample(range(1, 6), 3)]
    events = [
        (kind, stack, rng.randrange(1 << 40), rng.randrange(1 << 34))
        for stack, count in lots
        for _ in range(count)
    ]
    sizes = [*(count for _, count in lots), 2]
    columns = np.array([*((start, took) for _, _, start, took in events), (0, 1), (5, 1)], np.int64).T
    none = np.full(len(sizes), -1)
    stacks = np.array([*(stack for stack, _ in lots), 1])
    alike = Alike(np.array([0] * len(lots) + [1]), stacks, none, none)
    return events, Spans(columns[0], columns[1], np.zeros(len(sizes), np.int64), np.cumsum(sizes), alike)


@folded("seed", range(10))
def test_events_of_a_thread_are_those_of_its_lots(seed: int) -> None:
    rng = random.Random(seed)
    threads = Numbered()
    threads.of(WORKER)
    threads.of(ThreadKey("Common-Cleaner", 8, 80))
    by_thread = SpansByThread(threads)
    made: list[Event] = []
    for _ in range(3):
        for kind in (PINNED, SOCKET_READ, PARK):
            events, spans = chunk(rng, kind)
            by_thread.add(kind, spans)
            made += events
    ((number, own),) = by_thread.each([0])
    assert number == 0

    def listed(order: list[int]) -> list[Event]:
        lots = own.lot[order].tolist()
        columns = (own.kind[lots], own.stack[lots], own.start_ns[order], own.duration_ns[order])
        return list(zip(*(column.tolist() for column in columns), strict=True))

    order = own.order.tolist()
    # of those that begin together the one of the first kind is the first
    assert listed(order) == sorted(made, key=lambda one: (one[2], one[0]))
    for lot, (kind, stack) in enumerate(zip(own.kind.tolist(), own.stack.tolist(), strict=True)):
        same = [one for one in made if one[:2] == (kind, stack)]
        assert own.events[lot] == len(same)
        assert own.last_ns[lot] == max(start + took for _, _, start, took in same)
    # lots are numbered as their events come in time
    assert list(dict.fromkeys(own.lot[order].tolist())) == list(range(len(own.kind)))

    rest = own.only(own.kind != PINNED)
    wanted = sorted((one for one in made if one[0] != PINNED), key=lambda one: (one[2], one[0]))
    assert listed(rest.order.tolist()) == wanted
    assert rest.events.tolist() == [
        0 if kind == PINNED else count
        for kind, count in zip(own.kind.tolist(), own.events.tolist(), strict=True)
    ]
