"""Facts about threads that consume nothing, in dumps of any JVM: common places, loops, hidden deadlocks, starts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from mqdiag.facts import StacksFacts
from mqdiag.findings import Finding
from mqdiag.language import english
from tests.threads.made import HTTP, READ, RUN, TAKE, At, facts, report, states

TASK = (
    "java.util.concurrent.FutureTask.run(FutureTask.java:266)",
    "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1149)",
    "java.util.concurrent.ThreadPoolExecutor$Worker.run(ThreadPoolExecutor.java:624)",
    RUN,
)
JETTY = ("org.eclipse.jetty.util.thread.QueuedThreadPool.runJob(QueuedThreadPool.java:883)", RUN)
PARK = "sun.misc.Unsafe.park(Native Method)"
LOCK = "<0x00000000f0000071> (a com.acme.Stock)"
WAITING, BLOCKED = "WAITING (parking)", "BLOCKED (on object monitor)"


def named(
    name: str, number: int, frames: Sequence[str], state: str = "RUNNABLE", cpu: float | None = 5.0
) -> At:
    return At(f"{name}-{number}", 100 * (1 + sum(name.encode()) % 97) + number, frames, state, cpu)


def many(
    name: str, count: int, frames: Sequence[str], state: str = "RUNNABLE", cpu: float | None = 5.0
) -> list[At]:
    return [named(name, number, frames, state, cpu) for number in range(1, count + 1)]


CLOSE = (
    "java.lang.Object.wait(Native Method)",
    "org.eclipse.jetty.io.ManagedSelector.close(ManagedSelector.java:301)",
    "org.eclipse.jetty.io.SelectorManager.doStop(SelectorManager.java:238)",
    *JETTY,
)
SELECT = (
    "sun.nio.ch.EPollArrayWrapper.epollWait(Native Method)",
    "org.eclipse.jetty.io.ManagedSelector.select(ManagedSelector.java:600)",
    *JETTY,
)


def places(stacks: StacksFacts) -> dict[str, tuple[int, ...]]:
    return {place.pool: place.at_place for place in stacks.common_places}


@pytest.mark.parametrize("cpu", [5.0, None])
def test_a_pool_in_one_call_that_is_no_rest(tmp_path: Path, cpu: float | None) -> None:
    sample = [
        *many("qtp", 9, CLOSE, "WAITING (on object monitor)", cpu),
        *many("select", 3, SELECT, cpu=cpu),
        *many("quiet", 4, TAKE, WAITING, cpu),
    ]
    stacks = facts(tmp_path, [sample] * 5)
    (place,) = stacks.common_places
    assert (place.pool, place.pool_size, place.at_place, len(place.threads)) == ("qtp", 9, (9,) * 5, 9)
    assert place.frame == "org.eclipse.jetty.io.ManagedSelector.close(ManagedSelector.java:301)"
    assert place.doing == "object-wait"
    assert {state for name, state in states(stacks).items() if name.startswith("qtp")} == {"unknown"}
    assert {state for name, state in states(stacks).items() if name.startswith(("sel", "qui"))} == {"idle"}


def test_a_pool_that_hangs_is_told_with_what_it_waits_for(tmp_path: Path) -> None:
    frames = (*HTTP[:6], "com.acme.web.Api.get(Api.java:20)", *TASK)
    place = facts(tmp_path, [many("http", 5, frames)] * 5).common_places[0]
    assert (place.kind, place.cause, place.standing, place.moving) == (
        "socket-read",
        "missing-http-timeout",
        5,
        0,
    )
    assert place.frame == "com.acme.web.Api.get(Api.java:20)"
    assert place.remedy


@pytest.mark.parametrize(
    "frames",
    [
        # a pool filler in a database read, a blocking call of another service, the random numbers of the system
        (*READ, "com.mysql.cj.protocol.a.NativeProtocol.readMessage(NativeProtocol.java:508)", *TASK),
        (PARK, "org.apache.dubbo.remoting.exchange.support.DefaultFuture.get(DefaultFuture.java:100)", *TASK),
        (
            "java.io.FileInputStream.readBytes(Native Method)",
            "sun.security.provider.NativePRNG$RandomIO.readFully(NativePRNG.java:424)",
            *TASK,
        ),
        (
            "java.lang.Object.wait(Native Method)",
            "org.apache.log4j.AsyncAppender.append(AsyncAppender.java:195)",
            *TASK,
        ),
        (
            "java.net.PlainSocketImpl.socketConnect(Native Method)",
            "java.net.Socket.connect(Socket.java:589)",
            *TASK,
        ),
    ],
)
def test_what_is_no_wait_for_work_is_no_rest(tmp_path: Path, frames: tuple[str, ...]) -> None:
    for samples in (1, 5):
        found = states(facts(tmp_path, [many("pool-1-thread", 1, frames, WAITING)] * samples))
        assert found["pool-1-thread-1"] != "idle"


@pytest.mark.parametrize(
    ("frames", "state"),
    [
        (("java.lang.Object.wait(Native Method)", "java.util.TimerThread.mainLoop(Timer.java:552)"), "idle"),
        (
            (*READ, "com.acme.Report.send(Report.java:8)", "java.util.TimerThread.mainLoop(Timer.java:555)"),
            "stuck",
        ),
        (
            (
                "com.acme.Cache.load(Cache.java:8)",
                "redis.clients.jedis.JedisPubSub.process(JedisPubSub.java:120)",
            ),
            "progressing",
        ),
    ],
)
def test_what_a_loop_runs_is_no_rest(tmp_path: Path, frames: tuple[str, ...], state: str) -> None:
    samples = [
        [named("Timer", 0, (*frames, RUN), "RUNNABLE", 5.0 + 50 * n * (state == "progressing"))]
        for n in range(5)
    ]
    assert states(facts(tmp_path, samples))["Timer-0"] == state


def test_a_connect_with_a_lock_that_others_want_is_no_rest(tmp_path: Path) -> None:
    connects = (
        "java.net.PlainSocketImpl.socketConnect(Native Method)",
        "com.acme.Link.open(Link.java:9)",
        f"- locked {LOCK}",
        RUN,
    )
    waits = ("com.acme.Link.send(Link.java:20)", f"- waiting to lock {LOCK}", *TASK)
    sample = [named("link", 0, connects), *many("sender", 3, waits, BLOCKED)]
    one = facts(tmp_path, [sample])
    assert states(one)["link-0"] == "unknown"
    stacks = facts(tmp_path, [sample] * 5)
    assert states(stacks)["link-0"] == "stuck"
    (lock,) = stacks.locks
    assert (lock.waiting, lock.owners, lock.share) == ((3,) * 5, ("link-0",) * 5, 0.75)
    assert lock.taken_at == "com.acme.Link.open(Link.java:9)"


def test_threads_without_work_wait_for_no_lock(tmp_path: Path) -> None:
    frames = (
        PARK,
        "- parking to wait for  <0x00000000f0000009> (a java.util.concurrent.SynchronousQueue$TransferStack)",
        "java.util.concurrent.SynchronousQueue.poll(SynchronousQueue.java:941)",
        "java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1073)",
        *TASK[1:],
    )
    assert facts(tmp_path, [many("pool-1-thread", 40, frames, "TIMED_WAITING (parking)")] * 3).locks == ()


def test_a_deadlock_tells_the_code_and_both_locks_of_each_thread(tmp_path: Path) -> None:
    other = "<0x00000000f0000072> (a com.acme.Prices)"

    def at(number: int, wants: str, holds: str) -> At:
        frames = (
            f"com.acme.Pair{number}.second(Pair.java:5)",
            f"- waiting to lock {wants}",
            f"com.acme.Pair{number}.first(Pair.java:9)",
            f"- locked {holds}",
            RUN,
        )
        return named("pair", number, frames, BLOCKED)

    (deadlock,) = facts(tmp_path, [[at(1, LOCK, other), at(2, other, LOCK)]]).deadlocks
    told = [
        (one.thread, one.wants_class, one.holds_class, one.holds_id, one.taken_at) for one in deadlock.members
    ]
    assert told == [
        (
            "pair-1",
            "com.acme.Stock",
            "com.acme.Prices",
            "0x00000000f0000072",
            "com.acme.Pair1.first(Pair.java:9)",
        ),
        (
            "pair-2",
            "com.acme.Prices",
            "com.acme.Stock",
            "0x00000000f0000071",
            "com.acme.Pair2.first(Pair.java:9)",
        ),
    ]
    assert deadlock.members[0].frame == "com.acme.Pair1.second(Pair.java:5)"


def hidden(idle: int) -> list[At]:
    waits = (
        PARK,
        "java.util.concurrent.FutureTask.get(FutureTask.java:191)",
        "com.acme.Orders.place(Orders.java:30)",
        f"- locked {LOCK}",
        RUN,
    )
    wants = ("com.acme.Orders.price(Orders.java:50)", f"- waiting to lock {LOCK}", *TASK)
    workers = many("prices", 3, wants, BLOCKED)
    return [
        named("web", 0, waits, WAITING),
        *workers,
        *(named("prices", 10 + n, TAKE, WAITING) for n in range(idle)),
    ]


def test_a_holder_that_waits_for_a_pool_that_wants_its_lock(tmp_path: Path) -> None:
    (found,) = facts(tmp_path, [hidden(0)] * 3).hidden_deadlocks
    assert (found.holder, found.holder_waits, found.pool, len(found.workers)) == (
        "web-0",
        "future",
        "prices",
        3,
    )
    assert (found.samples, found.lock_class, found.taken_at) == (
        3, "com.acme.Stock", "com.acme.Orders.place(Orders.java:30)",
    )  # fmt: skip
    # a thread of the pool that rests would do the work
    assert facts(tmp_path, [hidden(1)] * 3).hidden_deadlocks == ()


@pytest.mark.parametrize(("caller", "found"), [("Breaker", 1), ("Gauge", 0)])
def test_a_task_is_the_holders_by_the_class_that_made_it(caller: str, found: int, tmp_path: Path) -> None:
    waits = (
        PARK,
        "java.util.concurrent.FutureTask.get(FutureTask.java:191)",
        f"org.springframework.cloud.{caller}.run(Breaker.java:12)",
        f"- locked {LOCK}",
        RUN,
    )
    wants = (
        "org.springframework.beans.Registry.find(Registry.java:50)",
        f"- waiting to lock {LOCK}",
        "org.springframework.cloud.Breaker$$Lambda$7/0x0000.call(Unknown Source)",
        *TASK,
    )
    sample = [named("web", 0, waits, WAITING), *many("prices", 3, wants, BLOCKED)]
    assert len(facts(tmp_path, [sample] * 3).hidden_deadlocks) == found


@pytest.mark.parametrize(("grew_ms", "found"), [(2400.0, True), (900.0, False), (0.0, False)])
def test_a_loop_uses_as_much_cpu_time_as_time_goes_by(tmp_path: Path, grew_ms: float, found: bool) -> None:
    samples = [
        [At("mapper", 9, (f"com.acme.Mapper.find(Mapper.java:{40 + n})", RUN), "RUNNABLE", 10 + grew_ms * n)]
        for n in range(4)
    ]
    busy = facts(tmp_path, samples).busy_threads
    assert bool(busy) is found
    if found:
        assert (busy[0].thread, busy[0].share_of_core, busy[0].same_lines) == ("mapper", 0.96, False)


def test_what_a_runner_of_tests_runs_is_no_loop_while_it_moves(tmp_path: Path) -> None:
    samples = [
        [
            At(
                "TEST-1",
                9,
                (
                    f"org.apache.lucene.index.TestWriter.step{number}(TestWriter.java:{number})",
                    "java.lang.reflect.Method.invoke(Method.java:498)",
                    "com.carrotsearch.randomizedtesting.RandomizedRunner.invoke(RandomizedRunner.java:1737)",
                    RUN,
                ),
                cpu=None,
            )
        ]
        for number in range(3)
    ]
    assert facts(tmp_path, samples, every=90).busy_threads == ()


@pytest.mark.parametrize(("threads", "found"), [(4, 1), (2, 0)])
def test_a_pool_of_a_program_that_runs_no_tasks_hangs_in_reads(
    threads: int, found: int, tmp_path: Path
) -> None:
    """Frames of a program whose packages are those of a library; one thread may be meant to read for long."""
    frames = (*HTTP[:6], "org.apache.jmeter.sampler.Http.sample(Http.java:20)", RUN)
    sample = many("Thread Group 1", threads, frames, cpu=None)
    found_stills = facts(tmp_path, [sample] * 5).standstills
    assert [(still.kind, len(still.threads)) for still in found_stills] == [("socket-read", threads)] * found


def test_without_cpu_times_minutes_tell_a_loop(tmp_path: Path) -> None:
    samples = [
        [
            At(
                "mapper",
                9,
                ("java.util.HashMap.get(HashMap.java:303)", "com.acme.M.find(M.java:4)", RUN),
                cpu=None,
            )
        ]
    ] * 3
    assert facts(tmp_path, samples, every=2.5).busy_threads == ()
    (busy,) = facts(tmp_path, samples, every=90).busy_threads
    assert (busy.share_of_core, busy.seconds, busy.frame) == (None, 180.0, "com.acme.M.find(M.java:4)")


@pytest.mark.parametrize(
    ("inner", "line", "cpu", "found"),
    [
        ("computeIfAbsent", (1718, 1718, 1718), None, True),
        # it calls a function of its own there
        ("computeIfAbsent", (1718, 1718, 1660), None, False),
        # a JDK that has CPU times throws
        ("computeIfAbsent", (1718, 1718, 1718), 10.0, False),
        ("get", (936, 936, 936), None, False),
    ],
)
def test_a_map_that_is_changed_within_its_own_change(
    tmp_path: Path, inner: str, line: tuple[int, ...], cpu: float | None, found: bool
) -> None:
    table = "java.util.concurrent.ConcurrentHashMap"
    samples = [
        [
            At(
                "price-tree-1",
                9,
                (
                    f"{table}.{inner}(ConcurrentHashMap.java:{at})",
                    "com.acme.Prices.of(Prices.java:64)",
                    f"{table}.computeIfAbsent(ConcurrentHashMap.java:1660)",
                    "com.acme.Prices.tree(Prices.java:60)",
                    RUN,
                ),
                cpu=cpu,
            )
        ]
        for at in line
    ]
    assert [busy.updates_within for busy in facts(tmp_path, samples).busy_threads] == [True] * found


def test_a_kind_that_grows_with_who_makes_it(tmp_path: Path) -> None:
    runs = ("java.lang.Thread.sleep(Native Method)", "com.acme.Poll.loop(Poll.java:9)", RUN)
    makes = (
        "java.lang.Thread.start0(Native Method)",
        "java.lang.Thread.start(Thread.java:717)",
        "com.acme.Web.ask(Web.java:7)",
        RUN,
    )
    samples = [
        [At("web", 9, makes), *many("poller", 4 + 3 * n, runs, "TIMED_WAITING (sleeping)")] for n in range(4)
    ]
    (grows,) = facts(tmp_path, samples).growing_kinds
    assert (grows.thread, grows.threads) == ("poller-#", (4, 7, 10, 13))
    assert (grows.runs, grows.made_by) == ("com.acme.Poll.loop(Poll.java:9)", "com.acme.Web.ask(Web.java:7)")
    assert facts(tmp_path, [samples[1]] * 4).growing_kinds == ()


MAIN = "com.acme.Application.main(Application.java:12)"


@pytest.mark.parametrize(
    ("frames", "cause"),
    [
        (
            (
                "java.io.FileInputStream.readBytes(Native Method)",
                "sun.security.provider.SeedGenerator$URLSeedGenerator.getSeedBytes(SeedGenerator.java:539)",
                MAIN,
            ),
            "entropy",
        ),
        (
            ("java.net.PlainSocketImpl.socketConnect(Native Method)", "com.acme.Db.open(Db.java:4)", MAIN),
            "unreachable",
        ),
        (
            (
                "com.acme.Codes.of(Codes.java:4)",
                "- waiting on the Class initialization monitor for com.acme.Codes",
                MAIN,
            ),
            "class-initialisation",
        ),
        (("java.lang.Thread.sleep(Native Method)", MAIN), None),
        (("java.lang.Object.wait(Native Method)", "java.lang.Thread.join(Thread.java:1252)", MAIN), None),
    ],
)
def test_what_a_start_waits_for(tmp_path: Path, frames: tuple[str, ...], cause: str | None) -> None:
    wait = facts(tmp_path, [[At("main", 1, frames)]] * 4).start_wait
    assert (wait.cause if wait else None) == cause
    if wait:
        assert (wait.samples, wait.seconds) == (4, 7.5)


def test_an_event_loop_that_waits_for_an_answer(tmp_path: Path) -> None:
    loop = ("io.netty.channel.nio.NioEventLoop.run(NioEventLoop.java:493)", RUN)
    rests = (
        "sun.nio.ch.EPollArrayWrapper.epollWait(Native Method)",
        "io.netty.channel.nio.NioEventLoop.select(NioEventLoop.java:813)",
        *loop,
    )
    asks = (
        PARK,
        "java.util.concurrent.CompletableFuture.get(CompletableFuture.java:1908)",
        "com.acme.Gate.check(Gate.java:9)",
        *loop,
    )
    sample = [named("nioEventLoopGroup-2", 1, asks, WAITING), named("nioEventLoopGroup-2", 2, rests)]
    (found,) = facts(tmp_path, [sample] * 4).blocked_loops
    assert (found.thread, found.doing, found.samples, found.pool_size) == (
        "nioEventLoopGroup-2-1",
        "future",
        4,
        2,
    )
    assert found.frame == "com.acme.Gate.check(Gate.java:9)"


@pytest.mark.parametrize(
    ("name", "waits", "loop"),
    [
        # the thread of a logger, by its name; the first frames of the holder were cut off
        (
            "AsyncAppender-Dispatcher-Thread-0",
            ("org.apache.log4j.AsyncAppender.append(AsyncAppender.java:190)",),
            (),
        ),
        ("ASYNC_LOGGER", ("org.eclipse.jetty.util.log.Slf4jLog.debug(Slf4jLog.java:89)",), ()),
        # a queue of the application, by the class that fills and empties it
        (
            "mail-sender",
            (
                PARK,
                "java.util.concurrent.ArrayBlockingQueue.put(ArrayBlockingQueue.java:353)",
                "com.acme.Outbox.add(Outbox.java:20)",
            ),
            ("com.acme.Outbox$Sender.run(Outbox.java:44)", RUN),
        ),
    ],
)
def test_the_holder_waits_for_room_that_who_wants_its_lock_makes(
    tmp_path: Path, name: str, waits: tuple[str, ...], loop: tuple[str, ...]
) -> None:
    holder = At("web-1", 11, (*waits, "com.acme.Shop.sell(Shop.java:5)", f"- locked {LOCK}", RUN), WAITING)
    empties = At(name, 12, ("com.acme.Shop.toString(Shop.java:9)", f"- waiting to lock {LOCK}", *loop), BLOCKED)
    (found,) = facts(tmp_path, [[holder, empties]] * 3).hidden_deadlocks
    assert (found.holder, found.pool, found.for_room, found.samples) == ("web-1", name, True, 3)
    other = At("other", 12, empties.frames[:2], BLOCKED)
    assert facts(tmp_path, [[holder, other]] * 3).hidden_deadlocks == ()


PREAD = ("com.disks.Lib.pread(Native Method)", "com.acme.Files.next(Files.java:8)", *TASK)


@pytest.mark.parametrize(("grew_ms", "found"), [(0.0, True), (4000.0, False)])
def test_a_task_in_native_code_without_processor_time_hangs(
    grew_ms: float, found: bool, tmp_path: Path
) -> None:
    samples = [many("disk", 4, PREAD, cpu=5.0 + grew_ms * index) for index in range(5)]
    rules = {one.rule for one in report(tmp_path, samples).findings}
    assert ("threads-stuck" in rules) is found


def test_a_holder_in_one_call_is_told_though_who_waits_has_just_come(tmp_path: Path) -> None:
    """The library's own thread would rest in a latch; the object of its call is the same in both dumps."""
    sync = "<0x00000000f0000091> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)"
    latch = "<0x00000000f0000092> (a java.util.concurrent.CountDownLatch$Sync)"
    warm = (
        PARK,
        f"- parking to wait for  {latch}",
        "java.util.concurrent.CountDownLatch.await(CountDownLatch.java:231)",
        "org.elasticsearch.index.IndexWarmer.warm(IndexWarmer.java:68)",
        *TASK,
    )
    refresh = (
        PARK,
        f"- parking to wait for  {sync}",
        "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:285)",
        "org.elasticsearch.index.engine.InternalEngine.refresh(InternalEngine.java:1888)",
        *TASK,
    )
    holder = At("refresh-1", 7, warm, WAITING, None, synchronizers=(sync,))
    late = [At(f"refresh-{at}", at + 7, refresh, WAITING, None) for at in (2, 3)]
    found = report(tmp_path, [[holder], [holder, *late]], every=200.0).findings
    (told,) = [one for one in found if one.rule == "threads-stuck"]
    assert told.evidence["held_up"] == 2
    assert told.evidence["threads"] == ("refresh-1",)


