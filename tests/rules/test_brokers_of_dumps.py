"""Broker rules on what a heap says: limits, causes, and what is no fault."""

from __future__ import annotations

from types import ModuleType

import msgspec
import pytest

from mqdiag.facts import Facts
from mqdiag.facts.broker import BrokerTable, PutLock, RequestQueue, TransientStorePoolFacts
from mqdiag.findings import Severity
from mqdiag.knowledge.remedies import remedy
from mqdiag.language import english
from mqdiag.rules import (
    broker_heap_growth,
    busy_workaround,
    page_cache_busy,
    send_queue_full,
    send_queue_timeout,
    slave_behind,
    stuck_lock_time,
    transient_pool_exhausted,
)
from mqdiag.rules.rule import Rule
from tests.folded import folded
from tests.rules.checks import findings, heap_of, named, reasons, said, with_heap
from tests.rules.examples import example_of
from tests.rules.examples.broker import BROKER, example
from tests.rules.examples.consumer import example as consumer_example

HOLDER = PutLock(held=True, holder="SendMessageThread_1", writers=("SendMessageThread_1",))
FREE = PutLock(held=False)
NEW_FILE = msgspec.structs.replace(
    HOLDER,
    holder_frames=(
        "org.apache.rocketmq.store.AllocateMappedFileService.putRequestAndReturnMappedFile(A.java:100)",
    ),
)
HEAP_ONLY = (broker_heap_growth, busy_workaround, stuck_lock_time, named("transient-pool-risk"))
ALL = (
    *HEAP_ONLY,
    page_cache_busy,
    send_queue_full,
    send_queue_timeout,
    slave_behind,
    transient_pool_exhausted,
)


def _settings(**store: object) -> dict[str, object]:
    store_config = BROKER["store_config"]
    assert isinstance(store_config, dict)
    return {**store_config, **store}


def _config(**changes: object) -> dict[str, object]:
    config = BROKER["config"]
    assert isinstance(config, dict)
    return {**config, **changes}


def _without_wait() -> dict[str, object]:
    return {name: value for name, value in _config().items() if name != "waitTimeMillsInSendQueue"}


@folded("module", ALL)
def test_a_consumers_dump_is_said_to_be_none(module: ModuleType | Rule) -> None:
    assert reasons(module, consumer_example()) == ["the dump is not a broker's"]
    assert findings(module, consumer_example()) == ()


@folded("module", ALL)
def test_counts_alone_are_said_to_tell_nothing(module: ModuleType | Rule) -> None:
    facts = with_heap(consumer_example(), process_queues=None)
    assert reasons(module, facts) == ["the object graph was left out (--quick)"]


@folded("module", ALL)
def test_every_broker_of_a_container_is_looked_at(module: ModuleType | Rule) -> None:
    bad = heap_of(example_of(module).fires())
    healthy = heap_of(example())
    both = with_heap(example(), broker=healthy.broker, further_brokers=(bad.broker,))
    assert findings(module, both)


@folded(
    "age, lock, busy, stuck",
    [
        (1000, HOLDER, False, False),
        (1001, HOLDER, True, False),
        (9_999_999, HOLDER, True, False),
        (10_000_000, HOLDER, False, False),
        (1000, FREE, False, False),
        (1001, FREE, False, True),
        (9_999_999, FREE, False, True),
        (10_000_000, FREE, False, False),
        (1001, None, False, False),
        (None, FREE, False, False),
        # a thread between the lock and its flag: neither is sure
        (1001, PutLock(held=False, writers=("SendMessageThread_1",)), True, False),
    ],
)
def test_lock_time(age: int | None, lock: PutLock | None, busy: bool, stuck: bool) -> None:
    facts = example(page_cache_lock_ms=age, put_lock=lock)
    assert bool(findings(page_cache_busy, facts)) is busy
    assert bool(findings(stuck_lock_time, facts)) is stuck


