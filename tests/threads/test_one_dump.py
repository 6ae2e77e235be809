"""What one dump decides: cycles, owners of locks and classes, and how many threads there are of each kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.facts import StacksFacts
from mqdiag.language import english
from mqdiag.read.stacks.reader import read_stacks
from mqdiag.threads.facts import stacks_facts
from tests.threads.made import CONSUME, HTTP, MYSQL, TAKE, At, facts, report
from tests.threads.real_series import CASES

FOLDER = CASES / "class-init-deadlock"


def of_jdk(version: int) -> StacksFacts:
    return stacks_facts(list(read_stacks(str(FOLDER / f"jdk{version}.log")).samples))


@pytest.mark.parametrize("version", [11, 17, 25])
def test_two_initializers_that_wait_for_each_other_are_a_deadlock(version: int) -> None:
    stacks = of_jdk(version)
    (deadlock,) = stacks.deadlocks
    assert set(deadlock.threads) == {"rates-loader", "pool-1-thread-1"}
    assert deadlock.kinds == ("class-init", "class-init")
    assert sorted(lock.partition(" at ")[0].rpartition("$")[2] for lock in deadlock.locks) == ["Rates", "Taxes"]
    states = {thread.name: (thread.state, thread.held_by) for thread in stacks.threads}
    assert states["rates-loader"] == ("blocked", "pool-1-thread-1")
    assert states["pool-1-thread-1"] == ("blocked", "rates-loader")
    assert states["pool-1-thread-2"][0] == "unknown"


@pytest.mark.parametrize("version", [17, 25])
def test_threads_behind_a_class_are_named_with_its_initializer(version: int) -> None:
    locks = {lock.class_name.rpartition("$")[2]: lock for lock in of_jdk(version).locks}
    assert {(name, lock.kind, lock.owner) for name, lock in locks.items()} == {
        ("Rates", "class-init", "rates-loader"),
        ("Taxes", "class-init", "pool-1-thread-1"),
    }
    assert set(locks["Taxes"].waiters) == {"rates-loader", "pool-1-thread-2"}


def test_a_class_without_a_name_has_no_owner_when_two_initializers_run() -> None:
    """JDK 11 names no class: the threads behind the deadlock may wait for either."""
    waiters = {waiter for lock in of_jdk(11).locks for waiter in lock.waiters}
    assert waiters == {"rates-loader", "pool-1-thread-1"}


def test_the_remedy_of_two_initializers_is_no_order_of_locks() -> None:
    (found,) = [
        finding
        for finding in diagnose_stacks([FOLDER / "jdk17.log"]).report.findings
        if finding.rule == "deadlock"
    ]
    assert any("static initializer" in english()(line) for line in found.remedy)


def test_one_initializer_that_others_wait_for_is_no_deadlock() -> None:
    stacks = stacks_facts(list(read_stacks(str(CASES / "class-init-stuck" / "series.tar.gz")).samples)[:1])
    assert not stacks.deadlocks
    (lock,) = stacks.locks
    assert (lock.kind, lock.class_name) == ("class-init", "com.acme.shop.ClassInit$Rates")
    assert lock.owner is not None
    assert len(lock.waiters) == 9


def test_one_dump_names_the_owner_of_a_lock_and_who_waits(tmp_path: Path) -> None:
    note = "- {} <0x00000000f1> (a com.acme.Ledger)"
    holds = At("holder", 20, ("com.acme.Ledger.post(Ledger.java:9)", note.format("locked"), *CONSUME))
    waits = ("com.acme.Ledger.post(Ledger.java:7)", note.format("waiting to lock"), *CONSUME)
    waiting = [
        At(f"ConsumeMessageThread_CID_{n}", 30 + n, waits, "BLOCKED (on object monitor)") for n in range(7)
    ]
    stacks = facts(tmp_path, [[holds, *waiting]])
    assert stacks.not_judged_because == "one-sample"
    (lock,) = stacks.locks
    assert (lock.owner, lock.owner_frame, len(lock.waiters)) == ("holder", holds.frames[0], 7)


def test_threads_are_counted_by_kind_and_sample(tmp_path: Path) -> None:
    def sample(clients: int) -> list[At]:
        names = [name for n in range(clients) for name in ("RebalanceService", f"NettyClientSelector_{n}")]
        return [At(name, 20 + place, TAKE, "WAITING (parking)") for place, name in enumerate(names)]

    kinds = facts(tmp_path, [sample(150), sample(158)]).kinds
    assert [(kind.thread, kind.threads) for kind in kinds] == [
        ("NettyClientSelector_#", (150, 158)),
        ("RebalanceService", (150, 158)),
    ]


LOCK = "- {} <0x00000000f1> (a com.acme.Ledger)"
POOL = (
    "sun.misc.Unsafe.park(Native Method)",
    "- parking to wait for  <0x00000000f7> (a java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject)",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await(AbstractQueuedSynchronizer.java:2039)",
    "com.alibaba.druid.pool.DruidDataSource.takeLast(DruidDataSource.java:1982)",
    "com.alibaba.druid.pool.DruidDataSource.getConnectionInternal(DruidDataSource.java:1545)",
)


def _crowd(count: int) -> list[At]:
    frames = ("com.acme.Ledger.post(Ledger.java:7)", LOCK.format("waiting to lock"), *CONSUME)
    return [At(f"order-{n}", 40 + n, frames, "BLOCKED (on object monitor)") for n in range(count)]


def test_a_crowd_before_a_lock_is_told_but_accuses_nobody(tmp_path: Path) -> None:
    found = report(tmp_path, [_crowd(3)]).findings
    (convoy,) = [finding for finding in found if finding.rule == "lock-convoy"]
    assert (convoy.severity, convoy.confidence, convoy.evidence["samples"]) == ("info", "low", 1)


@pytest.mark.parametrize(("waiting", "others"), [(2, 0), (3, 3)])
def test_some_threads_before_a_lock_are_no_crowd(tmp_path: Path, waiting: int, others: int) -> None:
    busy = [At(f"busy-{n}", 80 + n, HTTP) for n in range(others)]
    assert not facts(tmp_path, [[*_crowd(waiting), *busy]]).standstills


def test_the_owner_of_a_lock_is_named_although_a_paste_leaves_it_out(tmp_path: Path) -> None:
    path = tmp_path / "dubbo.log"
    path.write_text(
        "".join(
            f'"handler-{n}" Id={n} BLOCKED on com.acme.Ledger@1f owned by "handler-9" Id=9\n'
            "\tat com.acme.Ledger.write(Ledger.java:30)\n\t-  blocked on com.acme.Ledger@1f\n\n"
            for n in range(1, 4)
        )
    )
    stacks = stacks_facts(list(read_stacks(str(path)).samples))
    (lock,) = stacks.locks
    (still,) = stacks.standstills
    assert (lock.owner, still.holder, still.holder_does) == ("handler-9", "handler-9", None)


def test_a_pool_that_nobody_can_give_back_to_is_exhausted(tmp_path: Path) -> None:
    waiting = [At(f"http-nio-8080-exec-{n}", 40 + n, POOL, "WAITING (parking)") for n in range(3)]
    found = report(tmp_path, [waiting]).findings
    (dry,) = [finding for finding in found if finding.rule == "connection-pool-exhausted"]
    assert (dry.severity, dry.confidence) == ("warning", "low")
    # whoever works may have a connection
    assert not facts(tmp_path, [[*waiting, At("busy", 80, HTTP)]]).standstills


def test_what_threads_hold_makes_no_pools_of_the_one_that_they_wait_for(tmp_path: Path) -> None:
    # some agents leave out the frames of java.util.concurrent, and with them what a thread parks on
    waiting = [
        At(
            f"http-nio-8080-exec-{n}",
            40 + n,
            (*POOL[3:], f"- locked <0x00000000a{n}> (a com.acme.Order)"),
            "WAITING (parking)",
        )
        for n in range(3)
    ]
    found = report(tmp_path, [waiting]).findings
    assert "connection-pool-exhausted" in {finding.rule for finding in found}


@pytest.mark.parametrize(("waiting", "queries", "found"), [(12, 3, True), (6, 3, False), (4, 1, False)])
def test_a_queue_before_a_pool_is_told_with_who_has_a_connection(
    waiting: int, queries: int, found: bool, tmp_path: Path
) -> None:
    queue = [At(f"http-nio-8080-exec-{n}", 40 + n, POOL, "WAITING (parking)") for n in range(waiting)]
    wrapped = (
        *MYSQL[:5],
        "com.alibaba.druid.pool.DruidPooledPreparedStatement.executeQuery(X.java:1)",
        *MYSQL[5:],
    )
    users = [At(f"http-nio-8080-exec-{n}", 40 + n, wrapped) for n in range(90, 90 + queries)]
    told = [
        one for one in report(tmp_path, [[*queue, *users]]).findings if one.rule == "connection-pool-exhausted"
    ]
    assert bool(told) is found
    for one in told:
        assert (one.cause, str(one.severity)) == ("slow-database", "info")
        assert one.evidence["possible_user"] == "http-nio-8080-exec-90"
        assert "SHOW FULL PROCESSLIST" in next(
            text.template for text in one.remedy if "Look at" in text.template
        )


def test_a_frame_says_that_the_queue_of_the_logger_is_full(tmp_path: Path) -> None:
    frames = (
        "org.apache.logging.log4j.core.async.AsyncLoggerDisruptor.enqueueLogMessageWhenQueueFull(AsyncLogger.java:246)",
        "- waiting to lock <0x00000000f1> (a java.lang.Object)",
        "org.apache.logging.log4j.core.async.AsyncLogger.handleRingBufferFull(AsyncLogger.java:246)",
    )
    (still,) = facts(tmp_path, [[At("producer", 40, frames, "BLOCKED (on object monitor)")]]).standstills
    assert (still.kind, still.cause, still.samples) == ("wait", "blocked-log-sink", 1)


@pytest.mark.parametrize("case", ["hikari-progressing", "jedis-progressing", "log-progressing"])
def test_one_sample_of_a_busy_process_accuses_nobody(case: str) -> None:
    for sample in read_stacks(str(CASES / case / "series.tar.gz")).samples:
        # a queue before a pool is told as information, with who has a connection
        stills = stacks_facts([sample]).standstills
        assert all(still.kind == "pool" and still.possible_user for still in stills)


def test_a_tree_of_locks_is_a_crowd_behind_its_root(tmp_path: Path) -> None:
    """Half wait for the root's lock, half for that of one of them; neither lock has more than the other work."""
    first, second = "<0x00000000f0000081> (a com.acme.App)", "<0x00000000f0000082> (a com.acme.Lazy)"
    blocked = "BLOCKED (on object monitor)"
    root = At(
        "root",
        11,
        ("sun.misc.Unsafe.park(Native Method)", "com.acme.App.load(App.java:9)", f"- locked {first}"),
        "WAITING (parking)",
    )
    inner = At(
        "inner",
        12,
        ("com.acme.App.get(App.java:3)", f"- waiting to lock {first}", f"- locked {second}"),
        blocked,
    )
    one = [At(f"io-{n}", 20 + n, (*inner.frames[:2],), blocked) for n in range(3)]
    other = [
        At(
            f"dispatcher-{n}",
            30 + n,
            ("com.acme.Lazy.get(Lazy.java:4)", f"- waiting to lock {second}"),
            blocked,
        )
        for n in range(3)
    ]
    works = [At(f"work-{n}", 40 + n, ("com.acme.Work.run(Work.java:5)",)) for n in range(4)]
    found = report(tmp_path, [[root, inner, *one, *other, *works]])
    convoys = [one for one in found.findings if one.rule == "lock-convoy"]
    assert {(one.evidence["holder"], str(one.severity)) for one in convoys} == {("root", "warning")}
    assert sum(int(str(one.evidence["thread_count"])) for one in convoys) == 6


