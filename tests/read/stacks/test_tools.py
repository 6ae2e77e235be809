"""Threads in the forms of tools other than jstack, re-typed in layout and numbers, and pastes cut by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mqdiag.diagnose.sort.kind import all_kinds
from mqdiag.diagnose.sort.piece import Piece
from mqdiag.errors import InputError
from mqdiag.read.stacks.body import plain_frame
from mqdiag.read.stacks.records import Sample, ThreadRecord
from tests.layers import one_in_each_run
from tests.read.stacks.given import read_text, real_dump, same

DUBBO = """\
"dubbo-worker-3" Id=62 WAITING on java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject@6cef7362
\tat sun.misc.Unsafe.park(Native Method)
\t-  waiting on java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject@6cef7362
\tat java.util.concurrent.locks.LockSupport.park(LockSupport.java:175)
\tat com.acme.pool.Pool.take(Pool.java:91)
\t...

\tNumber of locked synchronizers = 1
\t- java.util.concurrent.ThreadPoolExecutor$Worker@31a6493e

"order-writer" Id=63 BLOCKED on com.acme.Ledger@1f owned by "order-reader" Id=64 (in native)
\tat com.acme.Ledger.write(Ledger.java:30)
\t-  blocked on com.acme.Ledger@1f
\tat com.acme.Orders.run(Orders.java:12)

"order-reader" daemon prio=5 Id=64 RUNNABLE (in native)
\tat java.net.SocketInputStream.socketRead0(Native Method)
\tat com.acme.Ledger.read(Ledger.java:44)
\t-  locked com.acme.Ledger@1f
"""
ARTHAS_BLOCKING = """\
[arthas@4711]$ thread -b
"http-bio-8080-exec-4" Id=27 TIMED_WAITING
    at java.lang.Thread.sleep(Native Method)
    at com.acme.Slow.get(Slow.java:22)
    -  locked java.lang.Object@725be470 <---- but blocks 4 other threads!
    at javax.servlet.http.HttpServlet.service(HttpServlet.java:624)

    Number of locked synchronizers = 1
    - java.util.concurrent.ThreadPoolExecutor$Worker@31a6493e
"""
ARTHAS_BUSY = """\
"PopReviveService_2" Id=121 cpuUsage=2.93% deltaTime=11ms time=603096ms RUNNABLE
    at org.apache.rocketmq.broker.processor.PopReviveService.consumeReviveMessage(PopReviveService.java:391)
    at java.lang.Thread.run(Thread.java:748)

"C2 CompilerThread0" [Internal] cpuUsage=1.2% deltaTime=2ms time=9312ms
"""
DEADLOCK = """\
Found one Java-level deadlock:
=============================
"naming-listener":
  waiting to lock monitor 0x00007f097009c558 (object 0x00000000c113a5e0, a java.util.concurrent.ConcurrentHashMap),
  which is held by "main"
"main":
  waiting to lock monitor 0x00007f09d0003b98 (object 0x00000000c236fc48, a com.acme.Directory),
  which is held by "naming-listener"

Java stack information for the threads listed above:
===================================================
"naming-listener":
\tat com.acme.Registry.get(Registry.java:183)
\t- waiting to lock <0x00000000c113a5e0> (a java.util.concurrent.ConcurrentHashMap)
\tat com.acme.Directory.notify(Directory.java:90)
\t- locked <0x00000000c236fc48> (a com.acme.Directory)
"main":
\tat com.acme.Directory.subscribe(Directory.java:172)
\t- waiting to lock <0x00000000c236fc48> (a com.acme.Directory)
\tat com.acme.Registry.init(Registry.java:41)
\t- locked <0x00000000c113a5e0> (a java.util.concurrent.ConcurrentHashMap)

Found 1 deadlock.
"""
VISUALVM = """\
"ConsumeMessageThread_shop_10" prio=5 tid=529 RUNNABLE
\tat java.lang.OutOfMemoryError.<init>(OutOfMemoryError.java:48)
\tat com.acme.db.Rows.read(Rows.java:66)
\t   Local Variable: byte[][]#1570652
\tat com.acme.Shop.consumeMessage(Shop.java:87)
\t   Local Variable: java.util.ArrayList#96135

