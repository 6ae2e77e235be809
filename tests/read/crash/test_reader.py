"""Crash reports in the layouts of JDK 8, 17 and 25, re-typed with other numbers from reports of real JVMs."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts.crash import CrashContainer, CrashReport
from mqdiag.read.crash.frames import parts_of
from mqdiag.read.crash.reader import read_crash
from mqdiag.read.crash.recognise import begins_as_crash_report, is_crash_report
from tests.folded import folded

SIGNLESS = """\
 There is insufficient memory for the Java Runtime Environment to continue.
 Native memory allocation (mmap) failed to map 8589934592 bytes for committing reserved memory.
 Possible reasons:
   The system is out of physical RAM or swap space

  Out of Memory Error (os_linux.cpp:2749), pid=7117, tid=0x00007f83b1d64700

 JRE version:  (8.0_221-b11) (build )
 Java VM: Java HotSpot(TM) 64-Bit Server VM (25.221-b11 mixed mode linux-amd64 compressed oops)
"""
JDK_8 = """\
#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGBUS (0x7) at pc=0x00007f12a40a7b60, pid=24250, tid=0x00007f1131bfe700
#
# JRE version: OpenJDK Runtime Environment (8.0_262-b10) (build 1.8.0_262-b10)
# Java VM: OpenJDK 64-Bit Server VM (25.262-b10 mixed mode linux-amd64 compressed oops)
# Problematic frame:
# v  ~StubRoutines::jbyte_disjoint_arraycopy
#
# Failed to write core dump. Core dumps have been disabled.

---------------  T H R E A D  ---------------

Current thread (0x00007f12b44ac800):  JavaThread "SendMessageThread_1" [_thread_in_Java, id=24311, stack(0x00007f1131afe000,0x00007f1131bff000)]

siginfo: si_signo: 7 (SIGBUS), si_code: 2 (BUS_ADRERR), si_addr: 0x00007f0fa9c01000

Stack: [0x00007f1131afe000,0x00007f1131bff000],  sp=0x00007f1131bfd0a0,  free space=1020k
Native frames: (J=compiled Java code, j=interpreted, Vv=VM code, C=native code)
v  ~StubRoutines::jbyte_disjoint_arraycopy
J 3155 C2 org.apache.rocketmq.store.CommitLog.putMessage(Lorg/apache/rocketmq/store/MessageExtBrokerInner;)V (1011 bytes) @ 0x00007f12a5 [0x00007f12a5+0x5b]
j  java.lang.Thread.run()V+11
V  [libjvm.so+0x6a1f2e]  JavaCalls::call_helper(JavaValue*, methodHandle*)+0x1f2

---------------  P R O C E S S  ---------------

Java Threads: ( => current thread )
  0x00007f12b4005fe0 JavaThread "NettyClientWorkerThread_1" [_thread_blocked, id=24320, stack(0x00007f1130bfe000,0x00007f1130cff000)]
=>0x00007f12b44ac800 JavaThread "SendMessageThread_1" [_thread_in_Java, id=24311, stack(0x00007f1131afe000,0x00007f1131bff000)]

Other Threads:
  0x00007f12b4100000 VMThread [stack: 0x00007f11,0x00007f12] [id=24260]

VM state:not at safepoint (normal execution)

Heap:
 PSYoungGen      total 76288K, used 3932K [0x0000000795580000, 0x000000079aa80000, 0x00000007c0000000)
  eden space 65536K, 6% used [0x0000000795580000,0x0000000795957240,0x0000000799580000)
 ParOldGen       total 175104K, used 70000K [0x0000000740000000, 0x000000074ab00000, 0x0000000795580000)
 Metaspace       used 23450K, capacity 24066K, committed 24320K, reserved 1071104K

Dynamic libraries:
00400000-00401000 r-xp 00000000 fd:01 1837 /usr/lib/jvm/bin/java
7f0fa9c00000-7f0fe9c00000 rw-s 00000000 fd:11 9431 /data/store/commitlog/00000000001073741824

VM Arguments:
jvm_args: -Xms8g -Xmx8g -XX:+UseG1GC
java_command: org.apache.rocketmq.broker.BrokerStartup -c broker.conf

OS:CentOS Linux release 7.6.1810 (Core)
uname:Linux 3.10.0-957.el7.x86_64 #1 SMP
rlimit: STACK 8192k, CORE 0k, NPROC 4096, NOFILE 65535, AS infinity
Memory: 4k page, physical 16266472k(182908k free), swap 0k(0k free)
time: Sun Nov 22 04:25:06 2026
elapsed time: 8123 seconds (0d 2h 15m 23s)