SLOW = (
    "java.lang.Thread.sleep(Native Method)",
    "com.acme.Check.ask(Check.java:46)",
    "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1149)",
    "java.util.concurrent.ThreadPoolExecutor$Worker.run(ThreadPoolExecutor.java:624)",
    "java.lang.Thread.run(Thread.java:840)",
)


@pytest.mark.parametrize("free", [0, 1])
def test_a_pool_with_all_threads_in_one_call_has_none_free(free: int, tmp_path: Path) -> None:
    taken = [At(f"check-{n}", 20 + n, SLOW, "TIMED_WAITING (sleeping)") for n in range(6)]
    found = report(tmp_path, [[*taken, *(At("check-9", 29, TAKE, "WAITING (parking)") for _ in range(free))]])
    stuck = [(one.cause, str(one.severity)) for one in found.findings if one.rule == "threads-stuck"]
    assert stuck == ([] if free else [("hangs-or-slow", "warning")])


@pytest.mark.parametrize(("others", "found"), [("answers", True), ("work", False)])
def test_threads_of_several_pools_are_one_crowd(others: str, found: bool, tmp_path: Path) -> None:
    """A thread of a timer syncs a file under a lock; whoever waits for an answer is no sign that work goes on."""
    pages = "<0x00000000f0000083> (a com.acme.Pages)"
    sync = (
        "sun.nio.ch.FileDispatcherImpl.force0(Native Method)",
        "sun.nio.ch.FileChannelImpl.force(FileChannelImpl.java:378)",
        "com.acme.Pages.sync(Pages.java:226)",
        f"- locked {pages}",
    )
    wants = ("com.acme.Pages.isPaging(Pages.java:277)", f"- waiting to lock {pages}")
    behind = [
        At(f"{name} (server-9)", at, wants, "BLOCKED (on object monitor)") for at, name in enumerate("abcd", 20)
    ]
    frames = {
        "answers": (
            "jdk.internal.misc.Unsafe.park(Native Method)",
            "com.acme.Channel.sendBlocking(Channel.java:8)",
        ),
        "work": ("com.acme.Work.run(Work.java:5)",),
    }[others]
    state = "WAITING (parking)" if others == "answers" else "RUNNABLE"
    rest = [At(f"sender-{at}", 60 + at, frames, state) for at in range(30)]
    told = [
        one
        for one in report(tmp_path, [[At("timer", 11, sync), *behind, *rest]]).findings
        if one.rule == "lock-convoy"
    ]
    assert [(one.evidence["holder"], one.evidence["thread_count"]) for one in told] == [("timer", 4)] * found


