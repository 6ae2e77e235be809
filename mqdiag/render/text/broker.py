"""A broker's card: what it is, how it writes, what waits in it."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.facts.broker import BrokerFacts, CommitLogFacts, PutLock, Replication, RequestQueue
from mqdiag.render.text.page import Page
from mqdiag.render.wording.sizes import duration, number, size

TABLES_SHOWN = 3
HELD_SHOWN = 3


def show_brokers(page: Page, heap: HeapFacts) -> None:
    """One card for each broker of the dump."""
    if heap.broker is None:
        return
    for broker in (heap.broker, *heap.further_brokers):
        page.heading(f"Broker {broker.name or 'without a name'}")
        page.pairs(_card(broker))


def send_queue_margin(broker: BrokerFacts) -> str | None:
    """How full the send queue is, for a report without a fault."""
    queue = broker.send_queue
    if queue is None or queue.size is None:
        return None
    return f"sends waiting in broker {broker.name or '?'}: {number(queue.size)} of {number(queue.capacity)}"


def _card(broker: BrokerFacts) -> Iterator[tuple[str, str]]:
    yield "version", broker.version or "not known"
    yield "role", ", ".join(_role(broker))
    yield "append", _append(broker)
    yield from _pool(broker)
    if broker.commit_log is not None:
        yield "commit log", ", ".join(_log(broker.commit_log))
    if broker.consume_queues is not None:
        topics = number(broker.consume_queue_topics)
        yield "consume queues", f"{number(broker.consume_queues)} of {topics} topics"
    yield from _queues(broker)
    if broker.long_polling is not None:
        held = broker.long_polling
        text = f"{number(held.requests)} pull requests wait for messages of {number(held.queues)} queues"
        most = [f"{one.topic} #{one.queue_id}: {number(one.requests)}" for one in held.largest[:HELD_SHOWN]]
        yield "long polling", text + (f"; most for {', '.join(most)}" if most else "")
    if broker.replication is not None and broker.role != "SLAVE":
        yield "slaves", _slaves(broker.replication)
    if broker.store_flags:
        yield "store", f"says {', '.join(broker.store_flags)}"
    if broker.tables:
        tables = [
            f"{table.name} {number(table.entries)} ({size(table.retained_bytes)})"
            for table in broker.tables[:TABLES_SHOWN]
        ]
        yield "largest tables", ", ".join(tables)


def _role(broker: BrokerFacts) -> Iterator[str]:
    yield broker.role or "role not known"
    yield broker.flush or "flush type not known"
    if broker.broker_id is not None:
        yield f"id {broker.broker_id}"
    if broker.cluster:
        yield f"cluster {broker.cluster}"


def _append(broker: BrokerFacts) -> str:
    age, lock = broker.page_cache_lock_ms, broker.put_lock
    if age is None:
        return "this version notes no time"
    if not age and (lock is None or not lock.held):
        return "none going on"
    return f"going on for {duration(age)}{_holder(lock)}"


def _holder(lock: PutLock | None) -> str:
    if lock is None:
        return ""
    if lock.holder:
        return f" in {lock.holder}"
    if lock.held is False:
        return ", by the clock; nobody holds the lock"
    return f" in {lock.writers[0]}" if lock.writers else ""


def _pool(broker: BrokerFacts) -> Iterator[tuple[str, str]]:
    pool = broker.transient_store_pool
    if pool is None:
        return
    if not pool.enabled:
        yield "transient pool", "off"
    elif not pool.in_force:
        yield "transient pool", "set, without effect: not in force for this role and flush type"
    else:
        free = f"{number(pool.available_buffers)} of {number(pool.pool_size)} buffers free"
        yield "transient pool", f"on, {free}"


def _log(log: CommitLogFacts) -> Iterator[str]:
    files = f"{number(log.files)} file{'' if log.files == 1 else 's'}"
    yield files if log.file_bytes is None else f"{files} of {size(log.file_bytes)}"
    if log.first_offset is not None and log.wrote_offset is not None:
        yield f"offsets {log.first_offset} to {log.wrote_offset}"
    if log.uncommitted_bytes is not None:
        yield f"{size(log.uncommitted_bytes)} not committed"
    if log.unflushed_bytes is not None:
        yield f"{size(log.unflushed_bytes)} not flushed"


def _queues(broker: BrokerFacts) -> Iterator[tuple[str, str]]:
    """The send queue always; others when something waits in them."""
    if broker.send_queue is not None:
        yield "send queue", _queue(broker.send_queue)
    for name, queue in broker.request_queues.items():
        if name != "send" and queue.size:
            yield f"{name} queue", _queue(queue)


def _queue(queue: RequestQueue) -> str:
    text = f"{number(queue.size)} of {number(queue.capacity)}"
    return f"{text}, the oldest for {duration(queue.head_wait_ms)}" if queue.size else text


def _slaves(replication: Replication) -> str:
    if not replication.slaves:
        return "none connected"
    return ", ".join(
        f"{slave.address or '?'} "
        + (
            "without a confirmed offset"
            if slave.behind_bytes is None
            else f"{size(slave.behind_bytes)} behind"
            if slave.behind_bytes >= 0
            else f"{size(-slave.behind_bytes)} ahead"
        )
        for slave in replication.slaves
    )
