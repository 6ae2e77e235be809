"""Javacores of OpenJ9, typed after the samples of its documentation and of posted dumps, with a consumer's threads."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.findings import Report
from mqdiag.language import english
from mqdiag.read.stacks.reader import read_stacks
from mqdiag.read.stacks.records import LOCKED, PARKING, WAITING_TO_LOCK, ThreadRecord
from mqdiag.render import View
from mqdiag.render.text import render

HEAD = """0SECTION       TITLE subcomponent dump routine
NULL           ===============================
1TICHARSET     UTF-8
1TISIGINFO     Dump Event "user" (00004000) received
1TIDATETIMEUTC Date: 2026/03/01 at 10:00:{second:02}:017 (UTC)
1TIDATETIME    Date: 2026/03/01 at 18:00:{second:02}:017
1TITIMEZONE    Timezone: UTC+8 (CST)
NULL
0SECTION       ENVINFO subcomponent dump routine
NULL           =================================
1CIJAVAVERSION JRE 17 Linux amd64-64 (build 17.0.10+7)
1CIPROCESSID   Process ID: 4711 (0x1267)
NULL
0SECTION       MEMINFO subcomponent dump routine
NULL           =================================
1STHEAPTYPE    Object Memory
1STHEAPTOTAL   Total memory:                   268435456 (0x0000000010000000)
1STHEAPINUSE   Total memory in use:            201326592 (0x000000000C000000)
1STHEAPFREE    Total memory free:               67108864 (0x0000000004000000)
NULL
0SECTION       THREADS subcomponent dump routine
NULL           =================================
NULL
1XMCURTHDINFO  Current thread
"""
THREAD = """3XMTHREADINFO      "{name}" J9VMThread:0x00000000000{number:02}B00, omrthread_t:0x00007F4E4C3350F8,\
 java/lang/Thread:0x00000000FFF0{number:02}58, state:{state}, prio=5
3XMJAVALTHREAD            (java/lang/Thread getId:0x{number:X}, isDaemon:false)
3XMJAVALTHRCCL            jdk/internal/loader/ClassLoaders$AppClassLoader(0x00000000FFEF5340)
3XMTHREADINFO1            (native thread ID:0x48{number:02}, native priority:0x5, native policy:UNKNOWN,\
 vmstate:CW, vm thread flags:0x00041060)