def test_a_running_thread_in_object_wait_waits_for_a_class(tmp_path: Path) -> None:
    """Before JDK 17 the header alone says so."""
    path = tmp_path / "post.txt"
    header = '"main" prio=6 tid=0x0000000003f1f400 nid=0x1abc {} [0x0000000003a0a400]\n'
    path.write_text(
        header.format("in Object.wait()")
        + "   java.lang.Thread.State: RUNNABLE\n"
        + "\tat com.acme.Rates.of(Rates.java:7)\n\tat com.acme.Main.main(Main.java:10)\n"
    )
    found = {one.rule: one for one in diagnose_stacks([path]).report.findings}
    assert (found["start-hangs"].cause, str(found["start-hangs"].severity)) == (
        "class-initialisation",
        "warning",
    )
    path.write_text(path.read_text().replace("in Object.wait()", "runnable"))
    assert "start-hangs" not in {one.rule for one in diagnose_stacks([path]).report.findings}


@pytest.mark.parametrize(
    ("name", "cut", "found"),
    [
        ("lettuce-nioEventLoop-7-1", True, True),
        ("vert.x-eventloop-thread-2", True, True),
        ("nioEventLoopGroup-2-1", True, True),
        ("nioEventLoopGroup-2-1", False, False),
        ("worker-1", True, False),
    ],
)
def test_an_event_loop_without_its_first_frames_is_known_by_its_name(
    name: str, cut: bool, found: bool, tmp_path: Path
) -> None:
    frames = (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.CompletableFuture.join(CompletableFuture.java:2117)",
        "io.lettuce.core.DefaultConnectionFuture.join(DefaultConnectionFuture.java:66)",
    )
    whole = () if cut else ("java.lang.Thread.run(Thread.java:840)",)
    loops = facts(tmp_path, [[At(name, 9, (*frames, *whole), "WAITING (parking)")]]).blocked_loops
    assert [(one.thread, one.frame) for one in loops] == [(name, frames[2])] * found