@pytest.mark.parametrize(("counts", "found"), [((3, 4, 5, 6, 6), True), ((3, 4, 2, 6, 3), False)])
def test_a_queue_that_only_grows_behind_one_owner(counts: tuple[int, ...], found: bool, tmp_path: Path) -> None:
    """Without CPU times nothing tells whether the owner moves; nobody before it ever got the lock."""
    root = "<0x00000000f0000081> (a org.apache.log4j.spi.RootLogger)"
    write = (
        "java.io.FileOutputStream.writeBytes(Native Method)",
        "org.apache.log4j.ConsoleAppender.append(ConsoleAppender.java:201)",
        "org.apache.log4j.Category.callAppenders(Category.java:206)",
        f"- locked {root}",
        "com.acme.Audit.note(Audit.java:44)",
        RUN,
    )
    want = (
        "org.apache.log4j.Category.callAppenders(Category.java:205)",
        f"- waiting to lock {root}",
        "com.acme.Audit.note(Audit.java:44)",
        RUN,
    )
    owner = At("claims-99", 99, write, "RUNNABLE", None)
    samples = [[owner, *many("claims", count, want, BLOCKED, None)] for count in counts]
    rules = {one.rule for one in report(tmp_path, samples, every=57.0).findings}
    assert ("lock-convoy" in rules) is found


