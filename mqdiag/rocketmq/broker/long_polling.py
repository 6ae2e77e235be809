"""Pull requests that wait in the broker for new messages."""

from __future__ import annotations

import numpy as np

from mqdiag.facts.broker import HeldQueue, LongPolling
from mqdiag.graph.collections import items, map_entries
from mqdiag.rocketmq.broker.controllers import Controller, one
from mqdiag.rocketmq.queue_names import texts

_LARGEST = 10
_SEPARATOR = "@"


def long_polling(broker: Controller) -> LongPolling | None:
    """PullRequestHoldService.pullRequestTable: "topic@queueId" to ManyPullRequest."""
    heap = broker.heap
    table = broker.first(broker.node, "pullRequestHoldService.pullRequestTable")
    if table < 0:
        return None
    _, keys, many = map_entries(heap, one(table))
    owners, _ = items(heap, heap.refs(many, "pullRequestList"))
    counts = np.bincount(owners, minlength=many.size)
    largest = np.argsort(-counts, kind="stable")[:_LARGEST]
    largest = largest[counts[largest] > 0]
    return LongPolling(
        requests=int(counts.sum()),
        queues=int((counts > 0).sum()),
        largest=tuple(
            _held(name or "", count)
            for name, count in zip(texts(heap, keys[largest]), counts[largest].tolist(), strict=True)
        ),
    )


def _held(key: str, requests: int) -> HeldQueue:
    topic, _, queue = key.rpartition(_SEPARATOR)
    return HeldQueue(topic=topic or key, queue_id=int(queue) if queue.isdecimal() else None, requests=requests)
