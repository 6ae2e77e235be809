"""Many threads of one pool at one place in a single dump, and what servers write into the names of their threads."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.findings import Finding, Severity
from mqdiag.language import english
from mqdiag.threads.roles import role_of_name
from tests.folded import folded
from tests.threads.made import CONSUME, MYSQL, TAKE, At, report

TASK = (
    "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1149)",
    "java.util.concurrent.ThreadPoolExecutor$Worker.run(ThreadPoolExecutor.java:624)",
    "java.lang.Thread.run(Thread.java:748)",
)
QUERY = MYSQL[: len(MYSQL) - 1 - len(CONSUME)]
OWN = "com.acme.shop.Orders.find(Orders.java:70)"
DNS = "java.net.Inet4AddressImpl.lookupAllHostAddr(Native Method)"
FSYNC = "sun.nio.ch.FileDispatcherImpl.force0(Native Method)"
LATCH = (
    "sun.misc.Unsafe.park(Native Method)",
    "java.util.concurrent.locks.LockSupport.park(LockSupport.java:175)",
    "java.util.concurrent.CountDownLatch.await(CountDownLatch.java:231)",
)


def _pool(busy: int, free: int, frames: tuple[str, ...], state: str = "RUNNABLE") -> list[At]:
    threads = [At(f"http-exec-{n}", 40 + n, (*frames, *TASK), state) for n in range(busy)]
    return threads + [At(f"http-exec-{busy + n}", 90 + n, TAKE, "WAITING (parking)") for n in range(free)]


def _of(folder: Path, threads: list[At], rule: str = "threads-stuck") -> list[Finding]:
    return [one for one in report(folder, [threads]).findings if one.rule == rule]


@pytest.mark.parametrize(
    ("frames", "state"),
    [
        ((*QUERY, OWN), "RUNNABLE"),
        ((DNS, OWN), "RUNNABLE"),
        ((FSYNC, OWN), "RUNNABLE"),
        ((*LATCH, OWN), "WAITING (parking)"),
        ((OWN,), "RUNNABLE"),
    ],
    ids=["database", "dns", "fsync", "latch", "computes"],
)
def test_most_of_a_pool_in_one_call_is_told_and_no_fault(
    tmp_path: Path, frames: tuple[str, ...], state: str
) -> None:
    (one,) = _of(tmp_path, _pool(12, 8, frames, state))
    assert (one.severity, one.cause) == (Severity.INFO, "hangs-or-slow")
    title = english()(one.title)
    assert title.startswith("12 of 20 threads of pool http-exec are in ")
    assert "hang" not in title
    assert not one.is_fault


@pytest.mark.parametrize(("busy", "free"), [(9, 2), (12, 13)], ids=["few", "less-than-half"])
def test_fewer_in_one_call_are_work(tmp_path: Path, busy: int, free: int) -> None:
    assert not _of(tmp_path, _pool(busy, free, (*QUERY, OWN)))


def test_a_pool_that_rests_is_no_crowd(tmp_path: Path) -> None:
    assert not _of(tmp_path, _pool(0, 20, ()))


def test_a_latch_for_each_waiting_thread_is_still_one_pool_of_connections(tmp_path: Path) -> None:
    threads = [
        At(
            f"http-exec-{n}",
            40 + n,
            (
                "java.lang.Object.wait(Native Method)",
                f"- waiting on <0x00000000f{n:x}> (a org.apache.commons.pool.impl.GenericObjectPool$Latch)",
                "org.apache.commons.pool.impl.GenericObjectPool.borrowObject(GenericObjectPool.java:1112)",
                OWN,
                *TASK,
            ),
            "WAITING (on object monitor)",
        )
        for n in range(6)
    ]
    (one,) = _of(tmp_path, threads, "connection-pool-exhausted")
    assert english()(one.title).startswith("All 6 threads of pool http-exec wait for a connection")


def test_a_queue_before_a_pool_that_is_in_use_is_told(tmp_path: Path) -> None:
    statement = "com.zaxxer.hikari.pool.ProxyPreparedStatement.executeQuery(ProxyPreparedStatement.java:52)"
    borrow = (
        "sun.misc.Unsafe.park(Native Method)",
        "- parking to wait for  <0x00000000f7> (a java.util.concurrent.SynchronousQueue$TransferQueue)",
        "java.util.concurrent.locks.LockSupport.parkNanos(LockSupport.java:215)",
        "com.zaxxer.hikari.util.ConcurrentBag.borrow(ConcurrentBag.java:151)",
        "com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:180)",
        OWN,
        *TASK,
    )
    waiting = [At(f"http-exec-{n}", 40 + n, borrow, "TIMED_WAITING (parking)") for n in range(12)]
    using = [At(f"job-{n}", 80 + n, (*QUERY, statement, OWN, *TASK)) for n in range(10)]
    (one,) = _of(tmp_path, [*waiting, *using], "connection-pool-exhausted")
    assert one.severity is Severity.INFO
    # as many as work: a moment of a pool that is just large enough
    assert not _of(tmp_path, [*waiting[:10], *using], "connection-pool-exhausted")


def test_weblogic_tells_how_long_by_the_name(tmp_path: Path) -> None:
    run = (
        "weblogic.work.ExecuteThread.execute(ExecuteThread.java:209)",
        "weblogic.work.ExecuteThread.run(E.java:1)",
    )
    name = "[{}] ExecuteThread: '{}' for queue: 'weblogic.kernel.Default (self-tuning)'"
    marked = [At(name.format("STUCK", n), 40 + n, (*QUERY, OWN, *run)) for n in range(2)]
    (one,) = _of(tmp_path, [*marked, At(name.format("ACTIVE", 7), 60, (*QUERY, OWN, *run))])
    assert (one.severity, one.cause, one.evidence["thread_count"]) == (Severity.WARNING, "slow-database", 2)
    assert not _of(tmp_path, [At(name.format("ACTIVE", 7), 60, (*QUERY, OWN, *run))])


def test_a_server_that_reads_from_its_clients_is_not_held_up(tmp_path: Path) -> None:
    before_a_request = (*QUERY[:3], "io.undertow.bio.Connection.nextRequest(Connection.java:80)")
    assert not _of(tmp_path, _pool(20, 0, before_a_request))
    asks = (*QUERY, "io.undertow.bio.Sessions.load(Sessions.java:80)")
    assert _of(tmp_path, _pool(20, 0, asks))


def test_hundreds_of_threads_that_were_started_by_hand(tmp_path: Path) -> None:
    sleep = ("java.lang.Thread.sleep(Native Method)", "com.acme.shop.Poller.run(Poller.java:30)", TASK[-1])
    threads = [At(f"Thread-{n}", 100 + n, sleep, "TIMED_WAITING (sleeping)") for n in range(500)]
    (one,) = _of(tmp_path, threads, "executors-pile-up")
    assert (one.severity, one.cause) == (Severity.INFO, "thread-each-call")
    assert english()(one.title).endswith("500 of them wait at Poller.run(Poller.java:30)")
    assert not _of(tmp_path, threads[1:], "executors-pile-up")
    readers = [
        At(f"Thread-{n}", 100 + n, (*QUERY[:3], "com.acme.Chat.read(Chat.java:9)", TASK[-1]))
        for n in range(500)
    ]
    assert not _of(tmp_path, readers, "executors-pile-up")


def test_a_finalizer_that_waits_is_told(tmp_path: Path) -> None:
    run = "java.lang.ref.Finalizer$FinalizerThread.run(Finalizer.java:217)"
    waits = (
        "com.acme.Native.close(Native.java:9)",
        "- waiting to lock <0x00000000f1> (a com.acme.Native)",
        "com.acme.Native.finalize(Native.java:20)",
        "java.lang.ref.Finalizer.runFinalizer(Finalizer.java:102)",
        run,
    )
    (one,) = _of(tmp_path, [At("Finalizer", 3, waits, "BLOCKED (on object monitor)")])
    assert one.severity is Severity.INFO
    rests = ("java.lang.Object.wait(Native Method)", "java.lang.ref.ReferenceQueue.remove(R.java:144)", run)
    assert not _of(tmp_path, [At("Finalizer", 3, rests, "WAITING (on object monitor)")])
    # it runs one at this moment, which is what it is for
    assert not _of(tmp_path, [At("Finalizer", 3, waits[2:])])


@folded(
    "name, pool",
    [
        ("[STUCK] ExecuteThread: '12' for queue: 'weblogic.kernel.Default'", "weblogic.kernel.Default"),
        ("IPC Server handler 9 on 8020", "IPC Server handler"),
        ("RpcServer.default.FPBQ.Fifo.handler=12,queue=0,port=16020", "RpcServer.default.FPBQ.Fifo.handler"),
        ("elasticsearch[node-1][search][T#5]", "elasticsearch[node-1][search]"),
        ("Executor task launch worker for task 12.0 in stage 3.0 (TID 1234)", "Executor task launch worker"),
        ("RMI TCP Connection(12)-10.0.0.3", "RMI TCP Connection"),
        ("Camel (camel-1) thread #12 - JmsConsumer[orders]", "Camel (camel-1) JmsConsumer[orders]"),
        ("Thread-4 (ActiveMQ-client-global-threads)", "ActiveMQ-client-global-threads"),
        ("http-nio-8080-exec-12 url:/rest/x username:a", "http-nio-8080-exec"),
        ("qtp1234-56 - /rest/x", "qtp1234"),
        ("Handling GET /job/web from 10.0.0.1 : qtp1234-56 View/index.jelly", "qtp1234"),
        ("coreLoadExecutor-6-thread-2-processing-n:10.0.0.1:8983_solr", "coreLoadExecutor-6-thread"),
        ("qtp1234-57-acceptor-0@6f", None),
    ],
)
def test_a_pool_whose_numbers_are_not_at_the_end_of_names(name: str, pool: str | None) -> None:
    assert role_of_name(name).pool == pool
