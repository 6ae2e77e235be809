"""Broker threads, callbacks, a lost pull thread, pools of no consumer."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.facts.vocabulary import StandstillCause
from mqdiag.language import english
from mqdiag.threads import roles
from mqdiag.threads.cause_of_wait import broker_remedy
from tests.layers import one_in_each_run
from tests.rules.checks import said
from tests.threads.made import HTTP, RUN, TAKE, At, facts, report
from tests.threads.real_series import CASES, diagnosis_of

TASK = (
    "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136)",
    "java.lang.Thread.run(Thread.java:840)",
)
PUT = (
    "org.apache.rocketmq.store.CommitLog.asyncPutMessage(CommitLog.java:640)",
    "org.apache.rocketmq.broker.processor.SendMessageProcessor.processRequest(SendMessageProcessor.java:82)",
    *TASK,
)
PARKED = (
    "jdk.internal.misc.Unsafe.park(Native Method)",
    "- parking to wait for  <0x00000000f1> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)",
    "java.util.concurrent.locks.LockSupport.park(LockSupport.java:211)",
    "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:322)",
    "org.apache.rocketmq.store.PutMessageReentrantLock.lock(PutMessageReentrantLock.java:29)",
    *PUT,
)
ALLOCATING = (
    "jdk.internal.misc.Unsafe.park(Native Method)",
    "java.util.concurrent.CountDownLatch.await(CountDownLatch.java:276)",
    "org.apache.rocketmq.store.AllocateMappedFileService.putRequestAndReturnMappedFile(AllocateMappedFileService.java:95)",
    "org.apache.rocketmq.store.MappedFileQueue.getLastMappedFile(MappedFileQueue.java:210)",
    *PUT,
)
SPINNING = (
    "org.apache.rocketmq.store.PutMessageSpinLock.lock(PutMessageSpinLock.java:31)",
    *PUT,
)


def test_send_threads_behind_a_slow_page_cache(tmp_path: Path) -> None:
    sample = [At("SendMessageThread_1", 60, ALLOCATING, "TIMED_WAITING (parking)", 5.0)]
    sample += [At(f"SendMessageThread_{n}", 60 + n, PARKED, "WAITING (parking)", 5.0) for n in range(2, 5)]
    (found,) = report(tmp_path, [sample] * 5).findings
    assert (found.rule, found.cause, found.severity) == ("broker-send-blocked", "page-cache-busy", "error")
    assert len(found.evidence["threads"]) == 4  # type: ignore[arg-type]


def test_holders_that_give_up_one_after_the_other(tmp_path: Path) -> None:
    """putRequestAndReturnMappedFile waits five seconds; the next thread takes the lock and waits too."""
    held = "<0x00000000f1> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)"
    samples = [
        [
            At(
                f"SendMessageThread_{n}",
                60 + n,
                ALLOCATING,
                "TIMED_WAITING (parking)",
                5.0,
                synchronizers=[held],
            )
            if n == holder
            else At(f"SendMessageThread_{n}", 60 + n, PARKED, "WAITING (parking)", 5.0)
            for n in range(8)
        ]
        for holder in (0, 0, 1, 1, 2)
    ]
    found = report(tmp_path, samples).findings
    assert [(item.rule, item.cause) for item in found] == [("broker-send-blocked", "page-cache-busy")]


def test_send_threads_that_spin_before_the_lock(tmp_path: Path) -> None:
    samples = [
        [
            At("SendMessageThread_1", 60, ALLOCATING, "TIMED_WAITING (parking)", 5.0),
            At("SendMessageThread_2", 61, SPINNING, "RUNNABLE", 1000.0 * number),
        ]
        for number in range(5)
    ]
    stacks = facts(tmp_path, samples)
    assert {thread.name: thread.state for thread in stacks.threads if thread.role == "broker-send"} == {
        "SendMessageThread_1": "stuck",
        "SendMessageThread_2": "blocked",
    }


def _flushing(latch: int) -> tuple[str, ...]:
    """Each send waits for the flush of its own bytes: CommitLog of 4.3.2 with SYNC_FLUSH."""
    return (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        f"- parking to wait for  <0x{latch:016x}> (a java.util.concurrent.CountDownLatch$Sync)",
        "java.util.concurrent.CountDownLatch.await(CountDownLatch.java:276)",
        "org.apache.rocketmq.store.CommitLog$GroupCommitRequest.waitForFlush(CommitLog.java:1053)",
        "org.apache.rocketmq.store.CommitLog.handleDiskFlush(CommitLog.java:647)",
        "org.apache.rocketmq.store.CommitLog.putMessage(CommitLog.java:634)",
        "org.apache.rocketmq.broker.processor.SendMessageProcessor.processRequest(SendMessageProcessor.java:82)",
        *TASK,
    )


@pytest.mark.parametrize(
    ("waiting", "found"), [(4, [("broker-send-blocked", "slow-disk", "warning")]), (3, [])]
)
def test_sends_that_end_but_always_wait_for_the_flush(
    waiting: int, found: list[tuple[str, str, str]], tmp_path: Path
) -> None:
    """A slow disk bounds the broker though no send is stuck; one free thread in one sample, and it does not."""
    samples = [
        [
            At(
                f"SendMessageThread_{n}",
                60 + n,
                _flushing(0xF100 + 16 * (4 * number + n)) if number or n < waiting else TAKE,
                "TIMED_WAITING (parking)",
                5.0 + 40 * number,
            )
            for n in range(4)
        ]
        for number in range(5)
    ]
    assert [(one.rule, one.cause, one.severity) for one in report(tmp_path, samples).findings] == found


def test_send_threads_that_take_turns(tmp_path: Path) -> None:
    samples = [
        [
            At("SendMessageThread_1", 60, PARKED if number % 2 else TAKE, "WAITING (parking)", 5.0 + number),
            At("SendMessageThread_2", 61, TAKE if number % 2 else PARKED, "WAITING (parking)", 5.0 + number),
        ]
        for number in range(5)
    ]
    assert [item.rule for item in report(tmp_path, samples).findings] == []


def test_callbacks_that_all_hang(tmp_path: Path) -> None:
    remoting = "org.apache.rocketmq.remoting.netty.NettyRemotingAbstract$3.run(NettyRemotingAbstract.java:319)"
    callback = (*HTTP[:6], "com.acme.Audit.onSuccess(Audit.java:20)", remoting, *TASK)
    sample = [At(f"NettyClientPublicExecutor_{n}", 80 + n, callback, "RUNNABLE", 5.0) for n in range(1, 3)]
    sample += [At("ConsumeMessageThread_CID_1", 90, TAKE, "WAITING (parking)", 5.0)]
    found = report(tmp_path, [sample] * 5).findings
    assert [(item.rule, item.cause) for item in found] == [
        ("callback-pool-blocked", "callback-pool-blocked"),
        ("idle-consumer", "no-backlog-or-slow-pull"),
    ]
    assert found[1].caused_by == (found[0].fingerprint,)
    assert "as nothing is pulled" in english()(found[1].title)


def test_a_lost_pull_thread(tmp_path: Path) -> None:
    sample = [
        At(
            "RebalanceService",
            40,
            ("org.apache.rocketmq.common.ServiceThread.waitForRunning(ServiceThread.java:1)", RUN),
        ),
        At("ConsumeMessageThread_CID_1", 90, TAKE, "WAITING (parking)", 5.0),
    ]
    found = report(tmp_path, [sample] * 3).findings
    assert [item.rule for item in found] == ["pull-service-dead", "idle-consumer"]
    assert english()(found[0].then[0].text).startswith("Look for the Error in the log")
    assert "keeps up" not in said(found[1])
    assert "as nothing is pulled" in said(found[1])
    whole = [*sample, At("PullMessageService", 41, (*TAKE[:2], RUN), "WAITING (parking)")]
    (alone,) = report(tmp_path, [whole] * 3).findings
    assert alone.rule == "idle-consumer"
    assert "the listener keeps up, or none arrives" in said(alone)


def test_a_pool_of_no_consumer_that_hangs_is_an_error_by_its_share(tmp_path: Path) -> None:
    frames = (*HTTP[:6], "com.acme.web.Api.get(Api.java:20)", *TASK)
    sample = [At(f"http-nio-8080-exec-{n}", 80 + n, frames, "RUNNABLE", 5.0) for n in range(1, 6)]
    (found,) = report(tmp_path, [sample] * 5).findings
    assert (found.rule, found.severity) == ("threads-stuck", "error")
    assert found.subject.thread == "http-nio-8080-exec"
    free = [At(f"http-nio-8080-exec-{n}", 80 + n, (*TAKE, RUN), "WAITING (parking)", 5.0) for n in range(6, 12)]
    (found,) = report(tmp_path, [sample + free] * 5).findings
    assert (found.rule, found.severity) == ("threads-stuck", "warning")


def test_a_librarys_own_long_poll_is_no_fault(tmp_path: Path) -> None:
    frames = (
        *HTTP[:6],
        "com.alibaba.nacos.client.config.http.ServerHttpAgent.httpPost(ServerHttpAgent.java:155)",
        *TASK,
    )
    sample = [At("com.alibaba.nacos.client.Worker.longPolling.1", 80, frames, "RUNNABLE", 5.0)]
    assert report(tmp_path, [sample] * 5).findings == ()


def test_a_subscription_waits_by_design(tmp_path: Path) -> None:
    frames = (
        "java.net.SocketInputStream.socketRead0(Native Method)",
        "redis.clients.jedis.Protocol.read(Protocol.java:221)",
        "redis.clients.jedis.JedisPubSub.process(JedisPubSub.java:125)",
        "com.acme.Events.subscribe(Events.java:30)",
        *TASK,
    )
    found = report(tmp_path, [[At("events-1", 80, frames, "RUNNABLE", 5.0)]] * 5)
    assert found.findings == ()
    assert found.stacks is not None
    assert found.stacks.threads[0].state == "idle"


@pytest.mark.parametrize(
    ("cause", "setting", "price"),
    [
        ("slow-slave", "brokerRole=ASYNC_MASTER", "does not have yet are lost with the master"),
        ("slow-disk", "ASYNC_FLUSH takes", "not flushed yet are lost if the host goes down"),
        ("page-cache-busy", "transientStorePoolEnable=true (needs a restart)", "lost if the JVM dies"),
    ],
)
def test_a_faster_setting_is_offered_with_its_price(cause: StandstillCause, setting: str, price: str) -> None:
    (offer,) = [line for line in map(english(), broker_remedy(cause)) if setting in line]
    assert price in offer


@pytest.mark.parametrize("case", ["convoy-stuck", "convoy-stuck-jdk21"])
def test_the_first_remedy_of_a_lock_names_the_thread_and_its_frame(case: str) -> None:
    stacks = diagnosis_of(CASES / case / "series.tar.gz").report.stacks
    assert stacks is not None
    waiting = [still for still in stacks.standstills if still.kind == "lock"]
    assert waiting
    for still in waiting:
        assert still.holder is not None
        assert still.holder_does is not None
        first = english()(still.remedy[0])
        assert still.holder in first
        assert still.holder_does.partition(" at ")[2] in first


@one_in_each_run(5)
@pytest.mark.parametrize(
    "prefix", [prefix for prefix, _ in roles.NAMES.beginnings] + ["pool-3-thread-", "order_", "G1 Conc#", ""]
)
def test_the_number_of_a_thread_says_nothing_of_its_role(prefix: str) -> None:
    for name in (f"{prefix}1", f"{prefix}12", f"{prefix}307"):
        assert roles.role_of_name(name) == roles._role_of_name(name)
    before = roles._role_of_name.cache_info().misses
    roles.role_of_name(f"{prefix}1987")
    assert roles._role_of_name.cache_info().misses == before


@pytest.mark.parametrize(
    ("name", "pool"),
    [
        ("pool-1-thread-2@9887", "pool-1-thread"),
        ("http-nio-80-exec-12@61", "http-nio-80-exec"),
        ("sync@12", "sync@"),
    ],
)
def test_the_number_of_a_debugger_is_no_part_of_a_name(name: str, pool: str) -> None:
    assert roles.role_of_name(name).pool == pool
    assert roles.role_of_name("Finalizer@1234").role == roles.JVM
