"""What runs beside a consumer's workers: the expiry cleaner, the resubmits, its place in the client instance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mqdiag.graph.collections import items, map_entries
from mqdiag.graph.heap import Heap, Nodes
from mqdiag.rocketmq.consumers import Consumer
from mqdiag.rocketmq.queue_names import texts

_RUNNING_BELOW = 0
"""ThreadPoolExecutor.ctl of a pool that was not shut down: the run state -1 in its top three bits"""


@dataclass(frozen=True, kw_only=True)
class Services:
    """As in `ConsumerFacts`."""

    registered: bool | None
    cleaner_tasks: int | None
    resubmits: int | None
    topic_queues: dict[str, int]


def services_of(consumer: Consumer) -> Services:
    """Read what surrounds one consumer."""
    heap = consumer.client.heap
    service = heap.ref(consumer.implementation, "consumeMessageService") if consumer.implementation >= 0 else -1
    # A consumer that is paused in mid-start has no service yet; an orderly service has no cleaner.
    cleaner = int(consumer.client.role(np.array([service], np.int32), "ConcurrentlyService.cleaner")[0])
    concurrent = service >= 0 and heap.class_name(service).endswith(".ConsumeMessageConcurrentlyService")
    later = heap.ref(service, "scheduledExecutorService") if concurrent else -1
    return Services(
        registered=_registered(heap, consumer),
        cleaner_tasks=_scheduled(heap, cleaner, running=True),
        resubmits=_scheduled(heap, later, running=False),
        topic_queues=_topic_queues(heap, consumer),
    )


def _scheduled(heap: Heap, executor: int, *, running: bool) -> int | None:
    """Tasks of a scheduled executor; None when it is shut down or none.

    Executors.newSingleThreadScheduledExecutor wraps the pool: the field `e`.
    """
    if executor < 0:
        return None
    inner = heap.ref(executor, "e")
    pool = inner if inner >= 0 else executor
    state = heap.number(pool, "ctl.value")
    waiting = heap.number(pool, "workQueue.size")
    if state is None or waiting is None or state >= _RUNNING_BELOW:
        return None
    if not running:
        return waiting
    _, workers = items(heap, np.array([heap.ref(pool, "workers")], np.int32))
    states = heap.numbers(workers, "state")
    return waiting + int(((states > 0) & (states != heap.MISSING)).sum())


def _registered(heap: Heap, consumer: Consumer) -> bool | None:
    if consumer.factory < 0:
        return None
    table = heap.ref(consumer.factory, "consumerTable")
    if table < 0:
        return None
    _, _, inner = map_entries(heap, np.array([table], np.int32))
    return consumer.implementation in inner.tolist()


def _topic_queues(heap: Heap, consumer: Consumer) -> dict[str, int]:
    """RebalanceImpl.topicSubscribeInfoTable for the topics that are subscribed: sets of MessageQueue by topic."""
    if consumer.rebalance < 0:
        return {}
    subscribed = _keys(heap, heap.ref(consumer.rebalance, "subscriptionInner"))
    table = np.array([heap.ref(consumer.rebalance, "topicSubscribeInfoTable")], np.int32)
    _, keys, sets = map_entries(heap, table)
    owners, _ = items(heap, sets)
    counts = np.bincount(owners, minlength=sets.size).tolist()
    return {
        topic: count
        for topic, count in sorted(zip(map(str, texts(heap, keys)), counts, strict=True))
        if topic in subscribed
    }


def _keys(heap: Heap, table: int) -> set[str | None]:
    keys: Nodes = map_entries(heap, np.array([table], np.int32))[1]
    return set(texts(heap, keys))
