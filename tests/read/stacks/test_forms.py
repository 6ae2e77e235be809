"""Headers, stacks and locks of every JVM's own form."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.errors import InputError
from tests.read.stacks.given import read_text

JDK8 = """2020-08-23 21:00:01
Full thread dump Java HotSpot(TM) 64-Bit Server VM (25.252-b09 mixed mode):

"ConsumeMessageThread_1" #42 prio=5 os_prio=0 tid=0x00007f3c2c0f1000 nid=0x1b2f runnable [0x00007f3c0f5f4000]
   java.lang.Thread.State: RUNNABLE
\tat java.net.SocketInputStream.socketRead0(Native Method)
\tat java.net.SocketInputStream.socketRead(SocketInputStream.java:116)
\tat com.acme.Client.call(Client.java:12)
\t- locked <0x00000000e0a1b2c8> (a com.acme.Client)
\tat com.acme.Listener.consumeMessage(Listener.java:20)
\tat java.lang.Thread.run(Thread.java:748)

"VM Thread" os_prio=0 tid=0x00007f3c2c07d800 nid=0x1b10 runnable

JNI global references: 256

"""


def test_jdk_8(tmp_path: Path) -> None:
    (sample,) = read_text(tmp_path, JDK8).samples
    worker, vm = sample.threads
    assert sample.complete
    assert sample.captured_local == "2020-08-23 21:00:01"
    assert (worker.java_id, worker.nid, worker.cpu_ms, worker.elapsed_s) == (42, 0x1B2F, None, None)
    assert worker.stack.methods[2] == "com.acme.Client.call"
    assert worker.stack.locks[0].class_name == "com.acme.Client"
    assert worker.addresses == ("0x00000000e0a1b2c8",)
    assert (vm.name, vm.java_id, vm.stack.frames) == ("VM Thread", None, ())


def one_thread(header: str, body: str = "   java.lang.Thread.State: RUNNABLE\n") -> str:
    return f"Full thread dump X (17.0.1 mixed mode):\n\n{header}\n{body}\nJNI global refs: 1, weak refs: 0\n"


HEADERS = {
    "jdk 7": ('"main" prio=10 tid=0x00007f05 nid=0x1 runnable [0x1]', ("main", None, 1, None)),
    "jdk 11": (
        '"a b" #7 daemon prio=5 os_prio=0 cpu=1.50ms elapsed=2.00s tid=0x01 nid=0x2a waiting on condition  [0x1]',
        ("a b", 7, 42, 1.5),
    ),
    "jdk 21": (
        '"x" #7 [4242] prio=5 os_prio=0 cpu=1.50ms elapsed=2.00s tid=0x01 nid=4242 runnable  [0x1]',
        ("x", 7, 4242, 1.5),
    ),
    "carrier on jdk 25": (
        '"ForkJoinPool-1-worker-1" #28 [87] daemon prio=5 os_prio=0 cpu=0.98ms elapsed=2.19s tid=0x7f  [0x7f]',
        ("ForkJoinPool-1-worker-1", 28, 87, 0.98),
    ),
    "decimal comma": (
        '"x" #16 daemon prio=5 os_prio=0 cpu=5,37ms elapsed=465,71s tid=0x7f nid=0x1 in Object.wait()  [0x1]',
        ("x", 16, 1, 5.37),
    ),
    "quotes in the name": ('"say "hi" #1" #9 prio=5 tid=0x01 nid=0x1 runnable', ('say "hi" #1', 9, 1, None)),
    "a name like a header": (
        '"x" #1 prio=5 tid=0x9 nid=0x9 runnable" #9 prio=5 tid=0x01 nid=0x1 runnable',
        ('x" #1 prio=5 tid=0x9 nid=0x9 runnable', 9, 1, None),
    ),
    "no name": ('"" #9 prio=5 tid=0x01 nid=0x1 runnable', ("", 9, 1, None)),
    "a line break in the name": (
        '"evil\n\tat java.lang.Fake.run(Fake.java:1)" #9 prio=5 tid=0x01 nid=0x1 runnable',
        ("evil\n\tat java.lang.Fake.run(Fake.java:1)", 9, 1, None),
    ),
    "a quoted line in the name": (
        '"evil\n"main\n" #9 prio=5 tid=0x01 nid=0x1 runnable',
        ('evil\n"main\n', 9, 1, None),
    ),
}


@pytest.mark.parametrize("name", HEADERS)
def test_header(name: str, tmp_path: Path) -> None:
    line, expected = HEADERS[name]
    (sample,) = read_text(tmp_path, one_thread(line)).samples
    (thread,) = sample.threads
    assert (thread.name, thread.java_id, thread.nid, thread.cpu_ms) == expected
    assert thread.stack.state == "RUNNABLE"
    assert thread.stack.frames == ()


@pytest.mark.parametrize(
    ("text", "size"), [("512B", 512), ("295K", 295 * 1024), ("12M", 12 * 1024**2), ("3G", 3 * 1024**3)]
)
def test_allocated(text: str, size: int, tmp_path: Path) -> None:
    times = f"cpu=1.50ms elapsed=2.00s allocated={text} defined_classes=12"
    line = f'"x" #7 [42] prio=5 os_prio=0 {times} tid=0x01 nid=42 runnable'
    (sample,) = read_text(tmp_path, one_thread(line)).samples
    assert sample.threads[0].allocated_bytes == size


FRAMES = {
    "java.lang.Thread.sleep(java.base@17.0.15/Native Method)": "java.lang.Thread.sleep(Native Method)",
    "java.base@17.0.15/java.lang.Thread.sleep(Native Method)": "java.lang.Thread.sleep(Native Method)",
    "java.base/java.lang.Thread.run(Thread.java:1474)": "java.lang.Thread.run(Thread.java:1474)",
    "app//com.acme.A.b(A.java:1)": "com.acme.A.b(A.java:1)",
    "com.acme.W$$Lambda$34/0x00007fa0b0012410.handle(Unknown Source)": "com.acme.W$$Lambda.handle(Unknown Source)",
    "java.lang.VirtualThread$$Lambda/0x00000000a0003d20.run(java.base@25.0.3/Unknown Source)": (
        "java.lang.VirtualThread$$Lambda.run(Unknown Source)"
    ),
    "com.acme.A.<init>(A.java:1)": "com.acme.A.<init>(A.java:1)",
}


@pytest.mark.parametrize("frame", FRAMES)
def test_frame(frame: str, tmp_path: Path) -> None:
    text = one_thread(
        '"x" #7 prio=5 tid=0x01 nid=0x1 runnable', f"   java.lang.Thread.State: RUNNABLE\n\tat {frame}\n"
    )
    (sample,) = read_text(tmp_path, text).samples
    assert sample.threads[0].stack.frames == (FRAMES[frame],)


def test_carrier_and_mounted_thread_are_told_apart(tmp_path: Path) -> None:
    body = (
        "   Carrying virtual thread #30\n\tat jdk.internal.vm.Continuation.run(java.base@25/Continuation.java:251)\n"
        "   Mounted virtual thread #30\n\tat com.acme.A.b(A.java:1)\n\n   Locked ownable synchronizers:\n\t- None\n"
    )
    (sample,) = read_text(tmp_path, one_thread('"w" #28 [87] prio=5 os_prio=0 tid=0x7f  [0x7f]', body)).samples
    stack = sample.threads[0].stack
    assert stack.mounted == 30
    assert stack.frames == ("jdk.internal.vm.Continuation.run(Continuation.java:251)",)
    assert stack.mounted_frames == ("com.acme.A.b(A.java:1)",)
    assert sample.with_synchronizers


def test_an_absurdly_deep_stack_is_cut_in_the_middle(tmp_path: Path) -> None:
    frames = "".join(f"\tat com.acme.A.b(A.java:{number})\n" for number in range(50_000))
    text = one_thread(
        '"x" #7 prio=5 tid=0x01 nid=0x1 runnable', "   java.lang.Thread.State: RUNNABLE\n" + frames
    )
    (sample,) = read_text(tmp_path, text).samples
    stack = sample.threads[0].stack
    assert len(stack.frames) + stack.omitted_frames == 50_000
    assert len(stack.frames) <= 1_000
    assert stack.frames[0].endswith(":0)")
    assert stack.frames[-1].endswith(":49999)")


def test_a_paste_without_the_first_line(tmp_path: Path) -> None:
    (sample,) = read_text(tmp_path, JDK8.split("\n\n", 1)[1].split('"VM Thread"')[0]).samples
    assert sample.headless
    assert [thread.name for thread in sample.threads] == ["ConsumeMessageThread_1"]


@pytest.mark.parametrize("cut", [0.5, 0.7, 0.9])
def test_a_cut_dump_keeps_what_it_has(cut: float, tmp_path: Path) -> None:
    (sample,) = read_text(tmp_path, JDK8[: int(len(JDK8) * cut)]).samples
    assert not sample.complete
    assert sample.stopped_at_byte == int(len(JDK8) * cut)
    assert sample.problem is not None


def test_what_jmx_tools_write(tmp_path: Path) -> None:
    text = (
        "2026-11-21 06:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):\n\n"
        '"ConsumeMessageThread_1" - Thread t@64\n   java.lang.Thread.State: TIMED_WAITING\n'
        "\tat java.base@17.0.15/jdk.internal.misc.Unsafe.park(Native Method)\n"
        "\t- parking to wait for <4f663f6b> (a com.acme.Pool)\n\n   Locked ownable synchronizers:\n\t- None\n\n"
    )
    (sample,) = read_text(tmp_path, text).samples
    (thread,) = sample.threads
    assert sample.complete
    assert (thread.name, thread.java_id, thread.addresses) == ("ConsumeMessageThread_1", 64, ("4f663f6b",))
    assert thread.stack.methods == ("jdk.internal.misc.Unsafe.park",)


REFUSED = {
    "nothing": (b"", "is empty"),
    "blanks": (b"\n\n  \n", "is empty"),
    "a log": (b"2026-11-21 INFO all is well\n" * 1000, "holds no thread dump"),
    "heap dump": (b"JAVA PROFILE 1.0.2\0\0\0\0\10", "is a heap dump"),
    "binary": (bytes(range(256)) * 100, "is binary data"),
    "javacore": (
        b"0SECTION       TITLE subcomponent dump routine\n1TISIGINFO     Dump Event\n",
        "but no thread",
    ),
    "failed jstack": (
        b"4711: Unable to open socket file: target process not responding\n",
        "the capture failed",
    ),
    "words only": (b"we saw java.lang.Thread.State: BLOCKED often\n", "holds no thread dump"),
    "a head only": (b"Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):\n\n", "but no thread"),
    "json without threads": (
        b'{ "x": 1, "threadDump": {"time": "2026", "threadContainers": []}}',
        "but no thread",
    ),
    "damaged gzip": (b"\x1f\x8b\x08\x00garbage", "ends before its first byte"),
    "damaged zip": (b"PK\x03\x04garbage", "begins like a zip file, and is damaged"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_dump_is_refused_by_name(name: str, tmp_path: Path) -> None:
    data, says = REFUSED[name]
    with pytest.raises(InputError, match=says):
        read_text(tmp_path, data)


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    from mqdiag.read.stacks.reader import read_stacks

    with pytest.raises(InputError, match="no such file"):
        read_stacks(str(tmp_path / "none.log"))
    with pytest.raises(InputError, match="is a folder"):
        read_stacks(str(tmp_path))


def test_a_failed_jstack_among_others_in_an_archive(tmp_path: Path) -> None:
    import zipfile

    path = tmp_path / "series.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("j1.log", JDK8)
        archive.writestr("j2.log", "4711: No such process\n")
    from mqdiag.read.stacks.reader import read_stacks

    result = read_stacks(str(path))
    assert len(result.samples) == 1
    assert result.errors[0][0].endswith("j2.log")