_PIPE = "<0x00000000f0000071> (a java.io.PipedReader)"
_INDEX = "<0x00000000f0000072> (a com.acme.Index)"


@pytest.mark.parametrize(("task", "found"), [("com.acme.Parts", True), ("com.acme.Others", False)])
def test_the_other_end_of_a_pipe_wants_the_lock_of_the_reader(task: str, found: bool, tmp_path: Path) -> None:
    reads = At(
        "main",
        1,
        (
            "java.lang.Object.wait(Native Method)",
            f"- waiting on {_PIPE}",
            "java.io.PipedReader.read(PipedReader.java:257)",
            "com.acme.Parts.read(Parts.java:83)",
            "com.acme.Index.add(Index.java:20)",
            f"- locked {_INDEX}",
            "com.acme.Main.main(Main.java:10)",
        ),
        "TIMED_WAITING (on object monitor)",
    )
    writes = At(
        "Thread-1",
        9,
        (
            "com.acme.Index.add(Index.java:18)",
            f"- waiting to lock {_INDEX}",
            f"{task}.run(Parts.java:97)",
            "java.lang.Thread.run(Thread.java:748)",
        ),
        "BLOCKED (on object monitor)",
    )
    hidden = facts(tmp_path, [[reads, writes]]).hidden_deadlocks
    assert [(one.holder, one.pool, one.for_pipe) for one in hidden] == [("main", "Thread-1", True)] * found