"Finalizer" daemon prio=8 tid=3 WAITING
\tat java.lang.Object.wait(Native Method)
"""
MAT = """\
Thread 0x6c0a1b2c8
  at java.lang.OutOfMemoryError.<init>()V (OutOfMemoryError.java:48)
  at com.acme.Shop.load(Ljava/lang/String;[BI)Ljava/util/List; (Shop.java:87)
  at com.acme.Shop.consumeMessage(Ljava/util/List;)Lcom/acme/Status; (Shop.java:12)

  locals:
    objectId=0x6c0a1b2c8, line=1

Thread 0x6c0a1b3d0
  at java.lang.Object.wait(J)V (Native Method)
  at java.lang.ref.Reference$ReferenceHandler.run()V (Reference.java:153)
"""


def endpoint() -> dict[str, object]:
    frame = {"className": "com.acme.Ledger", "methodName": "write", "fileName": "Ledger.java", "lineNumber": 30}
    native = {"className": "java.lang.Object", "methodName": "wait", "fileName": None, "lineNumber": -2}
    lock = {"className": "com.acme.Ledger", "identityHashCode": 31}
    return {
        "threads": [
            {
                "threadName": "order-writer", "threadId": 63, "threadState": "BLOCKED", "daemon": True,
                "lockName": "com.acme.Ledger@1f", "lockOwnerId": 64, "lockOwnerName": "order-reader",
                "stackTrace": [frame], "lockedMonitors": [], "lockedSynchronizers": [],
            },
            {
                "threadName": "order-reader", "threadId": 64, "threadState": "RUNNABLE", "daemon": False,
                "lockName": None, "lockOwnerId": -1, "lockOwnerName": None,
                "stackTrace": [{**native, "nativeMethod": True}, frame],
                "lockedMonitors": [{**lock, "lockedStackDepth": 1, "lockedStackFrame": frame}],
                "lockedSynchronizers": [{"className": "a.B", "identityHashCode": 4096}],
            },
        ]
    }  # fmt: skip


def sample_of(folder: Path, text: str | bytes) -> Sample:
    (sample,) = read_text(folder, text).samples
    assert sample.complete
    return sample


def locks_of(thread: ThreadRecord) -> list[tuple[str, str, int, str | None]]:
    return [
        (lock.kind, lock.class_name.rpartition(".")[2], lock.depth, thread.addresses[lock.slot])
        for lock in thread.stack.locks
    ]


def test_thread_info_as_dubbo_prints_it(tmp_path: Path) -> None:
    pool, writer, reader = sample_of(tmp_path, DUBBO).threads
    assert (pool.name, pool.java_id, pool.stack.state, pool.stack.detail) == (
        "dubbo-worker-3",
        62,
        "WAITING",
        "parking",
    )
    assert locks_of(pool) == [
        ("parking", "AbstractQueuedSynchronizer$ConditionObject", 0, "6cef7362"),
        ("owns synchronizer", "ThreadPoolExecutor$Worker", 2, "31a6493e"),
    ]
    assert len(pool.stack.frames) == 3
    assert (writer.stack.state, writer.parked_owner) == ("BLOCKED", 64)
    assert locks_of(writer) == [("waiting to lock", "Ledger", 0, "0000001f")]
    assert (reader.daemon, reader.stack.state) == (True, "RUNNABLE")
    assert locks_of(reader) == [("locked", "Ledger", 1, "0000001f")]


def test_what_only_the_header_names_is_a_lock_line_too(tmp_path: Path) -> None:
    text = re.sub(r"\n\t-  (?:blocked|waiting) on .*", "", DUBBO)
    assert "-  blocked" not in text
    pool, writer, _ = sample_of(tmp_path, text).threads
    assert locks_of(pool)[0] == ("parking", "AbstractQueuedSynchronizer$ConditionObject", 0, "6cef7362")
    assert locks_of(writer) == [("waiting to lock", "Ledger", 0, "0000001f")]


def test_the_thread_that_blocks_others_in_arthas(tmp_path: Path) -> None:
    (thread,) = sample_of(tmp_path, ARTHAS_BLOCKING).threads
    assert (thread.name, thread.java_id, thread.stack.state) == ("http-bio-8080-exec-4", 27, "TIMED_WAITING")
    assert locks_of(thread) == [
        ("locked", "Object", 1, "725be470"),
        ("owns synchronizer", "ThreadPoolExecutor$Worker", 2, "31a6493e"),
    ]


def test_busy_threads_in_arthas(tmp_path: Path) -> None:
    busy, compiler = sample_of(tmp_path, ARTHAS_BUSY).threads
    assert (busy.java_id, busy.cpu_ms, busy.stack.state) == (121, 603096.0, "RUNNABLE")
    assert (compiler.name, compiler.java_id, compiler.stack.state) == ("C2 CompilerThread0", None, "")


def test_a_deadlock_section_alone(tmp_path: Path) -> None:
    sample = sample_of(tmp_path, DEADLOCK)
    assert sample.deadlocks == [(("naming-listener", "main"), ("main", "naming-listener"))]
    assert [(thread.name, thread.stack.state) for thread in sample.threads] == [
        ("naming-listener", "BLOCKED"),
        ("main", "BLOCKED"),
    ]
    assert locks_of(sample.threads[1]) == [
        ("waiting to lock", "Directory", 0, "0x00000000c236fc48"),
        ("locked", "ConcurrentHashMap", 1, "0x00000000c113a5e0"),
    ]


def test_one_line_with_the_words_of_a_dump_and_of_a_deadlock_ends(tmp_path: Path) -> None:
    """Such a line begins two things at once; it was read again and again."""
    line = 'pattern = "Full thread dump|Found one Java-level deadlock"\n'
    threads = sample_of(tmp_path, f"{line}{DEADLOCK}").threads
    assert [thread.name for thread in threads] == ["naming-listener", "main"]


def test_a_deadlock_section_without_stacks_names_the_threads(tmp_path: Path) -> None:
    sample = sample_of(tmp_path, DEADLOCK.split("\n\n")[0])
    assert sample.deadlocks == [(("naming-listener", "main"), ("main", "naming-listener"))]
    assert [(thread.name, thread.stack.state, thread.stack.frames) for thread in sample.threads] == [
        ("naming-listener", "BLOCKED", ()),
        ("main", "BLOCKED", ()),
    ]


FORMS = {
    "thread info": DUBBO,
    "arthas -n": ARTHAS_BUSY,
    "arthas -b": ARTHAS_BLOCKING,
    "deadlock": DEADLOCK,
    "visualvm": VISUALVM,
    "memory analyzer": MAT,
    "endpoint": json.dumps(endpoint()),
}


@pytest.mark.parametrize("form", FORMS)
def test_diagnose_takes_every_form_for_threads_and_nothing_else(tmp_path: Path, form: str) -> None:
    path = tmp_path / "paste.txt"
    path.write_text(FORMS[form])
    head = path.read_bytes()
    piece = Piece(name=path.name, path=str(path), size_bytes=len(head), head=head)
    assert [kind.name for kind in all_kinds() if kind.recognise(piece)] == ["stacks"]


def test_a_whole_dump_shows_its_deadlocked_threads_once(tmp_path: Path) -> None:
    sample = read_text(tmp_path, real_dump("deadlock-monitors")).samples[0]
    names = [thread.name for thread in sample.threads]
    assert sample.deadlocks
    assert all(names.count(name) == 1 for pair in sample.deadlocks[0] for name in pair)


def test_a_deadlock_in_an_item_of_a_list_below_a_dump(tmp_path: Path) -> None:
    flush = real_dump("deadlock-monitors").partition("Found one Java-level deadlock")[0]
    item = "".join(f"  {line}" for line in f"``` text\n{DEADLOCK}```\n".splitlines(keepends=True))
    sample = sample_of(tmp_path, f"```\n{flush}```\n\n- **below**\n\n{item}\nThe end.\n")
    assert sample.deadlocks == [(("naming-listener", "main"), ("main", "naming-listener"))]


def test_threads_of_a_heap_dump_in_visualvm(tmp_path: Path) -> None:
    worker, finalizer = sample_of(tmp_path, VISUALVM).threads
    assert (worker.name, worker.java_id, worker.tid, worker.stack.state) == (
        "ConsumeMessageThread_shop_10",
        529,
        None,
        "RUNNABLE",
    )
    assert worker.stack.methods == (
        "java.lang.OutOfMemoryError.<init>",
        "com.acme.db.Rows.read",
        "com.acme.Shop.consumeMessage",
    )
    assert (finalizer.daemon, finalizer.stack.state) == (True, "WAITING")


def test_threads_of_a_heap_dump_in_memory_analyzer(tmp_path: Path) -> None:
    worker, handler = sample_of(tmp_path, MAT).threads
    assert (worker.name, worker.java_id, worker.stack.state) == ("Thread 0x6c0a1b2c8", None, "")
    assert worker.stack.frames == (
        "java.lang.OutOfMemoryError.<init>(OutOfMemoryError.java:48)",
        "com.acme.Shop.load(Shop.java:87)",
        "com.acme.Shop.consumeMessage(Shop.java:12)",
    )
    assert handler.stack.frames[0] == "java.lang.Object.wait(Native Method)"


def test_a_stack_of_a_leak_report_has_the_threads_name(tmp_path: Path) -> None:
    text = "Thread Stack\n\nConsumeMessageThread_1\n" + MAT.split("\n", 1)[1]
    assert sample_of(tmp_path, text).threads[0].name == "ConsumeMessageThread_1"


@pytest.mark.parametrize("bare_list", [False, True])
def test_json_of_a_management_endpoint(tmp_path: Path, bare_list: bool) -> None:
    given = endpoint()
    text = json.dumps(given["threads"] if bare_list else given)
    writer, reader = sample_of(tmp_path, text).threads
    assert (writer.name, writer.java_id, writer.daemon, writer.parked_owner) == ("order-writer", 63, True, 64)
    assert locks_of(writer) == [("waiting to lock", "Ledger", 0, "0000001f")]
    assert reader.stack.frames == (
        "java.lang.Object.wait(Native Method)",
        "com.acme.Ledger.write(Ledger.java:30)",
    )
    assert locks_of(reader) == [("locked", "Ledger", 1, "0000001f"), ("owns synchronizer", "B", 1, "00001000")]


_HEADERS = "HTTP/1.1 200 \r\nContent-Type: application/vnd.spring-boot.actuator.v3+json\r\n\r\n"
_METER = "  % Total    % Received % Xferd  Average Speed\n100 1234    0  1234    0     0  12k\n"
_TALK = "* Connected to localhost port 8080\n> GET /actuator/threaddump HTTP/1.1\n> \n< HTTP/1.1 200 \n< \n"


@pytest.mark.parametrize("bare_list", [False, True])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (_HEADERS, ""),
        (f"$ curl -i localhost:8080/actuator/threaddump\n{_HEADERS}", "\n"),
        (_METER, ""),
        (f"{_TALK}{{ [5 bytes data]\n", "\n* Connection #0 to host localhost left intact\n"),
    ],
)
def test_an_endpoint_behind_what_curl_prints(
    before: str, after: str, indent: int | None, bare_list: bool, tmp_path: Path
) -> None:
    given = endpoint()
    text = json.dumps(given["threads"] if bare_list else given, indent=indent)
    threads = sample_of(tmp_path, before + text + after).threads
    assert [one.name for one in threads] == [one.name for one in sample_of(tmp_path, text).threads]


def test_an_endpoint_may_list_daemons_alone(tmp_path: Path) -> None:
    thread = {"threadName": "Finalizer", "threadId": 10, "daemon": True, "threadState": "WAITING"}
    frame = {"className": "java.lang.Object", "methodName": "wait", "nativeMethod": True}
    sample = sample_of(tmp_path, json.dumps({"threads": [thread | {"stackTrace": [frame]}]}))
    assert [one.name for one in sample.threads] == ["Finalizer"]


def test_damaged_json_of_an_endpoint(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="damaged JSON"):
        read_text(tmp_path, json.dumps(endpoint())[:-40])


@pytest.mark.parametrize(
    ("header", "java_id", "nid"),
    [
        ('"ConsumeMessageThread_1"', None, None),
        ('"ConsumeMessageThread_1" #192', 192, None),
        ('"ConsumeMessageThread_1" #192 prio=5 os_prio=0', 192, None),
        ('"ConsumeMessageThread_1" prio=5 nid=0x17d waiting on condition', None, 0x17D),
        ('"ConsumeMessageThread_1" #192 ... nid=381 runnable', 192, 381),
    ],
)
@pytest.mark.parametrize("state", ["   java.lang.Thread.State: WAITING (parking)\n", ""])
def test_a_header_that_was_cut_by_hand(
    tmp_path: Path, header: str, java_id: int | None, nid: int | None, state: str
) -> None:
    body = "\tat sun.misc.Unsafe.park(Native Method)\n\tat com.acme.A.b(A.java:1)\n"
    whole = '"main" #1 prio=5 os_prio=0 tid=0x00007f62dc002000 nid=0x1 runnable\n   java.lang.Thread.State: RUNNABLE\n'
    main, thread = sample_of(
        tmp_path, f"{whole}\tat com.acme.A.main(A.java:9)\n\n{header}\n{state}{body}"
    ).threads
    assert main.name == "main"
    assert (thread.name, thread.java_id, thread.nid) == ("ConsumeMessageThread_1", java_id, nid)
    assert thread.stack.state == ("WAITING" if state else "")
    assert len(thread.stack.frames) == 2


def test_a_paste_may_begin_with_a_cut_header(tmp_path: Path) -> None:
    text = (
        '"worker-1"\n   java.lang.Thread.State: WAITING (parking)\n\tat sun.misc.Unsafe.park(Native Method)\n'
    )
    assert sample_of(tmp_path, text).threads[0].name == "worker-1"


def test_the_same_threads_again_are_the_next_sample(tmp_path: Path) -> None:
    """Excerpts of one thread, taken three times."""
    samples = read_text(tmp_path, DUBBO + "\n" + DUBBO + "\n" + DUBBO).samples
    assert [[thread.java_id for thread in sample.threads] for sample in samples] == [[62, 63, 64]] * 3


@pytest.mark.parametrize("prefix", ["> ", "    ", "\t", "2026-11-21 20:00:01.250 WARN main - "])
@pytest.mark.parametrize("text", [DUBBO, ARTHAS_BUSY, DEADLOCK, VISUALVM])
def test_quoted_indented_and_logged(tmp_path: Path, text: str, prefix: str) -> None:
    plain = sample_of(tmp_path, text)
    dressed = sample_of(tmp_path, "".join(f"{prefix}{line}\n" for line in text.splitlines()))
    assert [thread.name for thread in dressed.threads] == [thread.name for thread in plain.threads]
    assert [thread.stack for thread in dressed.threads] == [thread.stack for thread in plain.threads]


def test_an_export_of_elasticsearch(tmp_path: Path) -> None:
    text = "".join(
        json.dumps({"_index": "app", "_source": {"message": line}}) + "\n" for line in DUBBO.splitlines()
    )
    plain = sample_of(tmp_path, DUBBO)
    assert [thread.stack for thread in sample_of(tmp_path, text).threads] == [
        thread.stack for thread in plain.threads
    ]


def test_an_indented_excerpt_of_jstack(tmp_path: Path) -> None:
    header = '"worker-1" #9 prio=5 tid=0x01 nid=0x2 runnable'
    text = f"{header}\n   java.lang.Thread.State: RUNNABLE\n\tat com.acme.A.b(A.java:1)\n"
    thread = sample_of(tmp_path, "".join(f"    {line}\n" for line in text.splitlines())).threads[0]
    assert (thread.name, thread.java_id, thread.stack.state) == ("worker-1", 9, "RUNNABLE")


SIGNS = (" ", "   ", "    ", "\t", "\t\t", "- ", "* ", "  - ", "\u2022 ", "12. ")


@one_in_each_run(5)
@pytest.mark.parametrize("case", ["jdk8-deadlock", "urlconnection-stuck"])
@pytest.mark.parametrize("above", ["", '2026-11-21 20:00:00.100 INFO  [main] com.acme.A - says "so"\n'])
@pytest.mark.parametrize("signs", SIGNS)
def test_signs_before_headers_alone(tmp_path: Path, signs: str, above: str, case: str) -> None:
    """As a list or an editor puts them; the lines below the headers keep their own blanks."""
    plain = real_dump(case)
    headers = re.compile('^"', re.M)
    expected = read_text(tmp_path, above + plain)
    listed = read_text(tmp_path, above + headers.sub(f'{signs}"', plain))
    same(listed, expected)
    assert listed.samples[0].deadlocks == expected.samples[0].deadlocks
    same(read_text(tmp_path, above + every_other(plain, signs)), expected)
    without_head = plain[plain.index('\n"') + 1 :]
    expected = read_text(tmp_path, above + without_head)
    same(read_text(tmp_path, above + headers.sub(f'{signs}"', without_head)), expected)


def every_other(dump: str, signs: str) -> str:
    """The dump with signs before every other header."""
    first, *threads = dump.split('\n"')
    return first + "".join(f'\n{signs if number % 2 else ""}"{thread}' for number, thread in enumerate(threads))


@pytest.mark.parametrize("blanks", [" ", "    ", "\t"])
def test_the_first_line_alone_is_not_indented(tmp_path: Path, blanks: str) -> None:
    plain = real_dump("urlconnection-stuck")
    head, first, rest = plain.partition('\n"')
    indented = "".join(f"{blanks}{line}\n" for line in (first + rest)[1:].splitlines())
    same(read_text(tmp_path, f"{head}\n{indented}"), read_text(tmp_path, plain))


@one_in_each_run(5)
@pytest.mark.parametrize("signs", SIGNS)
@pytest.mark.parametrize(
    "line",
    [
        '"order" #12 prio=5 is late',
        '"order": {"tid": "0x01", "nid": "0x2"}',
        '"worker-1" waits for tid=0x01 nid=0x2',
    ],
)
def test_no_line_of_a_log_becomes_a_thread(tmp_path: Path, line: str, signs: str) -> None:
    dump = real_dump("urlconnection-stuck")
    listed = re.sub('^"', f'{signs}"', dump, flags=re.M)
    log = "".join(
        f"2026-11-21 20:00:0{number}.000 INFO  [main] com.acme.A - list\n{signs}{line}\n" for number in range(9)
    )
    same(read_text(tmp_path, log + listed + log), read_text(tmp_path, log + dump + log))
    with pytest.raises(InputError):
        read_text(tmp_path, log)


@pytest.mark.parametrize(
    ("frame", "plain"),
    [
        ("com.acme.Shop$$Lambda$1383/705970374.run(Unknown Source)", "com.acme.Shop$$Lambda.run(Unknown Source)"),
        ("com.acme.Shop$$Lambda$34/0x00007fa0b001.run(Unknown Source)", "com.acme.Shop$$Lambda.run(Unknown Source)"),
    ],
)  # fmt: skip
def test_lambdas_of_every_jdk_have_one_name(frame: str, plain: str) -> None:
    assert plain_frame(frame) == plain


@pytest.mark.parametrize("text", ['<a name="x" Id="3">\n', 'say "no" prio=1\n', '"x" Id=maybe\n'])
def test_words_of_a_header_in_other_text_are_no_dump(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        read_text(tmp_path, text * 3)


WAITING = """\
java.lang.Thread.State: WAITING (parking)
\tat sun.misc.Unsafe.park(Native Method)
\tat com.acme.Pool.take(Pool.java:9)
"""


@pytest.mark.parametrize(
    "header",
    [
        '> "worker-1" #12 prio=5 os_prio=0 tid=0x00007f0b2401d800 nid=0x41c9 waiting on condition [0x00007f08b87bd000]',
        '`worker-1" #12 prio=5 os_prio=0 tid=0x00007f0b2401d800 nid=0x41c9 waiting on condition [0x00007f08b87bd000]',
        'worker-1" Id=12 cpuUsage=66% WAITING',
    ],
)
def test_signs_around_the_first_header_alone(tmp_path: Path, header: str) -> None:
    (thread,) = sample_of(tmp_path, f"{header}\n   {WAITING}").threads
    assert (thread.name, thread.java_id, thread.stack.state) == ("worker-1", 12, "WAITING")
    assert len(thread.stack.frames) == 2


def test_a_deadlock_with_each_entry_on_one_line(tmp_path: Path) -> None:
    text = (
        "Found one Java-level deadlock:\n=============================\n"
        '"a":waiting to lock monitor 0x1b (object 0xa8, a com.acme.A),which is held by "b"\n\n'
        '"b":waiting to lock monitor 0x1c (object 0xa9, a com.acme.B),which is held by "a"\n'
    )
    assert sample_of(tmp_path, text).deadlocks == [(("a", "b"), ("b", "a"))]


def test_a_debuggers_export_names_the_thread_that_has_the_lock(tmp_path: Path) -> None:
    def thread(name: str, other: str, wanted: str, held: str) -> str:
        return (
            f'"{name}" prio=5 tid=0x1 nid=NA waiting for monitor entry\n  java.lang.Thread.State: BLOCKED\n'
            f"\t blocks {other}\n\t waiting for {other} to release lock on <{wanted}> (a java.lang.Object)\n"
            f"\t  at com.acme.A.b(A.java:1)\n\t  - locked <{held}> (a java.lang.Object)\n\n"
        )

    text = thread("main@1", "other@9", "0x26f1", "0x2702") + thread("other@9", "main@1", "0x2702", "0x26f1")
    first, second = sample_of(tmp_path, text).threads
    assert [lock.kind for lock in first.stack.locks] == ["waiting to lock", "locked"]
    assert (first.addresses, second.addresses) == (("0x26f1", "0x2702"), ("0x2702", "0x26f1"))


def test_an_old_debuggers_export_has_names_without_quotes(tmp_path: Path) -> None:
    def thread(name: str, status: str, lines: str) -> str:
        return f"{name}, prio=5, in group 'main', status: '{status}'\n{lines}\n"

    text = (
        thread("Reader of lines@404 daemon", "WAIT", "\t  at java.lang.Object.wait(Object.java:-1)\n")
        + thread(
            "main@1",
            "MONITOR",
            "\t waiting for b@9 to release lock on <0x1b> (a com.acme.A)\n\t  at a.B.c(B.java:1)\n",
        )
        + thread("Signal Dispatcher@7", "RUNNING", "")
    )
    first, second, third = sample_of(tmp_path, text).threads
    assert [one.name for one in (first, second, third)] == [
        "Reader of lines@404",
        "main@1",
        "Signal Dispatcher@7",
    ]
    assert (first.daemon, first.stack.state, first.stack.frames) == (
        True,
        "WAITING",
        ("java.lang.Object.wait(Object.java:-1)",),
    )
    assert (second.stack.state, [lock.kind for lock in second.stack.locks]) == ("BLOCKED", ["waiting to lock"])


def test_threads_of_jconsole(tmp_path: Path) -> None:
    text = (
        "Name: order-sender\nState: BLOCKED on java.lang.Object@1b2c3d owned by: main\n"
        "Total blocked: 3  Total waited: 12\n\nStack trace: \n"
        "app//com.acme.Shop.run(Shop.java:12)\n   - locked java.util.HashMap@7a8b\n"
        "java.base@21.0.7/java.lang.Thread.run(Thread.java:1583)\n"
    )
    (thread,) = sample_of(tmp_path, text).threads
    assert (thread.name, thread.stack.state, thread.owner_name) == ("order-sender", "BLOCKED", "main")
    assert thread.stack.frames == ("com.acme.Shop.run(Shop.java:12)", "java.lang.Thread.run(Thread.java:1583)")
    assert [(lock.kind, lock.class_name) for lock in thread.stack.locks] == [
        ("waiting to lock", "java.lang.Object"),
        ("locked", "java.util.HashMap"),
    ]


def test_a_deadlock_section_out_of_a_page_that_breaks_its_lines(tmp_path: Path) -> None:
    """Issues that came from another tracker have a tag and a blank where lines began."""
    page = (
        'Found one Java-level deadlock:<br /> =====<br /> "updater":<br /> waiting to lock monitor 0x26e3499c (object'
        ' 0x04f022d8, a java.lang.Object),<br /> which is held by "starter"<br /> "starter":<br /> waiting to lock'
        ' monitor 0x26e34ad4 (object 0x043b3c18, a java.lang.Object),<br /> which is held by "updater"\n'
    )
    (sample,) = read_text(
        tmp_path, page + "\n* waiting to lock &lt;0x04f022d8&gt; (a java.lang.Object)<br />\n"
    ).samples
    assert sample.deadlocks == [(("updater", "starter"), ("starter", "updater"))]


def test_an_endpoint_that_dumps_its_own_thread_is_no_file_of_the_jvm(tmp_path: Path) -> None:
    frame = {"className": "org.springframework.boot.actuate.ThreadDumpEndpoint", "methodName": "threadDump"}
    thread = {"threadName": "http-nio-8080-exec-1", "threadId": 10, "threadState": "RUNNABLE"}
    threads = [{**thread, "daemon": True, "stackTrace": [frame | {"fileName": "A.java", "lineNumber": 40}]}]
    sample = sample_of(tmp_path, json.dumps({"threads": threads}))
    assert [one.name for one in sample.threads] == ["http-nio-8080-exec-1"]