"""  # noqa: E501
JDK_17 = """\
#
# There is insufficient memory for the Java Runtime Environment to continue.
# Native memory allocation (mmap) failed to map 16777216 bytes. Error detail: committing reserved memory.
# Possible reasons:
#   The system is out of physical RAM or swap space
#
#  Out of Memory Error (os_linux.cpp:2762), pid=7, tid=61
#
# JRE version: OpenJDK Runtime Environment (17.0.9+9) (build 17.0.9+9)

---------------  S U M M A R Y ------------

Command Line: -Xmx3g -XX:MaxDirectMemorySize=1g org.example.Shop --port 80

Host: Intel Xeon, 4 cores, 4G, Alpine Linux v3.18
Time: Sun Nov 22 04:25:06 2026 UTC elapsed time: 90061.250000 seconds (1d 1h 1m 1s)

---------------  T H R E A D  ---------------

Current thread (0x00007f7c38017f30):  VMThread "VM Thread" [stack: 0x00007f7c3e420000,0x00007f7c3e520000] [id=15]

VM_Operation (0x00007f7c3a0f): G1CollectForAllocation, mode: safepoint, requested by thread 0x00007f7c3

---------------  P R O C E S S  ---------------

Heap:
 garbage-first heap   total 3145728K, used 3040000K [0x0000000740000000, 0x0000000800000000)

---------------  S Y S T E M  ---------------

/proc/sys/vm/max_map_count (maximum number of memory map areas a process may have): 65530
container (cgroup) information:
container_type: cgroupv2
memory_limit_in_bytes: 4194304 k
memory_usage_in_bytes: 4193000 k
memory_max_usage_in_bytes: not supported
maximum number of tasks: 512
current number of tasks: 498