3XMTHREADINFO2            (native stack address range from:0x00007F4E4B0BF000, to:0x00007F4E4B0FF000, size:0x40000)
3XMCPUTIME               CPU usage total: 0.0{cpu:02}087390 secs, current category="Application"
{block}3XMHEAPALLOC             Heap bytes allocated since last GC cycle=4096 (0x1000)
3XMTHREADINFO3           Java callstack:
{frames}3XMTHREADINFO3           Native callstack:
4XENATIVESTACK               protectedBacktrace+0x12 (0x00007F4E4B627052 [libj9prt29.so+0x27052])
NULL
"""
END = """0SECTION       Javadump End section
NULL           ---------------------- END OF DUMP -------------------------------------
"""
CONSUME = (
    "com/acme/Listener.consumeMessage(Listener.java:19)",
    "org/apache/rocketmq/client/impl/consumer/ConsumeMessageConcurrentlyService$ConsumeRequest.run"
    "(ConsumeMessageConcurrentlyService.java:402)",
    "java/util/concurrent/FutureTask.run(FutureTask.java:264(Compiled Code))",
    "java/util/concurrent/ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136(Compiled Code))",
    "java/lang/Thread.run(Thread.java:857)",
)
READ = (
    "sun/nio/ch/SocketDispatcher.read0(Native Method)",
    "sun/nio/ch/NioSocketImpl.tryRead(NioSocketImpl.java:266)",
    "java/net/Socket$SocketInputStream.read(Socket.java:966)",
    "com/acme/Stock.reserve(Stock.java:31)",
    "(entered lock: java/util/HashMap@0x00000000FFF1C0D8, entry count: 1)",
    *CONSUME,
)
ENTER = ("com/acme/Stock.reserve(Stock.java:30(Compiled Code))", *CONSUME)
BLOCKED = (
    '3XMTHREADBLOCK     Blocked on: java/util/HashMap@0x00000000FFF1C0D8 Owned by: "ConsumeMessageThread_g_1"'
    " (J9VMThread:0x0000000000001B00, java/lang/Thread:0x00000000FFF00158)\n"
)
TAKE = (
    "jdk/internal/misc/Unsafe.park(Native Method)",
    "java/util/concurrent/locks/LockSupport.park(LockSupport.java:341)",
    "java/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject.await"
    "(AbstractQueuedSynchronizer.java:1627)",
    "java/util/concurrent/LinkedBlockingQueue.take(LinkedBlockingQueue.java:435)",
    "java/util/concurrent/ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1062)",
    "java/util/concurrent/ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1122)",
    "java/lang/Thread.run(Thread.java:857)",
)
PARKED = (
    "3XMTHREADBLOCK     Parked on: java/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject"
    "@0x00000000FFF2A0E0 Owned by: <unknown>\n"
)


def javacore(second: int, *threads: str) -> str:
    return HEAD.format(second=second) + "".join(threads) + END


def thread(number: int, state: str, frames: tuple[str, ...], block: str = "", cpu: int = 20) -> str:
    lines = "".join(
        f"5XESTACKTRACE                   {frame}\n"
        if frame.startswith("(entered")
        else f"4XESTACKTRACE                at {frame}\n"
        for frame in frames
    )
    name = f"ConsumeMessageThread_g_{number}"
    return THREAD.format(name=name, number=number, state=state, frames=lines, block=block, cpu=cpu)


def convoy(second: int) -> str:
    """The first thread stands in the section of the current thread too."""
    holder = thread(1, "CW", READ)
    return javacore(second, holder, holder, thread(2, "B", ENTER, BLOCKED), thread(3, "B", ENTER, BLOCKED))


def idle(second: int) -> str:
    return javacore(second, *(thread(number, "P", TAKE, PARKED, cpu=20 + second) for number in (1, 2, 3)))


def threads_of(folder: Path, text: str) -> dict[str, ThreadRecord]:
    path = folder / "javacore.20260301.180000.4711.0001.txt"
    path.write_text(text)
    (sample,) = read_stacks(str(path)).samples
    assert (sample.format, sample.pid, sample.captured_at) == ("javacore", 4711, "2026-03-01T10:00:05.017Z")
    assert (sample.heap_used_bytes, sample.heap_size_bytes) == (192 << 20, 256 << 20)
    assert sample.jvm == "JRE 17 Linux amd64-64 (build 17.0.10+7)"
    return {thread.name: thread for thread in sample.threads}


def report(folder: Path, *samples: str) -> Report:
    for place, text in enumerate(samples):
        (folder / f"javacore.20260301.18000{place}.4711.000{place}.txt").write_text(text)
    return diagnose_stacks(sorted(folder.iterdir())).report


def test_a_thread_in_all_its_parts(tmp_path: Path) -> None:
    threads = threads_of(tmp_path, convoy(5))
    assert sorted(threads) == [f"ConsumeMessageThread_g_{number}" for number in (1, 2, 3)]
    holder, waiter = threads["ConsumeMessageThread_g_1"], threads["ConsumeMessageThread_g_2"]
    assert (holder.java_id, holder.nid, holder.tid) == (1, 0x4801, "0x0000000000001b00")
    assert holder.cpu_ms == pytest.approx(20.09)
    assert holder.stack.state == "RUNNABLE"
    assert holder.stack.frames[0] == "sun.nio.ch.SocketDispatcher.read0(Native Method)"
    assert holder.stack.frames[-2].startswith(
        "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136"
    )
    assert [(lock.kind, lock.class_name) for lock in holder.stack.locks] == [(LOCKED, "java.util.HashMap")]
    assert waiter.stack.state == "BLOCKED"
    assert [lock.kind for lock in waiter.stack.locks] == [WAITING_TO_LOCK]
    assert waiter.addresses == holder.addresses


def test_a_parked_thread(tmp_path: Path) -> None:
    threads = threads_of(tmp_path, idle(5))
    stack = threads["ConsumeMessageThread_g_1"].stack
    assert stack.state == "WAITING"
    assert [lock.kind for lock in stack.locks] == [PARKING]


SLEEP = ("java/lang/Thread.sleepImpl(Native Method)", "java/lang/Thread.sleep(Thread.java:993)")
WAIT = ("java/lang/Object.waitImpl(Native Method)", "java/lang/Object.wait(Object.java:262)")
PARK_NANOS = (
    "jdk/internal/misc/Unsafe.park(Native Method)",
    "java/util/concurrent/locks/LockSupport.parkNanos(LockSupport.java:252)",
)


@pytest.mark.parametrize(
    ("state", "frames", "expected"),
    [
        ("CW", SLEEP, "TIMED_WAITING"),
        ("CW", WAIT, "WAITING"),
        ("CW", ("sun/nio/ch/EPoll.wait(Native Method)",), "RUNNABLE"),
        ("P", PARK_NANOS, "TIMED_WAITING"),
        ("R", ("com/acme/Listener.consumeMessage(Listener.java:19)",), "RUNNABLE"),
    ],
)
def test_states(state: str, frames: tuple[str, ...], expected: str, tmp_path: Path) -> None:
    threads = threads_of(tmp_path, javacore(5, thread(1, state, frames)))
    assert threads["ConsumeMessageThread_g_1"].stack.state == expected


def test_a_convoy_behind_a_read_without_timeout(tmp_path: Path) -> None:
    found = report(tmp_path, convoy(0), convoy(5), convoy(10))
    by_rule = {finding.rule: finding for finding in found.findings}
    assert by_rule["stuck-socket-read"].evidence["threads"] == ("ConsumeMessageThread_g_1",)
    assert by_rule["lock-convoy"].evidence["holder"] == "ConsumeMessageThread_g_1"
    assert found.answer is not None
    assert found.answer.state == "fault"


def test_the_use_of_the_heap_is_shown(tmp_path: Path) -> None:
    text = render(report(tmp_path, idle(0), idle(5)), View(width=120))
    assert "heap in use" in text
    assert "192 MiB of 256 MiB" in text


def test_a_consumer_that_waits_for_messages_is_no_fault(tmp_path: Path) -> None:
    found = report(tmp_path, idle(0), idle(5), idle(10))
    assert {finding.severity.value for finding in found.findings} <= {"info"}


def test_diagnose_recognises_a_javacore_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "evidence.txt").write_text(convoy(5))
    found = diagnose_incident([tmp_path]).report
    assert [(given.kind, given.format) for given in found.inputs] == [("stacks", "javacore")]


def test_a_javacore_that_is_cut_in_a_line_keeps_the_threads_before(tmp_path: Path) -> None:
    text = convoy(5)
    assert "ConsumeMessageThread_g_2" in threads_of(tmp_path, text[: text.rindex("4XESTACKTRACE") + 40])
    found = report(tmp_path, text[: text.rindex("4XESTACKTRACE") + 40])
    assert "input-incomplete" in {finding.rule for finding in found.findings}


MONITORS = """2LKMONINUSE      sys_mon_t:0x00007F8E2C16E258 infl_mon_t: 0x00007F8E2C16E2D8:
3LKMONOBJECT       com/acme/Clock@0x00000000EAF1C0B8: Flat locked by "worker-1" (J9VMThread:0x0000000001A4AF00), entry \
count 1
3LKWAITERQ            Waiting to enter:
{waiters}2LKMONINUSE      sys_mon_t:0x00007F8E2C16E358 infl_mon_t: 0x00007F8E2C16E3D8:
3LKMONOBJECT       com/acme/Idle@0x00000000EAF1C0C8: <unowned>
3LKNOTIFYQ            Waiting to be notified:
3LKWAITNOTIFY            "worker-9" (J9VMThread:0x00000000005DB900)
"""
DEADLOCK = """1LKDEADLOCK    Deadlock detected !!!
2LKDEADLOCKTHR  Thread "worker-1" (0x94501D00)
3LKDEADLOCKWTR    is waiting for:
4LKDEADLOCKMON      sys_mon_t:0x08C2B344 infl_mon_t: 0x08C2B384:
4LKDEADLOCKOBJ      com/acme/Stock@0x004B2290
3LKDEADLOCKOWN    which is owned by:
2LKDEADLOCKTHR  Thread "worker-2" (0x94507500)
3LKDEADLOCKWTR    which is waiting for:
4LKDEADLOCKMON      sys_mon_t:0x08C2B3A0 infl_mon_t: 0x08C2B3E0:
4LKDEADLOCKOBJ      com/acme/Ledger@0x004B22A0
3LKDEADLOCKOWN    which is owned by:
2LKDEADLOCKTHR  Thread "worker-1" (0x94501D00)
"""


def monitors(waiting: int) -> str:
    names = range(2, 2 + waiting)
    waiters = "".join(
        f'3LKWAITER                "worker-{number}" (J9VMThread:0x00000000005DB{number}00)\n'
        for number in names
    )
    return MONITORS.format(waiters=waiters)


def test_monitors_without_threads_name_who_waits(tmp_path: Path) -> None:
    found = report(tmp_path, "Seen last night:\n" + monitors(4))
    (convoy_before,) = [one for one in found.findings if one.rule == "lock-convoy"]
    assert convoy_before.severity.value == "info"
    assert convoy_before.evidence["threads"] == ("worker-2", "worker-3", "worker-4", "worker-5")
    assert convoy_before.evidence["holder"] == "worker-1"
    assert convoy_before.evidence["lock_class"] == "com.acme.Clock"
    assert "no frame of the holder" in english()(convoy_before.explanation[-1])


def test_monitors_to_the_end_of_a_dump_do_not_tell_that_all_is_well(tmp_path: Path) -> None:
    paths = []
    for number in range(5):
        paths.append(tmp_path / f"javacore.{number}.txt")
        paths[-1].write_text(
            f"1TIDATETIME    Date: 2024/05/01 at 10:00:{number * 8:02}\n"
            + monitors(0).replace("worker-1", "ConsumeMessageThread_orders_1")
            + '3LKMONOBJECT       java/util/HashMap@0xC8: Flat locked by "PullMessageService" (0xC9)\n'
            + "NULL           ---------------------- END OF DUMP -------------------------------------\n"
        )
    found = diagnose_stacks(paths).report
    assert found.answer is not None
    assert found.answer.state == "undecided"
    assert found.stacks is not None
    assert {thread.state for thread in found.stacks.threads} == {"unknown"}, "nothing tells what the holders do"
    assert "idle-consumer" not in {one.rule for one in found.findings}
    assert "section of threads" in english()(found.inputs[0].problem)


def test_two_that_wait_for_a_monitor_are_no_crowd(tmp_path: Path) -> None:
    found = report(tmp_path, monitors(2))
    assert {one.rule for one in found.findings} <= {"input-incomplete", "progress-not-judged"}
    assert found.answer is not None
    assert found.answer.state == "undecided"


def test_the_deadlock_that_the_jvm_found_is_one_without_its_threads(tmp_path: Path) -> None:
    found = report(tmp_path, DEADLOCK)
    (cycle,) = [one for one in found.findings if one.rule == "deadlock"]
    assert cycle.evidence["threads"] == ("worker-1", "worker-2")
    assert cycle.evidence["locks"] == ("com.acme.Stock", "com.acme.Ledger")


def test_the_threads_of_a_javacore_come_before_its_monitors(tmp_path: Path) -> None:
    threads = threads_of(tmp_path, convoy(5) + DEADLOCK)
    assert not any(name.startswith("worker") for name in threads)