def test_a_raised_limit_does_not_hide_a_busy_page_cache() -> None:
    """But it does keep the broker from refusing: no stuck time below the limit in force."""
    raised = _settings(osPageCacheBusyTimeOutMills=60_000)
    (found,) = findings(page_cache_busy, example(page_cache_lock_ms=3000, put_lock=HOLDER, store_config=raised))
    assert found.severity is Severity.ERROR
    assert "osPageCacheBusyTimeOutMills=60000" in said(found)
    assert findings(stuck_lock_time, example(page_cache_lock_ms=3000, store_config=raised)) == ()
    lowered = _settings(osPageCacheBusyTimeOutMills=50)
    assert findings(page_cache_busy, example(page_cache_lock_ms=60, put_lock=HOLDER, store_config=lowered))


@pytest.mark.parametrize(
    ("age", "severities"), [(500, []), (501, [Severity.WARNING]), (1001, [Severity.ERROR])]
)
def test_an_append_that_waits_for_its_file(age: int, severities: list[Severity]) -> None:
    facts = example(page_cache_lock_ms=age, put_lock=NEW_FILE)
    assert [found.severity for found in findings(page_cache_busy, facts)] == severities


@pytest.mark.parametrize(
    ("role", "flush", "offered"),
    [
        ("ASYNC_MASTER", "ASYNC_FLUSH", True),
        ("SYNC_MASTER", "ASYNC_FLUSH", True),
        ("ASYNC_MASTER", "SYNC_FLUSH", False),
        ("SLAVE", "ASYNC_FLUSH", False),
    ],
)
def test_the_pool_is_offered_only_where_it_works(role: str, flush: str, offered: bool) -> None:
    (found,) = findings(
        page_cache_busy, example(page_cache_lock_ms=3000, put_lock=HOLDER, role=role, flush=flush)
    )
    assert (remedy("pool_if_async_master")[0] in found.remedy) is offered


def _pool(**changes: object) -> TransientStorePoolFacts:
    base = TransientStorePoolFacts(
        enabled=True, pool_size=5, available_buffers=0, in_force=True, buffers_in_use=5
    )
    return msgspec.structs.replace(base, **changes)


@folded(
    "pool, cause",
    [
        (_pool(), "commit-too-slow"),
        (_pool(buffers_in_use=0), "pool-not-initialised"),
        (_pool(available_buffers=1), None),
        (_pool(in_force=False), None),
        (_pool(enabled=False, in_force=False), None),
        (_pool(available_buffers=None), None),
        (None, None),
    ],
)
def test_pool(pool: TransientStorePoolFacts | None, cause: str | None) -> None:
    found = findings(transient_pool_exhausted, example(transient_store_pool=pool))
    assert [one.cause for one in found] == ([] if cause is None else [cause])


@pytest.mark.parametrize(
    ("size", "severities"), [(8999, []), (9000, [Severity.WARNING]), (10_000, [Severity.ERROR])]
)
def test_full_queue(size: int, severities: list[Severity]) -> None:
    facts = example(send_queue=RequestQueue(size=size, capacity=10_000))
    assert [found.severity for found in findings(send_queue_full, facts)] == severities


@folded(
    "size, waits, severities",
    [
        (99, 2999, []),
        (100, 200, []),
        (100, 201, [Severity.WARNING]),
        (1, 3000, [Severity.ERROR]),
        (0, 0, []),
        (500, None, []),
    ],
)
def test_waiting_sends(size: int, waits: int | None, severities: list[Severity]) -> None:
    facts = example(send_queue=RequestQueue(size=size, capacity=10_000, head_wait_ms=waits))
    assert [found.severity for found in findings(send_queue_timeout, facts)] == severities


@folded(
    "changes, cause",
    [
        ({"page_cache_lock_ms": 3000, "put_lock": HOLDER}, "page-cache-busy"),
        ({"flush": "SYNC_FLUSH"}, "sync-flush"),
        ({"role": "SYNC_MASTER"}, "sync-slave"),
        ({"config": _config(sendMessageThreadPoolNums=1)}, "one-send-thread"),
        ({}, "slow-sends"),
    ],
)
def test_what_sends_wait_for(changes: dict[str, object], cause: str) -> None:
    queue = RequestQueue(size=200, capacity=10_000, head_wait_ms=800)
    (found,) = findings(send_queue_timeout, example(send_queue=queue, **changes))
    assert found.cause == cause