END.
"""


def only(text: str) -> CrashReport:
    (report,) = read_crash("hs_err.log", text.splitlines())
    return report


def test_a_signal_in_a_stub_of_jdk_8() -> None:
    report = only(JDK_8)
    assert (report.signal, report.signal_code, report.fault_address) == (
        "SIGBUS",
        "BUS_ADRERR",
        "0x00007f0fa9c01000",
    )
    assert (report.problematic_frame, report.frame_kind, report.library) == (
        "v  ~StubRoutines::jbyte_disjoint_arraycopy",
        "vm-stub",
        None,
    )
    assert (report.pid, report.thread, report.thread_state) == (24250, "SendMessageThread_1", "_thread_in_Java")
    assert len(report.native_frames) == 4
    assert report.native_frames[2] == "j  java.lang.Thread.run()V+11"
    assert (report.crashed_at, report.elapsed_s) == ("Sun Nov 22 04:25:06 2026", 8123.0)
    assert report.jvm_args == "-Xms8g -Xmx8g -XX:+UseG1GC"
    assert report.command == "org.apache.rocketmq.broker.BrokerStartup -c broker.conf"
    assert [(thread.name, thread.os_id, thread.current) for thread in report.threads] == [
        ("NettyClientWorkerThread_1", 24320, False),
        ("SendMessageThread_1", 24311, True),
    ]
    assert (report.open_files_limit, report.processes_limit, report.mappings) == (65535, 4096, 2)
    assert report.container is None
    assert not report.complete


def test_memory_of_a_report() -> None:
    memory = only(JDK_8).memory
    assert (memory.heap_bytes, memory.heap_used_bytes) == ((76288 + 175104) << 10, (3932 + 70000) << 10)
    assert memory.metaspace_used_bytes == 23450 << 10
    assert (memory.physical_bytes, memory.physical_free_bytes, memory.swap_bytes) == (
        16266472 << 10,
        182908 << 10,
        0,
    )


def test_native_memory_that_ran_out_in_a_container() -> None:
    report = only(JDK_17)
    assert report.signal is None
    assert report.internal_error is None
    assert report.out_of_memory_bytes == 16777216
    assert (report.out_of_memory or "").startswith(
        "Native memory allocation (mmap) failed to map 16777216 bytes"
    )
    assert (report.pid, report.elapsed_s, report.vm_operation) == (7, 90061.25, "G1CollectForAllocation")
    assert (report.jvm_args, report.command) == (
        "-Xmx3g -XX:MaxDirectMemorySize=1g",
        "org.example.Shop --port 80",
    )
    assert report.thread == "VM Thread"
    assert (report.memory.heap_bytes, report.memory.heap_used_bytes) == (3145728 << 10, 3040000 << 10)
    assert report.container == CrashContainer(
        type="cgroupv2",
        memory_limit_bytes=4194304 << 10,
        memory_usage_bytes=4193000 << 10,
        tasks_limit=512,
        tasks=498,
    )
    assert (report.max_map_count, report.complete, report.threads_total) == (65530, True, None)


def test_an_internal_error_has_its_place_and_what_it_says() -> None:
    text = JDK_17.replace(
        "Out of Memory Error (os_linux.cpp:2762)", "Internal Error (sharedRuntime.cpp:834)"
    ).replace("# JRE version", "#  guarantee(cb != NULL) failed: no blob\n#\n# JRE version")
    assert only(text).internal_error == "sharedRuntime.cpp:834: guarantee(cb != NULL) failed: no blob"


def test_a_list_of_threads_alone() -> None:
    text = JDK_8[JDK_8.index("Java Threads") : JDK_8.index("Other Threads")]
    assert is_crash_report(text)
    report = only(text)
    assert (report.threads_total, report.signal, report.complete) == (2, None, False)


def test_threads_of_jdk_25() -> None:
    text = (
        "Java Threads: ( => current thread )\n"
        '  0x00007fc9540a6d60 JavaThread "C1 CompilerThread0"         daemon [_thread_blocked, id=11881,'
        " stack(0x00007fc958ff5000,0x00007fc9590f5000) (1024K)]\n"
        '=>0x00007fc9540bcda0 JavaThread "FlushRealTimeService"              [_thread_in_vm, id=11893,'
        " stack(0x00007fc958cf5000,0x00007fc958df5000) (1024K)]\nTotal: 2\n"
    )
    assert [(thread.name, thread.current) for thread in only(text).threads] == [
        ("C1 CompilerThread0", False),
        ("FlushRealTimeService", True),
    ]


def test_two_heads_on_a_console_are_two_crashes() -> None:
    head = JDK_8[: JDK_8.index("---------------  T H R E A D")]
    text = f"starting\n{head}\nrestarted\n{head.replace('24250', '24251')}"
    assert [report.pid for report in read_crash("console.log", text.splitlines())] == [24250, 24251]


@folded(
    "frame, kind, library, method",
    [
        ("C  [libc.so.6+0x8a7b6]  __memcpy_ssse3_back+0x16", "native", "libc.so.6", None),
        ("C  [librocksdbjni-linux64.so+0x2a7b60]", "native", "librocksdbjni-linux64.so", None),
        ("V  [libjvm.so+0xed2f94]  Unsafe_PutLong+0x124", "vm", "libjvm.so", None),
        ("v  ~StubRoutines::call_stub", "vm-stub", None, None),
        (
            "J 3155 C2 a.b.Commit.put(La/b/M;)V (1011 bytes) @ 0x7f [0x7f+0x5b]",
            "compiled",
            None,
            "a.b.Commit.put",
        ),
        (
            "J 17%! c1 a.b.Commit.<init>(I)V java.base@17 (5 bytes) @ 0x7f",
            "compiled",
            None,
            "a.b.Commit.<init>",
        ),
        ("j  a.b.Commit.put()V+28", "interpreted", None, "a.b.Commit.put"),
    ],
)
def test_parts_of_frames(frame: str, kind: str, library: str | None, method: str | None) -> None:
    assert parts_of(frame) == (kind, library, method)


def test_a_report_is_no_log_and_a_log_with_the_head_of_one_is_both(tmp_path: Path) -> None:
    assert begins_as_crash_report(JDK_8)
    (tmp_path / "hs_err_pid7.log").write_text(JDK_17)
    (tmp_path / "console.log").write_text("2026-11-22 04:25:01 INFO main - up\n" * 3 + JDK_8)
    report = diagnose_incident([tmp_path]).report
    assert sorted((Path(one.path).name, one.kind or "") for one in report.inputs) == [
        ("console.log", "crash"),
        ("console.log", "log"),
        ("hs_err_pid7.log", "crash"),
    ]
    assert report.crash is not None
    assert sorted(one.pid or 0 for one in report.crash.reports) == [7, 24250]


def test_garbage_is_read_without_harm() -> None:
    numbers = random.Random(7)
    whole = JDK_8 + JDK_17
    for _ in range(60):
        text = list(whole[: numbers.randrange(len(whole))])
        for _ in range(100):
            if text:
                text[numbers.randrange(len(text))] = chr(numbers.randrange(1, 0x2FF))
        read_crash("x", "".join(text).splitlines())


def test_a_head_without_number_signs_is_read_like_one_with_them() -> None:
    assert begins_as_crash_report(SIGNLESS)
    (report,) = read_crash("a", SIGNLESS.splitlines())
    assert report.out_of_memory_bytes == 8 << 30
    assert (report.pid, report.jre) == (7117, "(8.0_221-b11) (build )")
    assert report.jvm is not None
    assert report.jvm.startswith("Java HotSpot")


HEAD = """\
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f19edff3dac, pid=417, tid=375
#
# Problematic frame:
# C  [librocksdb.so+0x15de0]  rocksdb::Get+0x20
#
"""


@pytest.mark.parametrize(
    "around",
    [
        "[INFO] {line}",
        "mq-0 | {line}",
        '17272{number}.650,"{number}","{line}","bookie-2","10.4.1.2"',
        "step {number} > {line}",
    ],
)
def test_a_head_is_read_behind_what_stands_around_each_line(around: str) -> None:
    lines = [around.format(line=line, number=number) for number, line in enumerate(HEAD.splitlines(), start=10)]
    (report,) = read_crash("a", [*lines, "# Java VM: of another text"])
    assert (report.signal, report.pid, report.jvm) == ("SIGSEGV", 417, "of another text")
    assert report.problematic_frame == "C  [librocksdb.so+0x15de0]  rocksdb::Get+0x20"


def test_a_head_in_italics_is_read() -> None:
    text = HEAD.replace("# ", " ").replace(" A fatal", "_A fatal").replace("Environment:", "Environment:_")
    (report,) = read_crash("a", text.splitlines())
    assert (report.signal, report.pid) == ("SIGSEGV", 417)


def test_lines_below_a_sentence_about_a_crash_are_no_lines_of_one() -> None:
    sentence = "He wrote: A fatal error has been detected by the Java Runtime Environment, and left."
    assert read_crash("a", [sentence, "A  second sentence", "C  third one"]) == []


def test_frames_without_a_head_name_the_frame_that_crashed() -> None:
    text = JDK_8[JDK_8.index("Stack: [") : JDK_8.index("---------------  P R O C E S S")]
    assert is_crash_report("Somebody saw this:\n" + text)
    (report,) = read_crash("a", text.splitlines())
    assert (report.signal, report.frame_kind) == (None, "vm-stub")
    assert report.problematic_frame == "v  ~StubRoutines::jbyte_disjoint_arraycopy"
    (with_head,) = read_crash("a", (SIGNLESS + text).splitlines())
    assert with_head.problematic_frame is None


def test_the_function_that_writes_the_report_is_no_frame_that_crashed() -> None:
    (report,) = read_crash(
        "a",
        [
            "Native frames: (J=compiled Java code, j=interpreted, Vv=VM code, C=native code)",
            "V  [libjvm.so+0x10000]  VMError::report_and_die(int, char const*, char const*, unsigned long)+0x1a9",
            "V  [libjvm.so+0x20000]  report_vm_out_of_memory(char const*, int, unsigned long, VMErrorType)+0x61",
        ],
    )
    assert report.problematic_frame is None


def test_a_head_without_its_first_line_and_without_number_signs_is_read() -> None:
    lines = [line.lstrip("# ") for line in JDK_8.splitlines()[3:9]]
    (report,) = read_crash("a", lines)
    assert (report.signal, report.pid) == ("SIGBUS", 24250)
    assert report.problematic_frame == "v  ~StubRoutines::jbyte_disjoint_arraycopy"


def test_frames_are_read_behind_the_times_of_a_build() -> None:
    text = JDK_8[JDK_8.index("Native frames: (J=") : JDK_8.index("---------------  P R O C E S S")]
    lines = [f"13:48:0{number % 10}   {line}" for number, line in enumerate(text.splitlines()) if line]
    (report,) = read_crash("a", lines)
    assert report.problematic_frame == "v  ~StubRoutines::jbyte_disjoint_arraycopy"


WHOLE = f"""\
{JDK_8}#

