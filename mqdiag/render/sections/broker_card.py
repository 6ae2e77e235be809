"""The brokers of a heap dump: what each is, how it writes, what waits in it, its settings."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.broker import BrokerFacts, CommitLogFacts, PutLock, Replication, SlaveLink
from mqdiag.facts.servers import PopFacts
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Fold, Pairs, Section
from mqdiag.render.tables import Tables
from mqdiag.text import Text, Value, quantity, say

TABLES = Tables("broker_card")

_MOST_HELD = 3
_MOST_TABLES = 3


def broker_section(report: Report, view: View) -> Iterator[Section]:
    """One section for each broker of the dump."""
    if report.heap is None or report.heap.broker is None:
        return
    brokers = (report.heap.broker, *report.heap.further_brokers)
    for place, broker in enumerate(brokers):
        name = "broker" if place == 0 else f"broker-{place + 1}"
        title = say("Broker {name}", name=broker.name) if broker.name else say("Broker without a name")
        yield Section(name=name, title=title, parts=[*_parts(broker, name)])


def _parts(broker: BrokerFacts, name: str) -> Iterator[AnyPart]:
    yield Pairs([*_card(broker)])
    if broker.request_queues:
        yield TABLES.table(
            "request-queues",
            rows=[
                (queue, one.size, one.capacity, one.head_wait_ms)
                for queue, one in broker.request_queues.items()
            ],
            name=f"{name}-request-queues",
        )
    if broker.replication is not None and broker.replication.slaves:
        yield TABLES.table("slaves", broker.replication.slaves, name=f"{name}-slaves")
    if broker.tables:
        yield TABLES.table("tables", broker.tables, name=f"{name}-tables")
    for settings_class, settings in (
        ("BrokerConfig", broker.config),
        ("MessageStoreConfig", broker.store_config),
    ):
        if settings:
            pairs: list[tuple[str, Value]] = [(key, value) for key, value in sorted(settings.items())]
            yield Fold(say("{name} in force", name=settings_class), (Pairs(pairs),), wide=True)


def _card(broker: BrokerFacts) -> Iterator[tuple[Text, Value]]:
    yield say("version"), broker.version
    yield say("role"), _role(broker)
    yield say("write in progress"), _write_in_progress(broker)
    pool = broker.transient_store_pool
    if pool is not None:
        yield say("transient store pool"), _pool(broker)
    if broker.commit_log is not None:
        yield say("commit log"), tuple(_log(broker.commit_log))
    if broker.consume_queues is not None:
        yield (
            say("consume queues"),
            say(
                "{queues:count} of {topics:count} {topics:topic|topics}",
                queues=broker.consume_queues,
                topics=broker.consume_queue_topics,
            ),
        )
    yield from _queues(broker)
    if broker.long_polling is not None:
        yield say("long polling"), _long_polling(broker)
    if broker.pop is not None and (broker.pop.check_points or broker.pop.offset_queues):
        yield say("POP"), tuple(_pop(broker.pop))
    if broker.replication is not None and broker.role != "SLAVE":
        yield say("slaves"), _slaves(broker.replication)
    if broker.store_flags:
        yield say("the store reports"), broker.store_flags
    if broker.tables:
        yield (
            say("largest tables"),
            tuple(
                say("{name} {entries:count} ({retained_bytes:bytes})", table)
                for table in broker.tables[:_MOST_TABLES]
            ),
        )


def _role(broker: BrokerFacts) -> Value:
    parts: list[Value] = [
        broker.role or say("unknown role"),
        broker.flush or say("unknown flush type"),
    ]
    if broker.broker_id is not None:
        parts.append(say("id {broker_id}", broker_id=broker.broker_id))
    if broker.cluster:
        parts.append(say("cluster {cluster}", cluster=broker.cluster))
    return tuple(parts)


def _write_in_progress(broker: BrokerFacts) -> Text:
    age, lock = broker.page_cache_lock_ms, broker.put_lock
    if age is None:
        return say("this version records no time")
    if not age and (lock is None or not lock.held):
        return say("none")
    return _with_holder(say("for {age_ms:ms}", age_ms=age), lock)


def _with_holder(age: Text, lock: PutLock | None) -> Text:
    if lock is None:
        return age
    if lock.holder:
        return say("{age}, by {thread}", age=age, thread=lock.holder)
    if lock.held is False:
        return say("{age} by the clock, but no thread holds the lock", age=age)
    return say("{age}, by {thread}", age=age, thread=lock.writers[0]) if lock.writers else age


def _pool(broker: BrokerFacts) -> Text:
    pool = broker.transient_store_pool
    if pool is None or not pool.enabled:
        return say("off")
    if not pool.in_force:
        return say("set, without effect for this role and flush type")
    return say("on, {available_buffers:count} of {pool_size:count} buffers free", pool)


def _log(log: CommitLogFacts) -> Iterator[Text]:
    if log.file_bytes is None:
        yield say("{files:count} {files:file|files}", files=log.files)
    else:
        yield say("{files:count} {files:file|files} of {file_bytes:bytes}", log)
    yield from TABLES.lines("commit-log", log)


def _queues(broker: BrokerFacts) -> Iterator[tuple[Text, Value]]:
    """The send queue always; others when something waits in them."""
    queues = {} if broker.send_queue is None else {"send": broker.send_queue}
    queues |= {name: queue for name, queue in broker.request_queues.items() if name != "send" and queue.size}
    for name, queue in queues.items():
        text = say("{size:count} of {capacity:count}", queue)
        if queue.size:
            text = say("{text}, the oldest for {head_wait_ms:ms}", text=text, head_wait_ms=queue.head_wait_ms)
        yield say("{name} queue", name=name), text


def _long_polling(broker: BrokerFacts) -> Text:
    held = broker.long_polling
    assert held is not None
    text = say(
        "{requests:count} pull {requests:request waits|requests wait} for messages of {queues:count}"
        " {queues:queue|queues}",
        held,
    )
    most = tuple(say("{topic} #{queue_id}: {requests:count}", one) for one in held.largest[:_MOST_HELD])
    return say("{text}; most for {most}", text=text, most=most) if most else text


def _pop(pop: PopFacts) -> Iterator[Text]:
    yield say(
        "{check_points:count} {check_points:batch waits|batches wait} for acknowledgements, of {queues:count}"
        " {queues:queue|queues}",
        check_points=pop.check_points or 0,
        queues=pop.offset_queues or 0,
    )
    if pop.buffer_thread == "terminated":
        yield say("PopBufferMergeService has ended")
    working = [queue for queue in pop.revive_queues if queue.running]
    if working:
        longest = max((queue.behind_ms for queue in working if queue.behind_ms is not None), default=None)
        yield say(
            "{queues:count} {queues:thread gives|threads give} messages back, at most {behind_ms:ms} behind, with"
            " {unfinished:count} check points in progress",
            queues=sum(queue.thread != "terminated" for queue in working),
            behind_ms=longest,
            unfinished=sum(queue.unfinished or 0 for queue in working),
        )


def _slaves(replication: Replication) -> Value:
    return tuple(map(_slave, replication.slaves)) or say("none connected")


def _slave(slave: SlaveLink) -> Text:
    if slave.behind_bytes is None:
        return say("{address} without a confirmed offset", address=slave.address)
    if slave.behind_bytes < 0:
        return say("{address} {ahead:bytes} ahead", address=slave.address, ahead=-slave.behind_bytes)
    return say("{address} {behind} behind", address=slave.address, behind=quantity(slave.behind_bytes, "bytes"))