@folded(
    "changes, named",
    [
        ({}, ()),
        ({"store_config": _settings(osPageCacheBusyTimeOutMills=1000)}, ()),
        ({"store_config": _settings(osPageCacheBusyTimeOutMills=1001)}, ("osPageCacheBusyTimeOutMills",)),
        ({"config": _config(sendThreadPoolQueueCapacity=5000)}, ()),
        ({"config": _config(sendThreadPoolQueueCapacity=10_001)}, ("sendThreadPoolQueueCapacity",)),
        ({"config": _config(brokerFastFailureEnable=False)}, ("brokerFastFailureEnable",)),
    ],
)
def test_workarounds(changes: dict[str, object], named: tuple[str, ...]) -> None:
    found = findings(busy_workaround, example(**changes))
    evidence = [name for one in found for name in one.evidence if not name.startswith("default_")]
    assert tuple(evidence) == named


def test_defaults_of_old_brokers_are_no_workaround() -> None:
    """Up to 3.5.5: 2,000 ms and 100,000 requests, and no waitTimeMillsInSendQueue."""
    old = {**_without_wait(), "sendThreadPoolQueueCapacity": 100_000}
    settings = {"osPageCacheBusyTimeOutMills": 2000}
    assert findings(busy_workaround, example(config=old, store_config=settings)) == ()


@pytest.mark.parametrize(("behind", "cause"), [(-1, "slave-ahead"), (-(1 << 60), "foreign-bytes")])
def test_a_slave_ahead_is_another_cause_and_what_no_log_can_hold_a_third(behind: int, cause: str) -> None:
    facts = example_of(slave_behind).silent()
    broker = heap_of(facts).broker
    assert broker is not None
    assert broker.replication is not None
    slave = msgspec.structs.replace(broker.replication.slaves[0], behind_bytes=behind)
    replication = msgspec.structs.replace(broker.replication, slaves=(slave,))
    (found,) = findings(slave_behind, example(replication=replication))
    assert found.cause == cause


def test_requests_that_wait_are_no_table_without_limit() -> None:
    facts = example_of(broker_heap_growth).fires()
    broker = heap_of(facts).broker
    assert broker is not None
    queue = BrokerTable(name="BrokerController.sendThreadPoolQueue", entries=10_000, retained_bytes=3 << 30)
    (found,) = findings(
        broker_heap_growth, with_heap(facts, broker=msgspec.structs.replace(broker, tables=(queue,)))
    )
    assert found.cause == "waiting-requests"
    assert "upgrade" not in " ".join(map(english(), found.remedy))


def test_growth_needs_both_a_share_and_a_size() -> None:
    def with_table(facts: Facts, retained: int, heap_bytes: int | None) -> Facts:
        broker = heap_of(facts).broker
        assert broker is not None
        table = msgspec.structs.replace(broker.tables[0], retained_bytes=retained)
        changed = msgspec.structs.replace(broker, tables=(table,))
        live = {} if heap_bytes is None else {"shallow_bytes": heap_bytes // 2}
        return with_heap(facts, broker=changed, heap_bytes=heap_bytes, **live)

    facts, mib = example_of(broker_heap_growth).fires(), 1 << 20
    assert findings(broker_heap_growth, with_table(facts, 64 * mib, 256 * mib))
    assert findings(broker_heap_growth, with_table(facts, 63 * mib, 256 * mib)) == ()
    assert findings(broker_heap_growth, with_table(facts, 64 * mib, 512 * mib)) == ()
    # without the heap's size the dump's own 1 GiB stands for it
    assert findings(broker_heap_growth, with_table(facts, 204 * mib, None)) == ()
    assert findings(broker_heap_growth, with_table(facts, 205 * mib, None))