---------------  T H R E A D  ---------------

Current thread (0x00007f12a0001000):  JavaThread "main" [_thread_in_Java, id=24251, stack(0x0,0x1)]

---------------  P R O C E S S  ---------------

Java Threads: ( => current thread )
  0x00007f12a0002000 JavaThread "THREAD" [_thread_blocked, id=24300, stack(0x0,0x1)]

Internal exceptions (1 events):
Event: 5.100 Thread 0x00007f12a0001000 Exception <a 'java/lang/E'{{0x00000000f5a0}}: EXCEPTION> (0x00000000f5a0)
thrown [share/runtime/reflection.cpp, line 1]

java_command: com.shop.Main COMMAND
Environment Variables:
NOTE=NOTE

---------------  S Y S T E M  ---------------

END.
"""
FORGED = """a
#
# A fatal error has been detected by the Java Runtime Environment:
#
#  SIGSEGV (0xb) at pc=0x00007f12a40a7b60, pid=24250, tid=24251
#
# Problematic frame:
# C  [libshop.so+0x12]  x
#
b"""


@pytest.mark.parametrize("place", ["THREAD", "EXCEPTION", "COMMAND", "NOTE=NOTE", "END."])
@pytest.mark.parametrize(
    "text",
    [
        "bad note: java.lang.OutOfMemoryError: Java heap space",
        "A fatal error has been detected by the Java Runtime Environment:",
        "There is insufficient memory for the Java Runtime Environment to continue.",
        "a\n# Native memory allocation (mmap) failed to map 16384 bytes.\nb",
        "a\n#  Out of Memory Error (os_linux.cpp:2795), pid=1, tid=2\n# C  [libshop.so+0x12]  x\nb",
        "[gc] GC(3) Pause Full (Allocation Failure) 98M->97M(100M) 25000.000ms",
        "a\n[1.000s][info][gc] GC(3) Pause Full (Allocation Failure) 98M->97M(100M) 25000.000ms\nb",
        "a\n1.000: [Full GC (Allocation Failure) 98M->97M(100M), 25.0000000 secs]\nb",
        FORGED,
        f"a\nEND.\n{FORGED}",
    ],
)
def test_a_text_in_a_report_names_no_cause(text: str, place: str, tmp_path: Path) -> None:
    if place == "END." and ("\n" not in text or FORGED in text or "Full" in text):
        return  # what stands below a report is no part of it, and may be other evidence
    path = tmp_path / "hs_err_pid24250.log"
    path.write_text(WHOLE)
    before = diagnose_incident([path]).report
    path.write_text(
        WHOLE.replace(place, f"NOTE={text}" if "=" in place else f"END.\n{text}" if "." in place else text)
    )
    after = diagnose_incident([path]).report
    assert [(found.rule, found.cause) for found in before.findings] == [("jvm-crash", "disk-full")]
    assert [(found.rule, found.cause, found.title, found.confidence) for found in after.findings] == [
        (found.rule, found.cause, found.title, found.confidence) for found in before.findings
    ]


DEADLOCK = """a
Found one Java-level deadlock:
=============================
"a":
  waiting to lock monitor 0x01 (object 0x02, a java.lang.Object),
  which is held by "b"