@pytest.mark.parametrize(("cpu", "found"), [(90_000.0, True), (9_000.0, False)])
def test_one_dump_tells_a_thread_that_computed_all_its_life(cpu: float, found: bool, tmp_path: Path) -> None:
    """The dumps of the helper say that threads are 100 s old."""
    infer = At(
        "compiler", 7, ("com.acme.Types.infer(Types.java:8)", "com.acme.Main.main(Main.java:2)"), cpu=cpu
    )
    told = [one for one in report(tmp_path, [[infer]]).findings if one.rule == "busy-loop"]
    assert [(str(one.severity), one.evidence["share_of_core"]) for one in told] == [("info", 0.9)] * found


TOMCAT = (
    "org.apache.tomcat.util.threads.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1191)",
    "org.apache.tomcat.util.threads.ThreadPoolExecutor$Worker.run(ThreadPoolExecutor.java:659)",
    RUN,
)
HTTP_CALL = (
    "sun.net.www.http.HttpClient.parseHTTPHeader(HttpClient.java:826)",
    "com.acme.Client.call(Client.java:48)",
)
METADATA = (
    "java.lang.Object.wait(Native Method)",
    "org.apache.kafka.clients.producer.internals.ProducerMetadata.awaitUpdate(ProducerMetadata.java:120)",
    "org.apache.kafka.clients.producer.KafkaProducer.send(KafkaProducer.java:849)",
    "com.acme.Orders.publish(Orders.java:94)",
)
RECEIVE = (
    "java.lang.Object.wait(Native Method)",
    "com.ibm.msg.client.jms.internal.JmsMessageConsumerImpl.receive(JmsMessageConsumerImpl.java:30)",
    "com.acme.Orders.loop(Orders.java:31)",
)
FINALIZE = (
    "java.lang.ref.Finalizer.runFinalizer(Finalizer.java:102)",
    "java.lang.ref.Finalizer$FinalizerThread.run(Finalizer.java:217)",
)


