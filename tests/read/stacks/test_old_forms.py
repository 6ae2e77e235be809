"""Dumps of Java 5, of older tools, and headers that nobody understands."""

from __future__ import annotations

from pathlib import Path

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.read.stacks.reader import read_stacks

JAVA5 = """\
Full thread dump Java HotSpot(TM) Client VM (1.5.0_22-b03 mixed mode):

"worker-2" prio=1 tid=0x082aa1f0 nid=0x7b waiting for monitor entry [0xaefe0000..0xaefe1030]
\tat com.acme.Stock.take(Stock.java:20)
\t- waiting to lock <0x8c4f2a10> (a com.acme.Stock)
\tat com.acme.Worker.run(Worker.java:9)

"worker-1" prio=1 tid=0x082aa0a8 nid=0x7a waiting on condition [0xaf061000..0xaf0610b0]
\tat java.lang.Thread.sleep(Native Method)
\tat com.acme.Stock.take(Stock.java:22)
\t- locked <0x8c4f2a10> (a com.acme.Stock)
\tat com.acme.Worker.run(Worker.java:9)

"Finalizer" daemon prio=1 tid=0x080f6cf0 nid=0x77 in Object.wait() [0xb1ae0000..0xb1ae0db0]
\tat java.lang.Object.wait(Native Method)
\t- waiting on <0x8c4b0a78> (a java.lang.ref.ReferenceQueue$Lock)
\tat java.lang.ref.ReferenceQueue.remove(ReferenceQueue.java:120)
\tat java.lang.ref.Finalizer$FinalizerThread.run(Finalizer.java:159)

"VM Thread" prio=1 tid=0x080f0af0 nid=0x75 runnable

"""


def test_java_5_has_no_last_line_and_no_states(tmp_path: Path) -> None:
    (tmp_path / "console.log").write_text(JAVA5)
    (sample,) = read_stacks(str(tmp_path / "console.log")).samples
    assert sample.complete
    told = {thread.name: (thread.stack.state, thread.stack.detail) for thread in sample.threads}
    assert told["worker-2"] == ("BLOCKED", "on object monitor")
    assert told["worker-1"] == ("TIMED_WAITING", "sleeping")
    assert told["Finalizer"] == ("WAITING", "on object monitor")
    report = diagnose_stacks([tmp_path / "console.log"]).report
    assert report.stacks is not None
    assert report.stacks.locks[0].owner == "worker-1"


def test_the_date_of_a_jvm_of_hp_is_not_its_name(tmp_path: Path) -> None:
    jvm = "Java HotSpot(TM) 64-Bit Server VM 1.5.0.11 jinteg:11.07.07-18:21 IA64W mixed mode"
    head = "Full thread dump Java HotSpot(TM) Client VM (1.5.0_22-b03 mixed mode):"
    (tmp_path / "console.log").write_text(
        JAVA5.replace(head, f"Full thread dump  [\ud1a0 3\uc6d4 15 14:48:56 KST 2008] ({jvm}):"),
        encoding="utf-8",
    )
    (sample,) = read_stacks(str(tmp_path / "console.log")).samples
    assert (sample.jvm, sample.complete) == (jvm, True)


def test_a_later_jvm_has_a_last_line(tmp_path: Path) -> None:
    (tmp_path / "console.log").write_text(JAVA5.replace("1.5.0_22-b03", "25.504-b01"))
    (sample,) = read_stacks(str(tmp_path / "console.log")).samples
    assert not sample.complete


def test_equal_dumps_of_one_console_are_samples(tmp_path: Path) -> None:
    (tmp_path / "console.log").write_text(JAVA5 * 3)
    stacks = diagnose_stacks([tmp_path / "console.log"]).report.stacks
    assert stacks is not None
    assert (stacks.samples, stacks.repeated_samples) == (3, 0)
    for name in "ab":
        (tmp_path / name).write_text(JAVA5)
    stacks = diagnose_stacks([tmp_path / "a", tmp_path / "b"]).report.stacks
    assert stacks is not None
    assert stacks.repeated_samples == 1


MANAGED = """\
"worker-2" id=12 in BLOCKED on lock=com.acme.Stock@1b2c3d
    at com.acme.Stock.take(Stock.java:20)
    at java.lang.Thread.run(Thread.java:619)

"worker-1" id=11 in TIMED_WAITING
    at java.lang.Thread.sleep(Native Method)
    at com.acme.Stock.take(Stock.java:22)
    at java.lang.Thread.run(Thread.java:619)

"main" id=1 in RUNNABLE (running in native)
    at java.net.PlainSocketImpl.socketAccept(Native Method)
    at com.acme.Main.main(Main.java:9)

"""


def test_states_in_headers(tmp_path: Path) -> None:
    (tmp_path / "threads.txt").write_text(MANAGED)
    (sample,) = read_stacks(str(tmp_path / "threads.txt")).samples
    assert [(one.name, one.java_id, one.stack.state, len(one.stack.methods)) for one in sample.threads] == [
        ("worker-2", 12, "BLOCKED", 2),
        ("worker-1", 11, "TIMED_WAITING", 3),
        ("main", 1, "RUNNABLE", 2),
    ]
    assert sample.threads[0].stack.locks[0].class_name == "com.acme.Stock"


def test_headers_that_nobody_understands_are_counted(tmp_path: Path) -> None:
    odd = '"worker-3" prio=one tid=? nid=?\n    -- Blocked trying to get lock\n\n'
    (tmp_path / "j.log").write_text(JAVA5.replace('"VM Thread"', odd + '"VM Thread"'))
    (given,) = diagnose_stacks([tmp_path / "j.log"]).report.inputs
    assert not given.complete
    assert given.problem is not None
    assert given.problem.values == {"unknown": 1}
    (tmp_path / "j.log").write_text(JAVA5.replace('"VM Thread"', '"a line of a log"\n\n"VM Thread"'))
    (given,) = diagnose_stacks([tmp_path / "j.log"]).report.inputs
    assert given.complete
