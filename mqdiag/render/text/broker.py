"""A broker's card: what it is, how it writes, what waits in it."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts
from mqdiag.facts.broker import BrokerFacts, CommitLogFacts, PutLock, Replication, RequestQueue
from mqdiag.render.text.page import Page
from mqdiag.render.wording.sizes import number, size
from mqdiag.text import say

TABLES_SHOWN = 3
HELD_SHOWN = 3


def show_brokers(page: Page, heap: HeapFacts) -> None:
    """One card for each broker of the dump."""
    if heap.broker is None:
        return
    for broker in (heap.broker, *heap.further_brokers):
        page.heading(say("Broker {name}", name=broker.name or say("without a name")))
        page.pairs(_card(broker))


def send_queue_margin(broker: BrokerFacts) -> str | None:
    """How full the send queue is, for a report without a fault."""
    queue = broker.send_queue
    if queue is None or queue.size is None:
        return None
    return say(
        "sends waiting in broker {name}: {size:count} of {capacity:count}",
        name=broker.name or "?",
        size=queue.size,
        capacity=queue.capacity,
    )


def _card(broker: BrokerFacts) -> Iterator[tuple[str, str]]:
    yield say("version"), broker.version or say("not known")
    yield say("role"), ", ".join(_role(broker))
    yield say("append"), _append(broker)
    yield from _pool(broker)
    if broker.commit_log is not None:
        yield say("commit log"), ", ".join(_log(broker.commit_log))
    if broker.consume_queues is not None:
        topics = number(broker.consume_queue_topics)
        yield (
            say("consume queues"),
            say(
                "{consume_queues:count} of {topics} topics",
                consume_queues=broker.consume_queues,
                topics=topics,
            ),
        )
    yield from _queues(broker)
    if broker.long_polling is not None:
        held = broker.long_polling
        text = say(
            "{requests:count} pull requests wait for messages of {queues:count} queues",
            requests=held.requests,
            queues=held.queues,
        )
        most = [f"{one.topic} #{one.queue_id}: {number(one.requests)}" for one in held.largest[:HELD_SHOWN]]
        yield say("long polling"), text + (say("; most for {most}", most=", ".join(most)) if most else "")
    if broker.replication is not None and broker.role != "SLAVE":
        yield say("slaves"), _slaves(broker.replication)
    if broker.store_flags:
        yield say("store"), say("says {store_flags}", store_flags=", ".join(broker.store_flags))
    if broker.tables:
        tables = [
            f"{table.name} {number(table.entries)} ({size(table.retained_bytes)})"
            for table in broker.tables[:TABLES_SHOWN]
        ]
        yield say("largest tables"), ", ".join(tables)


def _role(broker: BrokerFacts) -> Iterator[str]:
    yield broker.role or say("role not known")
    yield broker.flush or say("flush type not known")
    if broker.broker_id is not None:
        yield say("id {broker_id}", broker_id=broker.broker_id)
    if broker.cluster:
        yield say("cluster {cluster}", cluster=broker.cluster)


def _append(broker: BrokerFacts) -> str:
    age, lock = broker.page_cache_lock_ms, broker.put_lock
    if age is None:
        return say("this version notes no time")
    if not age and (lock is None or not lock.held):
        return say("none going on")
    return say("going on for {age:ms}{holder}", age=age, holder=_holder(lock))


def _holder(lock: PutLock | None) -> str:
    if lock is None:
        return ""
    if lock.holder:
        return say(" in {holder}", holder=lock.holder)
    if lock.held is False:
        return say(", by the clock; nobody holds the lock")
    return say(" in {writers}", writers=lock.writers[0]) if lock.writers else ""


def _pool(broker: BrokerFacts) -> Iterator[tuple[str, str]]:
    pool = broker.transient_store_pool
    if pool is None:
        return
    if not pool.enabled:
        yield say("transient pool"), "off"
    elif not pool.in_force:
        yield say("transient pool"), say("set, without effect: not in force for this role and flush type")
    else:
        free = say(
            "{available_buffers:count} of {pool_size:count} buffers free",
            available_buffers=pool.available_buffers,
            pool_size=pool.pool_size,
        )
        yield say("transient pool"), say("on, {free}", free=free)


def _log(log: CommitLogFacts) -> Iterator[str]:
    files = say("{number:count} {number:file|files}", number=log.files)
    yield (
        files
        if log.file_bytes is None
        else say("{files} of {file_bytes:bytes}", files=files, file_bytes=log.file_bytes)
    )
    if log.first_offset is not None and log.wrote_offset is not None:
        yield say(
            "offsets {first_offset} to {wrote_offset}",
            first_offset=log.first_offset,
            wrote_offset=log.wrote_offset,
        )
    if log.uncommitted_bytes is not None:
        yield say("{uncommitted_bytes:bytes} not committed", uncommitted_bytes=log.uncommitted_bytes)
    if log.unflushed_bytes is not None:
        yield say("{unflushed_bytes:bytes} not flushed", unflushed_bytes=log.unflushed_bytes)


def _queues(broker: BrokerFacts) -> Iterator[tuple[str, str]]:
    """The send queue always; others when something waits in them."""
    if broker.send_queue is not None:
        yield say("send queue"), _queue(broker.send_queue)
    for name, queue in broker.request_queues.items():
        if name != "send" and queue.size:
            yield say("{name} queue", name=name), _queue(queue)


def _queue(queue: RequestQueue) -> str:
    text = say("{size:count} of {capacity:count}", size=queue.size, capacity=queue.capacity)
    return (
        say("{text}, the oldest for {head_wait_ms:ms}", text=text, head_wait_ms=queue.head_wait_ms)
        if queue.size
        else text
    )


def _slaves(replication: Replication) -> str:
    if not replication.slaves:
        return say("none connected")
    return ", ".join(
        f"{slave.address or '?'} "
        + (
            say("without a confirmed offset")
            if slave.behind_bytes is None
            else say("{behind_bytes:bytes} behind", behind_bytes=slave.behind_bytes)
            if slave.behind_bytes >= 0
            else say("{behind_bytes:bytes} ahead", behind_bytes=-slave.behind_bytes)
        )
        for slave in replication.slaves
    )