def told(tmp_path: Path, sample: list[At]) -> list[tuple[str, str]]:
    found = report(tmp_path, [sample] * 5).findings
    return [(one.rule, one.severity) for one in found if one.rule == "threads-stuck"]


@pytest.mark.parametrize(
    ("frames", "state", "severities"),
    [
        ((*READ, *HTTP_CALL, *TOMCAT), "RUNNABLE", ["error"]),
        ((*METADATA, *TOMCAT), "WAITING (on object monitor)", ["warning"]),
        ((*RECEIVE, *TOMCAT), "WAITING (on object monitor)", []),
    ],
)
def test_a_pool_of_a_server_with_an_executor_of_its_own(
    tmp_path: Path, frames: tuple[str, ...], state: str, severities: list[str]
) -> None:
    sample = [*many("http-nio-8080-exec", 6, frames, state), *many("select", 1, SELECT)]
    assert [severity for _, severity in told(tmp_path, sample)] == severities


@pytest.mark.parametrize("cpu", [5.0, None])
def test_a_finalizer_that_hangs_holds_up_all_others(tmp_path: Path, cpu: float | None) -> None:
    hangs = At("Finalizer", 3, (*READ, "com.acme.Session.finalize(Session.java:9)", *FINALIZE), "RUNNABLE", cpu)
    assert told(tmp_path, [hangs]) == [("threads-stuck", "warning")]
    rests = At("Finalizer", 3, ("java.lang.ref.ReferenceQueue.remove(ReferenceQueue.java:144)", *FINALIZE[1:]))
    assert told(tmp_path, [rests]) == []


