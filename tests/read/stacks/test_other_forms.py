"""Threads of other programs and of pastes: dump_to_file without its head, pinned threads, jstack -F, JRockit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mqdiag.errors import InputError
from mqdiag.read.stacks.reader import read_stacks
from mqdiag.read.stacks.records import Sample
from mqdiag.threads.facts import stacks_facts
from tests.read.stacks.given import read_text, real_dump, same

POSTED = """\
Here is one of the threads that hang:

#8395 "OrderWorker<6074>" virtual
      java.base/java.lang.Object.wait0(Native Method)
      java.base/java.lang.Object.wait(Object.java:366)
      com.acme.Pool.take(Pool.java:30)
      java.base/java.lang.VirtualThread.run(VirtualThread.java:309)

and its carrier:

"ForkJoinPool-1-worker-1" #40 [217] daemon prio=5 os_prio=0 cpu=11.28ms elapsed=478.88s tid=0x00007f3910004251  [0x00]
   Carrying virtual thread #8395
        at jdk.internal.vm.Continuation.run(java.base@21.0.1/Continuation.java:251)
        at java.lang.VirtualThread.runContinuation(java.base@21.0.1/VirtualThread.java:221)
"""
PINNED = """\
Thread[#22,ForkJoinPool-1-worker-1,5,CarrierThreads]
    java.base/java.lang.VirtualThread$VThreadContinuation.onPinned(VirtualThread.java:183)
    java.base/java.lang.VirtualThread.parkNanos(VirtualThread.java:621)
    com.acme.Stock.reserve(Stock.java:31) <== monitors:1
    java.base/java.lang.VirtualThread.run(VirtualThread.java:309)
"""
FORCED = """\
Attaching to process ID 4711, please wait...
Thread 4731: (state = BLOCKED)
 - sun.misc.Unsafe.park(boolean, long) @bci=0 (Compiled frame; information may be imprecise)
 - com.acme.Stock.reserve(int) @bci=7, line=31 (Interpreted frame)

Locked ownable synchronizers:
    - None

Thread 4732: (state = IN_NATIVE)
 - java.net.SocketInputStream.socketRead0(java.io.FileDescriptor, byte[], int, int, int) @bci=0 (Compiled frame)
"""
JROCKIT = """\
===== FULL THREAD DUMP ===============
Tue Jul 24 10:00:01 2012
Oracle JRockit(R) R28.2.3-13-149708-1.6.0_31-20120327-1523-linux-x86_64

"Main Thread" id=1 idx=0x4 tid=7893 prio=5 alive, in native
    at java/net/SocketInputStream.socketRead0(Ljava/io/FileDescriptor;[BIII)I(Native Method)
    at com/acme/Stock.reserve(I)V(Stock.java:31)
    ^-- Holding lock: com/acme/Stock@0x00000000F0A1[thin lock]
    -- end of trace

"worker-1" id=9 idx=0x28 tid=7901 prio=5 alive, blocked, native_blocked, daemon
    -- Blocked trying to get lock: com/acme/Stock@0x00000000F0A1[thin lock]
    at com/acme/Stock.count()I(Stock.java:12)[optimized]
    -- end of trace

===== END OF THREAD DUMP ===============
"""


def read(tmp_path: Path, text: str) -> list[Sample]:
    path = tmp_path / "given.txt"
    path.write_text(text)
    return read_stacks(str(path)).samples


def test_a_posted_virtual_thread_and_its_carrier(tmp_path: Path) -> None:
    (sample,) = read(tmp_path, POSTED)
    virtual, carrier = sample.threads
    assert (virtual.name, virtual.java_id, virtual.virtual) == ("OrderWorker<6074>", 8395, True)
    assert virtual.stack.methods[2] == "com.acme.Pool.take"
    assert carrier.stack.mounted == 8395
    pinned = stacks_facts([sample]).pinned_carriers
    assert pinned is not None
    assert (pinned.carriers, pinned.waiting, pinned.frame) == (1, 0, "com.acme.Pool.take(Pool.java:30)")


def test_a_carrier_alone_begins_a_paste(tmp_path: Path) -> None:
    (sample,) = read(tmp_path, POSTED[POSTED.index('"ForkJoin') :])
    assert [thread.stack.mounted for thread in sample.threads] == [8395]


def test_a_thread_that_the_jdk_traced_as_pinned(tmp_path: Path) -> None:
    samples = read(tmp_path, PINNED * 2)
    assert {thread.name for sample in samples for thread in sample.threads} == {"ForkJoinPool-1-worker-1"}
    pinned = stacks_facts(samples).pinned_carriers
    assert pinned is not None
    assert pinned.frame == "com.acme.Stock.reserve(Stock.java:31)"


def test_forced_dumps_have_no_names_and_say_so(tmp_path: Path) -> None:
    (sample,) = read(tmp_path, FORCED)
    assert [(one.name, one.nid, one.stack.state) for one in sample.threads] == [
        ("Thread 4731", 4731, "WAITING"),
        ("Thread 4732", 4732, "RUNNABLE"),
    ]
    assert sample.threads[0].stack.frames[1] == "com.acme.Stock.reserve(Unknown Source:31)"
    assert not sample.complete
    assert "jcmd PID Thread.print -l" in str(sample.problem)


def test_dumps_of_jrockit_have_locks_and_times(tmp_path: Path) -> None:
    samples = read(tmp_path, JROCKIT + JROCKIT.replace("10:00:01", "10:00:06"))
    assert [sample.captured_local for sample in samples] == ["2012-07-24 10:00:01", "2012-07-24 10:00:06"]
    assert all(sample.complete for sample in samples)
    main, worker = samples[0].threads
    assert (main.nid, main.stack.frames[1]) == (7893, "com.acme.Stock.reserve(Stock.java:31)")
    assert (worker.daemon, worker.stack.state) == (True, "BLOCKED")
    (lock,) = stacks_facts(samples).locks
    assert (lock.owner, lock.class_name, lock.waiters) == ("Main Thread", "com.acme.Stock", ("worker-1",))


DUMP = {
    "threadDump": {
        "processId": "4711",
        "time": "2026-11-21T06:10:00Z",
        "runtimeVersion": "21.0.1",
        "threadContainers": [
            {
                "container": "<root>",
                "threads": [
                    {
                        "tid": str(number),
                        "name": name,
                        "stack": ["java.base/java.lang.Thread.sleep(Native Method)"],
                    }
                    for number, name in ((1, "main"), (2, "worker"))
                ],
            }
        ],
    }
}


@pytest.mark.parametrize(
    "around", ["{}", "We saw this:\n{}\nWhat is it?", "<pre>{}</pre>", "```json\n{}\n```\nthanks"]
)
@pytest.mark.parametrize("indent", [None, 2])
def test_json_in_a_page_or_a_ticket(around: str, indent: int | None, tmp_path: Path) -> None:
    text = json.dumps(DUMP, indent=indent)
    (sample,) = read(tmp_path, around.replace("{}", text))
    assert [thread.name for thread in sample.threads] == ["main", "worker"]
    assert sample.pid == 4711
    quoted = "\n".join(f"> {line}" for line in text.split("\n"))
    assert len(read(tmp_path, quoted)[0].threads) == 2


def test_json_that_lost_its_head_is_a_part(tmp_path: Path) -> None:
    text = json.dumps(DUMP, indent=1)
    (sample,) = read(tmp_path, text[text.index('"container"') :])
    assert [thread.name for thread in sample.threads] == ["main", "worker"]
    assert not sample.complete


WRAPPERS = {
    "syslog": lambda line: f"May  6 07:08:09 mq-host-01 run.sh[3121]: {line}",
    "cri": lambda line: f"2024-05-06T07:08:09.000000001Z stdout F {line}",
    "docker": lambda line: json.dumps(
        {"log": f"{line}\n", "stream": "stderr", "time": "2024-05-06T07:08:09.1Z"}
    ),
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("form", ["dump-text", "dump-json"])
def test_what_a_collector_puts_around_a_file_of_threads(tmp_path: Path, form: str, wrapper: str) -> None:
    plain = real_dump("urlconnection-stuck-jdk25", form)
    dressed = "".join(f"{WRAPPERS[wrapper](line)}\n" for line in plain.splitlines())
    same(read_text(tmp_path, dressed), read_text(tmp_path, plain))


@pytest.mark.parametrize("columns", [80, 100])
def test_a_wrapped_file_of_threads_loses_none(tmp_path: Path, columns: int) -> None:
    plain = real_dump("urlconnection-stuck-jdk25", "dump-text")
    lines = [line[at : at + columns] for line in plain.splitlines() for at in range(0, len(line) or 1, columns)]
    same(read_text(tmp_path, "\n".join(lines) + "\n"), read_text(tmp_path, plain))


def test_headers_of_a_file_of_threads_that_were_cut_are_counted(tmp_path: Path) -> None:
    plain = real_dump("urlconnection-stuck-jdk25", "dump-text")
    (sample,) = read_text(tmp_path, "".join(f"{line[:100]}\n" for line in plain.splitlines())).samples
    (whole,) = read_text(tmp_path, plain).samples
    assert sample.unknown_headers == len(whole.threads) - len(sample.threads) > 0


@pytest.mark.parametrize(
    "header",
    [
        "Thread[order-{n},5,main]",
        "Thread[#2{n},order-{n},5,main]:",
        "Thread[order-{n},5,main] RUNNABLE",
        "com.acme.OrderThread[order-{n},5,] (RUNNABLE)",
    ],
)
@pytest.mark.parametrize("before", ["\tat ", "    ", "  at java.base/"])
def test_what_a_program_prints_of_all_stack_traces(header: str, before: str, tmp_path: Path) -> None:
    frames = ("java.net.SocketInputStream.socketRead0(Native Method)", "com.acme.Orders.send(Orders.java:18)")
    lines = [
        line for n in range(3) for line in (header.format(n=n), *(f"{before}{frame}" for frame in frames), "")
    ]
    path = tmp_path / "printed.txt"
    path.write_text("\n".join(lines))
    (sample,) = read_stacks(str(path)).samples
    assert [(one.name, one.stack.frames) for one in sample.threads] == [
        (f"order-{n}", frames) for n in range(3)
    ]
    assert {one.stack.state for one in sample.threads} == {"RUNNABLE" if "RUNNABLE" in header else ""}


def test_a_thread_in_a_log_is_no_print_of_all(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_text(
        "2026-11-21 06:10:00 ERROR uncaught in\nThread[order-1,5,main]\n\tat com.acme.Orders.send(Orders.java:18)\n"
        "2026-11-21 06:10:01 INFO Thread[order-2,5,main] began\n\tat com.acme.Orders.send(Orders.java:18)\n"
    )
    with pytest.raises(InputError):
        read_stacks(str(path))


HADOOP = """\
Process Thread Dump: jsp requested
2 active threads
Thread 130 (IPC Server handler 9 on 8020):
  State: BLOCKED
  Blocked count: 211
  Waited count: 900
  Blocked on com.acme.FSNamesystem@1b2c3d
  Blocked by 129 (IPC Server handler 8 on 8020)
  Stack:
    com.acme.FSNamesystem.locations(FSNamesystem.java:600)
    org.apache.hadoop.ipc.Server$Handler.run(Server.java:959)
Thread 129 (IPC Server handler 8 on 8020):
  State: RUNNABLE
  Blocked count: 211
  Waited count: 900
  Stack:
    java.io.FileOutputStream.writeBytes(Native Method)
    com.acme.FSEditLog.sync(FSEditLog.java:900)
    org.apache.hadoop.ipc.Server$Handler.run(Server.java:959)
"""
WATCHDOG = """\
[12:00:00] [Server thread/INFO]: [Stats] Loading
[12:00:01] [Watchdog Thread/ERROR]: Server thread dump (Look for plugins here before reporting to Paper!):
[12:00:01] [Watchdog Thread/ERROR]: ------------------------------
[12:00:01] [Watchdog Thread/ERROR]: Current Thread: Server thread
[12:00:01] [Watchdog Thread/ERROR]: \tPID: 43 | Suspended: false | Native: false | State: BLOCKED
[12:00:01] [Watchdog Thread/ERROR]: \tThread is waiting on monitor(s):
[12:00:01] [Watchdog Thread/ERROR]: \t\tLocked on:com.acme.Stats.load(Stats.java:60)
[12:00:01] [Watchdog Thread/ERROR]: \tStack:
[12:00:01] [Watchdog Thread/ERROR]: \t\tjava.base@17.0.2/java.io.FileInputStream.readBytes(Native Method)
[12:00:01] [Watchdog Thread/ERROR]: \t\tcom.acme.Stats.load(Stats.java:60)
[12:00:01] [Watchdog Thread/ERROR]: ------------------------------
[12:00:01] [Watchdog Thread/ERROR]: Current Thread: Craft Scheduler Thread - 4
[12:00:01] [Watchdog Thread/ERROR]: \tPID: 71 | Suspended: false | Native: false | State: WAITING
[12:00:01] [Watchdog Thread/ERROR]: \tStack:
[12:00:01] [Watchdog Thread/ERROR]: \t\tjava.lang.Object.wait(Native Method)
[12:00:01] [Watchdog Thread/ERROR]: \t\tcom.acme.Jobs.next(Jobs.java:12)
[12:00:01] [Watchdog Thread/ERROR]: ------------------------------
[12:00:02] [Server thread/INFO]: [Stats] Loaded
"""
JBOSS = """\
Total Threads: 2
Thread Group: jboss : max priority:10, demon:false
  Thread: http-0.0.0.0-8080-1 : priority:5, demon:true, threadId:100, threadState:BLOCKED, threadLockName:a.Stock@1b
          com.acme.Stock.take(Stock.java:20)
          java.lang.Thread.run(Thread.java:619)

  Thread: http-0.0.0.0-8080-2 : priority:5, demon:true, threadId:101, threadState:RUNNABLE
          java.net.SocketInputStream.socketRead0(Native Method)
          com.acme.Stock.take(Stock.java:30)

"""
JENKINS = """\
"Executor #0 for master : executing web #12" Id=100 Group=main WAITING on com.acme.Latch@1b2c
\tat java.lang.Object.wait(Native Method)
\t-  waiting on com.acme.Latch@1b2c
\tat com.acme.Build.run(Build.java:10)

"""


def _read(folder: Path, text: str) -> list[tuple[str, str, int, tuple[str, ...]]]:
    path = folder / "threads.txt"
    path.write_text(text)
    (sample,) = read_stacks(str(path)).samples
    return [
        (one.name, one.stack.state, len(one.stack.frames), tuple(lock.kind for lock in one.stack.locks))
        for one in sample.threads
    ]


def test_hadoop_prints_threads_with_the_owner_of_what_they_wait_for(tmp_path: Path) -> None:
    path = tmp_path / "stacks"
    path.write_text(HADOOP)
    (sample,) = read_stacks(str(path)).samples
    first, second = sample.threads
    assert (first.name, first.stack.state, len(first.stack.frames)) == (
        "IPC Server handler 9 on 8020",
        "BLOCKED",
        2,
    )
    assert first.parked_owner == second.java_id == 129
    assert first.stack.locks[0].class_name == "com.acme.FSNamesystem"
    assert (second.stack.state, len(second.stack.frames)) == ("RUNNABLE", 3)


def test_the_watchdog_of_a_game_server_writes_threads_into_its_log(tmp_path: Path) -> None:
    assert _read(tmp_path, WATCHDOG) == [
        ("Server thread", "BLOCKED", 2, ()),
        ("Craft Scheduler Thread - 4", "WAITING", 2, ()),
    ]


def test_a_console_may_have_lost_the_blanks_of_the_watchdog(tmp_path: Path) -> None:
    lost = WATCHDOG.replace("\t", "").replace(" | ", " \\| ")
    assert [name for name, *_ in _read(tmp_path, lost)] == ["Server thread", "Craft Scheduler Thread - 4"]


def test_jboss_lists_threads_by_group(tmp_path: Path) -> None:
    assert _read(tmp_path, JBOSS) == [
        ("http-0.0.0.0-8080-1", "BLOCKED", 2, ("waiting to lock",)),
        ("http-0.0.0.0-8080-2", "RUNNABLE", 2, ()),
    ]


def test_jenkins_adds_the_group_of_threads(tmp_path: Path) -> None:
    assert _read(tmp_path, JENKINS) == [
        ("Executor #0 for master : executing web #12", "WAITING", 2, ("waiting on",))
    ]