"b":
  waiting to lock monitor 0x03 (object 0x04, a java.lang.Object),
  which is held by "a"

Found 1 deadlock.
b"""
OTHER_EVIDENCE = {
    "deadlock": DEADLOCK,
    "dump": f"a\n2026-11-21 20:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.1 mixed mode):\n\n{DEADLOCK}",
    "paste": "a\n==> broker.log <==\n2026-11-21 20:00:00,123 ERROR x - java.io.IOException: No space left on device\nb",
    "mqadmin": "a\n#Topic  #Broker Name  #QID  #Broker Offset  #Consumer Offset  #Diff\nT  b  0  90000  0  90000\nb",
    "df": "a\nFilesystem  1K-blocks  Used  Available  Use%  Mounted on\n/dev/sda1  10  10  0  100%  /data\nb",
    "pods": "web-1 app 1 2026-11-21 ERROR x\nweb-2 app 1 2026-11-21 ERROR x\nb",
}


@pytest.mark.parametrize("place", ["THREAD", "EXCEPTION", "COMMAND", "NOTE=NOTE"])
@pytest.mark.parametrize("text", OTHER_EVIDENCE.values(), ids=OTHER_EVIDENCE)
@pytest.mark.parametrize("end", ["END.\n", ""], ids=["whole", "cut"])
def test_nothing_in_a_report_is_other_evidence(text: str, place: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "hs_err_pid24250.log"
    whole = WHOLE.replace("elapsed time: 8123", "it ran for 8123").replace("END.\n", end)
    path.write_text(whole.replace(place, f"NOTE={text}" if "=" in place else text))
    report = diagnose_incident([path]).report
    assert [found.rule for found in report.findings] == ["jvm-crash"]
    assert [given.kind for given in report.inputs] == ["crash"]


@pytest.mark.parametrize("packed", [False, True])
def test_a_dump_behind_a_report_is_evidence_of_its_own(packed: bool, tmp_path: Path) -> None:
    path = tmp_path / ("all.txt.gz" if packed else "all.txt")
    data = f"{WHOLE.replace('THREAD', 'END.')}{DEADLOCK}".encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    report = diagnose_incident([path]).report
    assert {found.rule for found in report.findings} >= {"jvm-crash", "deadlock"}
    assert {given.path.partition("!")[2] for given in report.inputs} == {
        "crash report",
        "behind the crash report",
    }


PUBLIC = Path(__file__).parents[3] / "fixtures" / "public"
ALONE = (PUBLIC / "unit-test-crashes-on-arm-2650" / "build.log").read_text()
SEGV = (PUBLIC / "segv-consume-queue-write" / "hs_err_pid5520.log").read_text()
SYSTEM = "\n---------------  S Y S T E M  ---------------\n\nOS:Linux\n"
OUT_OF_MEMORY = "Terminating due to java.lang.OutOfMemoryError: Java heap space\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{ALONE}{OUT_OF_MEMORY}",
        f"{ALONE.replace('Aborted', '#') * 30}{OUT_OF_MEMORY}",
        f"{ALONE}{OUT_OF_MEMORY}{ALONE}",
        f"{SEGV}{SYSTEM}END.\n{OUT_OF_MEMORY}{SEGV}{SYSTEM}END.\n",
        f"{SEGV}{SYSTEM}END.\n{OUT_OF_MEMORY}END.\n",
    ],
    ids=["head", "heads", "between heads", "between reports", "a last line again"],
)
def test_a_console_below_a_crash_is_evidence_of_its_own(text: str, tmp_path: Path) -> None:
    path = tmp_path / "console.txt"
    path.write_text(text)
    report = diagnose_incident([path]).report
    assert {found.rule for found in report.findings} >= {"jvm-crash", "out-of-memory-thread"}


@pytest.mark.parametrize("text", [DEADLOCK, OUT_OF_MEMORY], ids=["deadlock", "memory"])
@pytest.mark.parametrize("end", ["END.", f"{SYSTEM}END."], ids=["end", "section and end"])
@pytest.mark.parametrize(
    "around",
    [
        'Java Threads: ( => current thread )\n  0x00007f12a0002000 JavaThread "a\n',
        "Environment Variables:\nNOTE=a\n",
    ],
    ids=["name", "variable"],
)
@pytest.mark.parametrize(
    "rest", ["", '" [_thread_blocked, id=24300, stack(0x0,0x1)]\n'], ids=["cut in it", "cut below"]
)
def test_an_end_in_a_report_that_was_cut_is_none(
    text: str, end: str, around: str, rest: str, tmp_path: Path
) -> None:
    if "NOTE" in around and "S Y S" in end:
        return  # who sets the environment is believed
    path = tmp_path / "hs_err_pid5520.log"
    path.write_text(f"{SEGV}\n{around}{end}\n{text}{rest}")
    report = diagnose_incident([path]).report
    assert [found.rule for found in report.findings] == ["jvm-crash"]
    assert [given.kind for given in report.inputs] == ["crash"]


@pytest.mark.parametrize(
    "end", ["END.\n", "vm_info: x\n\ntime: Mon Nov  2 10:00:00 2026\nelapsed time: 5 seconds\n"]
)
def test_reports_in_one_file_are_as_many_crashes(end: str) -> None:
    whole = WHOLE.replace("END.\n", end)
    first, second = read_crash("a", (whole + whole.replace("SIGBUS (0x7)", "SIGSEGV (0xb)")).splitlines())
    assert (first.signal, second.signal) == ("SIGBUS", "SIGSEGV")
    assert len(first.threads) == len(second.threads)


def test_summary_of_a_process_that_runs_is_no_crash_report() -> None:
    text = (
        "4242:\n#\n# JRE version: OpenJDK Runtime Environment (17.0.1+12)\n\n"
        "---------------  S U M M A R Y ------------\n\nCommand Line: -Xmx64m Main\n\n"
        "---------------  P R O C E S S  ---------------\n\nJava Threads: ( => current thread )\n"
    )
    assert not is_crash_report(text)
    assert is_crash_report(text.replace("P R O", "T H R E A D  ---------------\n\n---------------  P R O"))
