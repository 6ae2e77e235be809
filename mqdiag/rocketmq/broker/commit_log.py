"""The commit log's files and how far they are written, committed and flushed."""

from __future__ import annotations

import numpy as np

from mqdiag.facts.broker import CommitLogFacts
from mqdiag.graph.collections import items, map_entries
from mqdiag.graph.heap import Nodes
from mqdiag.rocketmq.broker.controllers import Controller, one

_FILES = ("mappedFileQueue", "mapedFileQueue")
_WROTE = ("wrotePosition", "wrotePosition.value", "wrotePostion.value")
_COMMITTED = ("committedPosition", "committedPosition.value")
"""plain ints since 5.0.0, AtomicIntegers before, one misspelt in 3.x"""


def commit_log_queue(broker: Controller) -> int:
    """MappedFileQueue of the commit log; MapedFileQueue in 3.x."""
    return broker.first(broker.commit_log, *_FILES)


def mapped_files(broker: Controller) -> Nodes:
    """Files of the commit log that are in use, the oldest first."""
    queue = commit_log_queue(broker)
    return items(broker.heap, one(broker.first(queue, "mappedFiles", "mapedFiles")))[1]


def commit_log_facts(broker: Controller, *, pool_in_force: bool | None) -> CommitLogFacts | None:
    """Offsets of the commit log.

    Args:
        broker: the broker.
        pool_in_force: whether bytes go through the buffers of TransientStorePool.
    """
    heap, queue = broker.heap, commit_log_queue(broker)
    if queue < 0:
        return None
    files = mapped_files(broker)
    # 3.x has one position only, under the name that means "in the page cache" since 4.0.0.
    has_flushed = heap.number(queue, "flushedWhere") is not None
    flushed = heap.number(queue, "flushedWhere" if has_flushed else "committedWhere")
    committed = heap.number(queue, "committedWhere") if has_flushed and pool_in_force else None
    wrote = first = None
    if files.size:
        first = heap.number(int(files[0]), "fileFromOffset")
        start = heap.number(int(files[-1]), "fileFromOffset")
        position = broker.number(int(files[-1]), *_WROTE)
        wrote = None if start is None or position is None else start + position
    # As MappedFileQueue.remainHowManyDataToFlush: what is not even committed cannot be flushed.
    flushable = committed if committed is not None else wrote
    return CommitLogFacts(
        files=int(files.size),
        file_bytes=broker.number(queue, "mappedFileSize", "mapedFileSize"),
        first_offset=first,
        wrote_offset=wrote,
        committed_offset=committed,
        flushed_offset=flushed,
        uncommitted_bytes=_in_buffers(broker, files) if pool_in_force else None,
        unflushed_bytes=_behind(flushable, flushed),
    )


def _in_buffers(broker: Controller, files: Nodes) -> int:
    """Written and not committed, over the files that have a buffer: one made while the pool was empty has none."""
    with_buffer = files[broker.heap.refs(files, "writeBuffer") >= 0]
    return int(sum(_behind(*_positions(broker, file)) or 0 for file in with_buffer.tolist()))


def _positions(broker: Controller, file: int) -> tuple[int | None, int | None]:
    return broker.number(file, *_WROTE), broker.number(file, *_COMMITTED)


def _behind(ahead: int | None, behind: int | None) -> int | None:
    """Never negative: the positions are read without a lock."""
    return None if ahead is None or behind is None else max(ahead - behind, 0)


def buffers_in_use(broker: Controller) -> int:
    """Distinct off-heap buffers that mapped files write to, files made in advance included."""
    heap = broker.heap
    names = (".store.logfile.DefaultMappedFile", ".store.MappedFile")
    rows = [row for name in names for row in heap.classes.indices_named(broker.root + name)]
    files = heap.instances(rows)
    buffers = heap.refs(files[heap.reachable(files)], "writeBuffer")
    return int(np.unique(buffers[buffers >= 0]).size)


def consume_queues(broker: Controller) -> tuple[int, int] | None:
    """(topics, queues) of consumeQueueTable: in the store itself, in ConsumeQueueStore since 5.0.0."""
    table = broker.first(broker.store, "consumeQueueTable", "consumeQueueStore.consumeQueueTable")
    if table < 0:
        return None
    _, topics, tables = map_entries(broker.heap, one(table))
    queues = map_entries(broker.heap, tables)[0]
    return int(topics.size), int(queues.size)