CLOSES_ANSWER = (
    PARK,
    "java.util.concurrent.locks.LockSupport.park(LockSupport.java:175)",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await(AbstractQueuedSynchronizer.java:2039)",
    "org.eclipse.jetty.util.SharedBlockingCallback$Blocker.block(SharedBlockingCallback.java:218)",
    "org.eclipse.jetty.server.HttpOutput.close(HttpOutput.java:575)",
    "com.acme.Page.doGet(Page.java:51)",
    *JETTY,
)


@pytest.mark.parametrize(("other", "found"), [(SELECT, 1), (TAKE, 0), ((*READ, *HTTP_CALL, *JETTY), 0)])
def test_a_thread_that_takes_events_in_for_its_pool_is_not_free(
    tmp_path: Path, other: tuple[str, ...], found: int
) -> None:
    """Requests wait for clients that take no answer, and one thread of their pool selects, rests, or is elsewhere."""
    sample = [*many("qtp7", 9, CLOSES_ANSWER, WAITING), named("qtp7", 10, other)]
    told = [one for one in report(tmp_path, [sample]).findings if one.rule == "threads-stuck"]
    assert [(one.cause, str(one.severity)) for one in told] == [("hangs-or-slow", "warning")] * found


SESSION_READS = (
    "java.net.SocketInputStream.socketRead0(Native Method)",
    "java.net.SocketInputStream.read(SocketInputStream.java:171)",
    "com.jcraft.jsch.IO.getByte(IO.java:82)",
    "com.jcraft.jsch.Session.read(Session.java:934)",
)