@pytest.mark.parametrize(
    ("holder", "others", "found"), [("sleep", 0, True), ("sleep", 4, False), ("running", 0, False)]
)
def test_half_of_the_work_behind_a_holder_that_waits_is_told(
    holder: str, others: int, found: bool, tmp_path: Path
) -> None:
    lock = "<0x00000000f0000091> (a com.acme.Stock)"
    top = ("java.lang.Thread.sleep(Native Method)",) if holder == "sleep" else ()
    held = (*top, "com.acme.Stock.take(Stock.java:30)", f"- locked {lock}")
    wants = ("com.acme.Stock.take(Stock.java:29)", f"- waiting to lock {lock}")
    at_work = [At(f"work-{n}", 30 + n, ("com.acme.Work.run(Work.java:5)",)) for n in range(others)]
    sample = [
        At("http-nio-8080-exec-2", 11, held, "TIMED_WAITING (sleeping)" if top else "RUNNABLE"),
        At("http-nio-8080-exec-3", 12, wants, "BLOCKED (on object monitor)"),
        *at_work,
    ]
    made = report(tmp_path, [sample])
    told = [(one.cause, str(one.severity)) for one in made.findings if one.rule == "lock-convoy"]
    assert told == [("slow-holder", "info")] * found
    assert made.answer.state == "undecided"


@pytest.mark.parametrize(("threads", "found"), [(2, True), (1, False)])
def test_two_threads_in_one_line_of_a_table_are_told(threads: int, found: bool, tmp_path: Path) -> None:
    frames = ("java.util.HashMap.put(HashMap.java:374)", "com.acme.Seen.add(Seen.java:7)")
    sample = [At(f"check-{n}", 20 + n, frames, cpu=None) for n in range(threads)]
    told = [one for one in report(tmp_path, [sample]).findings if one.rule == "busy-loop"]
    assert [(str(one.severity), one.evidence["thread_count"]) for one in told] == [("info", threads)] * found


@pytest.mark.parametrize(("every", "severity"), [(10, None), (20, "info"), (40, "warning")])
def test_without_cpu_times_the_time_in_one_line_tells_how_sure_a_loop_is(
    every: float, severity: str | None, tmp_path: Path
) -> None:
    sample = [At("reconciler", 9, ("com.acme.Prices.match(Prices.java:232)",), cpu=None)]
    told = [one for one in report(tmp_path, [sample] * 3, every=every).findings if one.rule == "busy-loop"]
    assert [str(one.severity) for one in told] == ([] if severity is None else [severity])
