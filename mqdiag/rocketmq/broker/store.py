"""A broker's store: the commit log's files and offsets, the pool of off-heap buffers, and the slaves."""

from __future__ import annotations

from mqdiag.facts.broker import CommitLogFacts, ConfigValue, Replication, SlaveLink, TransientStorePoolFacts
from mqdiag.graph.heap import Nodes
from mqdiag.read.hprof.distinct import distinct
from mqdiag.rocketmq import fields
from mqdiag.rocketmq.broker.controllers import Controller

_FALL_BEHIND_SETTINGS = ("haMaxGapNotInSync", "haSlaveFallbehindMax")
"""the first since 5.0.0"""


def commit_log_facts(broker: Controller, *, pool_in_force: bool | None) -> CommitLogFacts | None:
    """Offsets of the commit log.

    Args:
        broker: the broker.
        pool_in_force: whether bytes go through the buffers of TransientStorePool.
    """
    heap = broker.heap
    queue = fields.ref(heap, broker.commit_log, "CommitLog.file_queue")
    if queue < 0:
        return None
    files = fields.members(heap, queue, "MappedFileQueue.files")
    flushed = fields.number(heap, queue, "MappedFileQueue.flushed")
    committed = fields.number(heap, queue, "MappedFileQueue.committed")
    if flushed is None:  # before 4.0.0, where the one position there is counts what is flushed
        flushed, committed = committed, None
    if not pool_in_force:
        committed = None
    wrote = first = None
    if files.size:
        first = fields.number(heap, int(files[0]), "MappedFile.first_offset")
        start = fields.number(heap, int(files[-1]), "MappedFile.first_offset")
        position = fields.number(heap, int(files[-1]), "MappedFile.wrote")
        wrote = None if start is None or position is None else start + position
    # As MappedFileQueue.remainHowManyDataToFlush: what is not even committed cannot be flushed.
    flushable = committed if committed is not None else wrote
    return CommitLogFacts(
        files=int(files.size),
        file_bytes=fields.number(heap, queue, "MappedFileQueue.file_bytes"),
        first_offset=first,
        wrote_offset=wrote,
        uncommitted_bytes=_in_buffers(broker, files) if pool_in_force else None,
        unflushed_bytes=_behind(flushable, flushed),
    )


def _in_buffers(broker: Controller, files: Nodes) -> int:
    """Written and not committed, over the files that have a buffer: one made while the pool was empty has none."""
    heap = broker.heap
    with_buffer = files[fields.refs(heap, files, "MappedFile.buffer") >= 0]
    wrote = (fields.number(heap, file, "MappedFile.wrote") for file in with_buffer.tolist())
    committed = (fields.number(heap, file, "MappedFile.committed") for file in with_buffer.tolist())
    return sum(_behind(*positions) or 0 for positions in zip(wrote, committed, strict=True))


def _behind(ahead: int | None, behind: int | None) -> int | None:
    """Never negative: the positions are read without a lock."""
    return None if ahead is None or behind is None else max(ahead - behind, 0)


def consume_queues(broker: Controller) -> tuple[int, int] | None:
    """(topics, queues) of the consume queues: in the store itself, in ConsumeQueueStore since 5.0.0."""
    heap = broker.heap
    table = fields.ref(heap, broker.store, "MessageStore.consume_queues")
    if table < 0:
        table = fields.ref(
            heap, broker.store, "MessageStore.consume_queue_store", "ConsumeQueueStore.consume_queues"
        )
    if table < 0:
        return None
    _, topics, tables = fields.entries(heap, fields.one(table))
    return int(topics.size), int(fields.entries(heap, tables)[0].size)


def pool_facts(
    broker: Controller, config: dict[str, ConfigValue], store_config: dict[str, ConfigValue]
) -> TransientStorePoolFacts | None:
    """TransientStorePool and whether the broker asks it; None where the version has no pool (before 4.0.0)."""
    enabled = store_config.get("transientStorePoolEnable")
    if not isinstance(enabled, bool):
        return None
    heap = broker.heap
    pool = fields.ref(heap, broker.store, "MessageStore.buffer_pool")
    free = fields.ref(heap, pool, "TransientStorePool.free_buffers")
    return TransientStorePoolFacts(
        enabled=enabled,
        pool_size=fields.number(heap, pool, "TransientStorePool.size"),
        available_buffers=int(fields.members(heap, free).size) if free >= 0 else None,
        in_force=enabled and _pool_asked(broker, config, store_config),
        buffers_in_use=_buffers_in_use(broker),
    )


def _pool_asked(
    broker: Controller, config: dict[str, ConfigValue], store_config: dict[str, ConfigValue]
) -> bool:
    """As isTransientStorePoolEnable answers: of MessageStoreConfig up to 4.9.8, of DefaultMessageStore since 5.1.0.

    Up to 4.9.8 it asks for ASYNC_FLUSH; brokers with a ConsumeQueueStore (since 5.0.0) do not. In controller mode
    a slave has a pool as well.
    """
    master = store_config.get("brokerRole") != "SLAVE" or config.get("enableControllerMode") is True
    any_flush = fields.ref(broker.heap, broker.store, "MessageStore.consume_queue_store") >= 0
    return master and (any_flush or store_config.get("flushDiskType") == "ASYNC_FLUSH")


def _buffers_in_use(broker: Controller) -> int:
    """Distinct off-heap buffers that mapped files write to, files made in advance included."""
    heap = broker.heap
    buffers = fields.refs(heap, fields.instances(heap, broker.root, "MappedFile"), "MappedFile.buffer")
    return int(distinct(buffers[buffers >= 0]).size)


def replication(
    broker: Controller, store_config: dict[str, ConfigValue], wrote: int | None
) -> Replication | None:
    """What a master knows of its slaves: HAService with a connection for each."""
    heap = broker.heap
    service = fields.ref(heap, broker.store, "MessageStore.replication")
    if service < 0:
        return None
    connections = fields.members(heap, service, "HAService.connections")
    limits = (store_config.get(key) for key in _FALL_BEHIND_SETTINGS)
    return Replication(
        slaves=tuple(_slave(broker, connection, wrote) for connection in connections.tolist()),
        fall_behind_max_bytes=next((limit for limit in limits if isinstance(limit, int)), None),
    )


def _slave(broker: Controller, connection: int, wrote: int | None) -> SlaveLink:
    acknowledged = fields.number(broker.heap, connection, "HAConnection.acknowledged")
    if acknowledged is not None and acknowledged < 0:  # until the slave has confirmed anything
        acknowledged = None
    return SlaveLink(
        address=fields.text(broker.heap, connection, "HAConnection.address"),
        acknowledged_offset=acknowledged,
        behind_bytes=None if acknowledged is None or wrote is None else wrote - acknowledged,
    )