def test_readers_of_open_sessions_are_no_threads_at_work(tmp_path: Path) -> None:
    """Forty sessions whose readers wait for packets make those who want a lock no smaller a part of who works."""
    enter = ("com.acme.Scope.get(Scope.java:104)", f"- waiting to lock {LOCK}", *TASK)
    reads = (
        "java.lang.Object.wait(Native Method)",
        "java.io.PipedInputStream.read(PipedInputStream.java:326)",
        "com.jcraft.jsch.ChannelSftp.fill(ChannelSftp.java:2909)",
        "com.acme.Files.open(Files.java:9)",
        f"- locked {LOCK}",
        *TASK,
    )
    at_work = [*many("step", 10, enter, BLOCKED), named("step", 11, reads, "TIMED_WAITING (on object monitor)")]

    def of(*end: str) -> list[Finding]:
        sessions = many("Connect thread files.example", 40, (*SESSION_READS, *end))
        found = report(tmp_path, [[*at_work, *sessions]]).findings
        return [one for one in found if one.rule == "lock-convoy"]

    (told,) = of("com.jcraft.jsch.Session.run(Session.java:1417)", RUN)
    assert str(told.severity) == "warning"
    assert any(
        "waits for the other end of a pipe at Files.open" in english()(line) for line in told.explanation
    )
    login = ("com.jcraft.jsch.Session.connect(Session.java:263)", "com.acme.Files.login(Files.java:5)", RUN)
    assert of(*login) == []
