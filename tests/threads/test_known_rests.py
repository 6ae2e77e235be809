"""One dump in which every thread is known to wait for work shows that none hangs; what is not known leaves it open."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.config import Settings
from mqdiag.diagnose.stacks import diagnose_stacks, read_paths
from mqdiag.errors import InputError
from mqdiag.language import english
from mqdiag.progress import Silent
from mqdiag.threads.facts import stacks_facts
from tests.layers import one_in
from tests.threads.real_series import packed_series

HEAD = "2026-11-23 05:52:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):\n\n"
END = "JNI global refs: 5, weak refs: 0\n\n"
JVM = '"Signal Dispatcher" #4 daemon prio=9 os_prio=0 tid=0x00007f00100400 nid=0x14 runnable\n\n'
LISTENS = (
    "sun.nio.ch.EPoll.wait(Native Method)",
    "sun.nio.ch.SelectorImpl.select(SelectorImpl.java:146)",
    "org.apache.tomcat.util.net.NioEndpoint$Poller.run(NioEndpoint.java:758)",
)
RESTS = (
    "jdk.internal.misc.Unsafe.park(Native Method)",
    "java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:435)",
    "org.apache.tomcat.util.threads.TaskQueue.take(TaskQueue.java:117)",
    "java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1062)",
    "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1122)",
)
IN_A_POOL = ("java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1122)",)
HANGS = {
    "own wait": (
        "java.lang.Object.wait(Native Method)",
        "com.acme.Shop.awaitStock(Shop.java:31)",
    ),
    "own sleep": ("java.lang.Thread.sleep(Native Method)", "com.acme.Shop.tryAgain(Shop.java:31)"),
    "own latch": (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.CountDownLatch.await(CountDownLatch.java:230)",
        "com.acme.Shop.begin(Shop.java:31)",
    ),
    "full queue": (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.LinkedBlockingQueue.put(LinkedBlockingQueue.java:343)",
        "com.acme.Shop.hand(Shop.java:31)",
    ),
    "own queue": (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:435)",
        "com.acme.Shop.answer(Shop.java:31)",
    ),
    "latch of a task": (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.CountDownLatch.await(CountDownLatch.java:230)",
        "org.springframework.scheduling.Round.run(Round.java:31)",
        *IN_A_POOL,
    ),
    "call of a kept connection": (
        "sun.nio.ch.Net.poll(Native Method)",
        "java.io.FilterInputStream.read(FilterInputStream.java:71)",
        "sun.rmi.transport.StreamRemoteCall.executeCall(StreamRemoteCall.java:240)",
        "sun.rmi.transport.tcp.TCPTransport.handleMessages(TCPTransport.java:569)",
    ),
    "answer in a selector": (
        "sun.nio.ch.EPoll.wait(Native Method)",
        "sun.nio.ch.SelectorImpl.select(SelectorImpl.java:147)",
        "org.gradle.internal.remote.internal.inet.SocketConnection$SocketInputStream.read(SocketConnection.java:187)",
        "org.gradle.launcher.daemon.client.DaemonClient.monitorBuild(DaemonClient.java:246)",
    ),
    "future": (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.CompletableFuture.get(CompletableFuture.java:2072)",
        "org.springframework.web.Gate.run(Gate.java:31)",
    ),
}


def _thread(name: str, frames: tuple[str, ...], number: int, state: str = "WAITING (parking)") -> str:
    shown = "".join(f"\tat {frame}\n" for frame in (*frames, "java.lang.Thread.run(Thread.java:840)"))
    head = (
        f'"{name}" #{number} daemon prio=5 tid=0x00007f0010{number:04} nid=0x{number:x} waiting on condition\n'
    )
    return f"{head}   java.lang.Thread.State: {state}\n{shown}\n"


SERVER = _thread("http-nio-8080-Poller", LISTENS, 20, "RUNNABLE") + "".join(
    _thread(f"http-nio-8080-exec-{number}", RESTS, 20 + number) for number in (1, 2, 3)
)


def _answer(folder: Path, text: str) -> tuple[str, str]:
    (folder / "jstack.txt").write_text(text)
    answer = diagnose_stacks([folder / "jstack.txt"]).report.answer
    assert answer is not None
    return answer.state, f"{english()(answer.text)} {english()(answer.reason)}"


def test_a_server_of_which_every_thread_waits_for_work(tmp_path: Path) -> None:
    state, words = _answer(tmp_path, HEAD + SERVER + JVM + END)
    assert state == "healthy"
    assert "as far as one dump shows: 4 threads wait for work" in words
    assert "check that they come from the right process" in words


def test_a_thread_that_ended_its_work_rests_as_well_as_one_that_had_none(tmp_path: Path) -> None:
    works = ("java.util.HashMap.get(HashMap.java:555)", "com.acme.Shop.sell(Shop.java:31)", *IN_A_POOL)
    busy = SERVER + _thread("http-nio-8080-exec-4", works, 24, "RUNNABLE")
    rests = SERVER + _thread("http-nio-8080-exec-4", RESTS, 24)
    later = HEAD.replace("05:52:00", "05:52:12")
    assert _answer(tmp_path, HEAD + busy + JVM + END + later + rests + JVM + END)[0] == "healthy"
    assert _answer(tmp_path, HEAD + rests + JVM + END + later + busy + JVM + END)[0] == "undecided"


@pytest.mark.parametrize("frames", HANGS.values(), ids=HANGS)
def test_a_wait_that_may_be_another_one_leaves_it_open(frames: tuple[str, ...], tmp_path: Path) -> None:
    state, words = _answer(tmp_path, HEAD + SERVER + _thread("stock-keeper", frames, 90) + JVM + END)
    assert state == "undecided"
    assert "does not show whether stock-keeper hangs" in words


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(SERVER + JVM, id="a paste of single threads"),
        pytest.param(HEAD + SERVER + JVM, id="a dump without its end"),
        pytest.param(HEAD + SERVER + END, id="no thread of the JVM"),
        pytest.param(
            HEAD + SERVER.partition('"http-nio-8080-exec-1"')[2] + JVM + END, id="the half of a thread"
        ),
        pytest.param(HEAD + SERVER[SERVER.index('"http-nio-8080-exec-1"') :] + JVM + END, id="nothing listens"),
        pytest.param(
            HEAD + SERVER + JVM.replace("Signal Dispatcher", "VirtualThread-unparker") + JVM + END,
            id="virtual threads are hidden",
        ),
        pytest.param(
            HEAD + SERVER.replace("http-nio-8080-exec", "ConsumeMessageThread_G") + JVM + END, id="names alone"
        ),
    ],
)
def test_a_part_of_the_threads_leaves_it_open(text: str, tmp_path: Path) -> None:
    assert _answer(tmp_path, text)[0] == "undecided"


def test_a_thread_that_takes_the_dump_is_at_work_for_it_alone(tmp_path: Path) -> None:
    asks = (
        "sun.management.ThreadImpl.dumpThreads0(Native Method)",
        "com.acme.Page.threads(Page.java:31)",
        *IN_A_POOL,
    )
    assert (
        _answer(tmp_path, HEAD + SERVER + _thread("exec-9", asks, 90, "RUNNABLE") + JVM + END)[0] == "healthy"
    )
    asks = asks[1:]
    assert (
        _answer(tmp_path, HEAD + SERVER + _thread("exec-9", asks, 90, "RUNNABLE") + JVM + END)[0] == "undecided"
    )


STUCK = [path for path in packed_series() if "-stuck" in path.parent.name or "dead" in path.parent.name]


@pytest.mark.parametrize("path", one_in(25, STUCK, name=lambda path: f"{path.parent.name}-{path.name}"))
def test_no_moment_of_a_standstill_looks_like_rest(path: Path) -> None:
    for _, result in read_paths([str(path)], Settings(), Silent()):
        assert not isinstance(result, InputError)
        for sample in result.samples:
            assert not stacks_facts([sample]).shows_standstills


def test_a_thread_of_the_jvm_rests_while_a_child_process_lives(tmp_path: Path) -> None:
    waits = ("java.lang.ProcessHandleImpl.waitForProcessExit0(Native Method)",)
    reaper = _thread("process reaper (pid 4711)", waits, 91, "RUNNABLE")
    assert _answer(tmp_path, HEAD + SERVER + reaper + JVM + END)[0] == "healthy"
    finalizes = _thread("Finalizer", ("com.acme.Handle.finalize(Handle.java:9)",), 91, "RUNNABLE")
    assert _answer(tmp_path, HEAD + SERVER + finalizes + JVM + END)[0] == "undecided"


PRINTS = (
    "jdk.internal.misc.Unsafe.park(Native Method)",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await(AbstractQueuedSynchronizer.java:1707)",
    "com.acme.Printer.inTurn(Printer.java:31)",
)
JOINS = (
    "java.lang.Object.wait(Native Method)",
    "java.lang.Thread.join(Thread.java:1252)",
    "com.acme.Printer.main(Printer.java:9)",
)
PRINTERS = "".join(_thread(f"Thread-{number}", PRINTS, 40 + number) for number in (0, 1))


@pytest.mark.parametrize(
    "threads",
    [
        PRINTERS,
        PRINTERS + _thread("joins-them", JOINS, 90),
        *(_thread("a", HANGS[way], 40) + _thread("b", HANGS[way], 41) for way in ("full queue", "own queue")),
    ],
)
def test_a_process_in_which_nobody_is_left_to_wake_anybody(threads: str, tmp_path: Path) -> None:
    state, words = _answer(tmp_path, HEAD + threads + JVM + END)
    assert state == "fault"
    assert "none is left that could wake one" in words


def test_one_thread_that_only_a_pool_at_rest_could_wake(tmp_path: Path) -> None:
    pool = _thread("pool-1-thread-1", RESTS, 90)
    state, words = _answer(tmp_path, HEAD + _thread("main", HANGS["own latch"], 40) + pool + JVM + END)
    assert state == "fault"
    assert "is left that could wake it" in words
    ended = _thread("DestroyJavaVM", (), 12, "RUNNABLE").replace(
        "\tat java.lang.Thread.run(Thread.java:840)\n", ""
    )
    alone = _thread("consumer", HANGS["own wait"], 40) + JVM + END
    assert _answer(tmp_path, HEAD + ended + alone)[0] == "fault"
    assert _answer(tmp_path, HEAD + alone)[0] == "undecided"
    # it keeps the JVM alive until a signal
    assert _answer(tmp_path, HEAD + _thread("main", JOINS, 40) + pool + JVM + END)[0] == "undecided"


@pytest.mark.parametrize(
    "more",
    [
        pytest.param(_thread("Timer-0", RESTS, 90), id="a pool rests"),
        pytest.param(_thread("Timer-0", RESTS, 90, "TIMED_WAITING (parking)"), id="a pool waits with a limit"),
        pytest.param(_thread("Thread-9", HANGS["own sleep"], 90, "TIMED_WAITING (sleeping)"), id="one sleeps"),
        pytest.param(_thread("Thread-9", PRINTS, 90, "TIMED_WAITING (parking)"), id="one waits with a limit"),
        pytest.param(
            _thread("Thread-9", ("com.acme.Printer.print(Printer.java:9)",), 90, "RUNNABLE"), id="one works"
        ),
        pytest.param(_thread("Thread-9", LISTENS, 90, "RUNNABLE"), id="one listens"),
    ],
)
def test_whoever_may_wake_them_leaves_it_open(more: str, tmp_path: Path) -> None:
    assert _answer(tmp_path, HEAD + PRINTERS + more + JVM + END)[0] == "undecided"
    assert _answer(tmp_path, PRINTERS + JVM)[0] == "undecided"


REAPER = _thread(
    "RMI Reaper",
    (
        "java.lang.ref.ReferenceQueue.remove(ReferenceQueue.java:176)",
        "sun.rmi.transport.ObjectTable$Reaper.run(ObjectTable.java:351)",
    ),
    60,
)
WINDOW = _thread(
    "AWT-EventQueue-0",
    (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await(AbstractQueuedSynchronizer.java:1712)",
        "java.awt.EventQueue.getNextEvent(EventQueue.java:573)",
        "java.awt.EventDispatchThread.run(EventDispatchThread.java:92)",
    ),
    61,
)
CONSOLE = _thread(
    "JMX server connection timeout 62",
    (
        "java.lang.Object.wait(Native Method)",
        "com.sun.jmx.remote.internal.ServerCommunicatorAdmin$Timeout.run(ServerCommunicatorAdmin.java:171)",
    ),
    62,
    "TIMED_WAITING (on object monitor)",
)
POOL = "".join(_thread(f"pool-1-thread-{number}", RESTS, 30 + number) for number in (1, 2))


def test_work_comes_from_calls_of_exported_objects(tmp_path: Path) -> None:
    assert _answer(tmp_path, HEAD + POOL + REAPER + JVM + END)[0] == "healthy"
    for comes in ("", WINDOW, CONSOLE, REAPER + CONSOLE):
        assert _answer(tmp_path, HEAD + POOL + comes + JVM + END)[0] == "undecided"


OWN_LOOPS = {
    "listener for other addresses": (
        "sun.net.dns.ResolverConfigurationImpl.notifyAddrChange0(Native Method)",
        "sun.net.dns.ResolverConfigurationImpl$AddressChangeListener.run(ResolverConfigurationImpl.java:176)",
    ),
    "events of windows": (
        "com.sun.glass.ui.gtk.GtkApplication._runLoop(Native Method)",
        "com.sun.glass.ui.gtk.GtkApplication.lambda$runLoop$11(GtkApplication.java:139)",
    ),
    "accepts at a socket in the file system": (
        "sun.nio.ch.UnixDomainSockets.accept0(Native Method)",
        "sun.nio.ch.ServerSocketChannelImpl.accept(ServerSocketChannelImpl.java:399)",
        "org.apache.thrift.server.TThreadPoolServer.serve(TThreadPoolServer.java:149)",
    ),
    "next call of a Thrift connection": (
        "sun.nio.ch.SocketDispatcher.read0(Native Method)",
        "org.apache.thrift.transport.TIOStreamTransport.read(TIOStreamTransport.java:170)",
        "org.apache.thrift.protocol.TBinaryProtocol.readMessageBegin(TBinaryProtocol.java:271)",
        "org.apache.thrift.TBaseProcessor.process(TBaseProcessor.java:27)",
        *IN_A_POOL,
    ),
    "next packet of a session": (
        "java.net.SocketInputStream.socketRead0(Native Method)",
        "com.jcraft.jsch.IO.getByte(IO.java:82)",
        "com.jcraft.jsch.Session.read(Session.java:934)",
        "com.jcraft.jsch.Session.run(Session.java:1417)",
    ),
    "end of a connection for logs": (
        "java.net.SocketInputStream.socketRead0(Native Method)",
        "java.net.SocketInputStream.read(SocketInputStream.java:224)",
        "net.logstash.logback.appender.AbstractLogstashTcpSocketAppender$TcpSendingEventHandler$ReaderRunnable.run(A.java:9)",
        *IN_A_POOL,
    ),
    "connections of Informix that nobody uses": (
        "sun.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.DelayQueue.poll(DelayQueue.java:273)",
        "com.informix.jdbc.IfxSqliConnect$IfxSqliConnectCleaner.run(IfxSqliConnect.java:642)",
        *IN_A_POOL,
    ),
    "next request of a web server in front, Tomcat 7": (
        "java.net.SocketInputStream.socketRead0(Native Method)",
        "java.net.SocketInputStream.read(SocketInputStream.java:152)",
        "org.apache.coyote.ajp.AjpProcessor.read(AjpProcessor.java:1114)",
        "org.apache.coyote.ajp.AjpProcessor.readMessage(AjpProcessor.java:1196)",
        "org.apache.coyote.ajp.AjpProcessor.process(AjpProcessor.java:436)",
        "org.apache.tomcat.util.net.JIoEndpoint$Worker.run(JIoEndpoint.java:920)",
    ),
    "next request of a web server in front, Tomcat 6": (
        "java.net.SocketInputStream.socketRead0(Native Method)",
        "java.net.SocketInputStream.read(SocketInputStream.java:129)",
        "org.apache.jk.common.ChannelSocket.read(ChannelSocket.java:628)",
        "org.apache.jk.common.ChannelSocket.receive(ChannelSocket.java:566)",
        "org.apache.jk.common.ChannelSocket.processConnection(ChannelSocket.java:693)",
        "org.apache.tomcat.util.threads.ThreadPool$ControlRunnable.run(ThreadPool.java:690)",
    ),
    "changes of files, Linux": (
        "sun.nio.fs.LinuxWatchService.poll(Native Method)",
        "sun.nio.fs.LinuxWatchService$Poller.run(LinuxWatchService.java:306)",
    ),
    "takes the dump, in OpenJ9": (
        "openj9.internal.tools.attach.target.DiagnosticUtils.dumpAllThreadsImpl(Native Method)",
        "openj9.internal.tools.attach.target.Attachment.run(Attachment.java:150)",
    ),
}


def _with_helper(frames: tuple[str, ...]) -> str:
    state = "TIMED_WAITING (parking)" if "park" in frames[0] else "RUNNABLE"
    return HEAD + SERVER + _thread("helper", frames, 90, state) + JVM + END


@pytest.mark.parametrize("frames", OWN_LOOPS.values(), ids=OWN_LOOPS)
def test_what_libraries_wait_for_in_loops_of_their_own(frames: tuple[str, ...], tmp_path: Path) -> None:
    assert _answer(tmp_path, _with_helper(frames))[0] == "healthy"


@pytest.mark.parametrize("loop", ["next call of a Thrift connection", "next packet of a session"])
def test_code_of_the_user_above_such_a_loop_is_no_rest(loop: str, tmp_path: Path) -> None:
    top, *others = OWN_LOOPS[loop]
    assert _answer(tmp_path, _with_helper((top, "com.acme.Shop.ask(Shop.java:31)", *others)))[0] == "undecided"


AWAITS_END = _thread(
    "server",
    (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.CountDownLatch.await(CountDownLatch.java:232)",
        "reactor.core.publisher.BlockingSingleSubscriber.blockingGet(BlockingSingleSubscriber.java:87)",
        "reactor.core.publisher.Mono.block(Mono.java:1678)",
        "org.springframework.boot.web.embedded.netty.NettyWebServer$1.run(NettyWebServer.java:138)",
    ),
    63,
)
LOOP = _thread(
    "reactor-http-epoll-1",
    (
        "io.netty.channel.epoll.Native.epollWait(Native Method)",
        "io.netty.channel.epoll.EpollEventLoop.run(EpollEventLoop.java:347)",
    ),
    64,
    "RUNNABLE",
)


def test_requests_without_a_thread_of_their_own_leave_it_open(tmp_path: Path) -> None:
    state, words = _answer(tmp_path, HEAD + AWAITS_END + LOOP + JVM + END)
    assert state == "undecided"
    assert "a request of this server has no thread while it waits" in words
    # loops alone may be those of a client
    assert _answer(tmp_path, HEAD + SERVER + LOOP + JVM + END)[0] == "healthy"


def test_native_threads_of_the_jvm_that_never_show_a_frame_rest(tmp_path: Path) -> None:
    native = "".join(
        JVM.replace("Signal Dispatcher", name)
        for name in ("AWT-AppKit", "Low Memory Detector", "CompilerThread1", "Surrogate Locker Thread (CMS)")
    ).replace("runnable\n", "runnable\n   java.lang.Thread.State: RUNNABLE\n")
    assert _answer(tmp_path, HEAD + SERVER + native + END)[0] == "healthy"
    of_nobody = native.replace("AWT-AppKit", "render-loop")
    assert _answer(tmp_path, HEAD + SERVER + of_nobody + END)[0] == "undecided"


def test_every_thread_of_many_libraries_rests() -> None:
    """A new version whose threads wait elsewhere shows here who does."""
    dump = Path(__file__).parents[2] / "fixtures" / "at-rest" / "many-libraries-jdk17.txt.gz"
    report = diagnose_stacks([dump]).report
    assert report.stacks is not None
    rests = report.stacks.known_rests
    assert rests is not None
    assert (rests.threads, rests.other_names) == (127, ())
    assert report.answer is not None
    assert report.answer.state == "healthy"


@pytest.mark.parametrize(("threads", "state"), [(12, "undecided"), (4, "healthy")])
def test_many_that_wait_in_one_place_may_wait_for_each_other(threads: int, state: str, tmp_path: Path) -> None:
    meets = (
        "java.lang.Object.wait(Native Method)",
        "org.apache.jmeter.timers.SyncTimer.delay(SyncTimer.java:90)",
    )
    group = "".join(
        _thread(f"Voucher 1-{number}", meets, 100 + number, "WAITING (on object monitor)")
        for number in range(threads)
    )
    answer, words = _answer(tmp_path, HEAD + SERVER + group + JVM + END)
    assert answer == state
    told = f"{threads} threads wait without a limit at org.apache.jmeter.timers.SyncTimer.delay"
    assert (told in words) is (state == "undecided")


WAIT = "java.lang.Object.wait(Native Method)"
PARK = "java.util.concurrent.locks.LockSupport.parkNanos(LockSupport.java:252)"
READ = "sun.nio.ch.SocketDispatcher.read0(Native Method)"
OF_SERVERS = {
    "kafka-network": (
        "sun.nio.ch.EPoll.wait(Native Method)",
        "org.apache.kafka.common.network.Selector.poll(Selector.java:465)",
        "kafka.network.Processor.poll(SocketServer.scala:913)",
    ),
    "zookeeper-commit": (
        WAIT,
        "org.apache.zookeeper.server.quorum.CommitProcessor.run(CommitProcessor.java:174)",
    ),
    "zookeeper-follower": (
        READ,
        "java.io.DataInputStream.readInt(DataInputStream.java:387)",
        "org.apache.jute.BinaryInputArchive.readInt(BinaryInputArchive.java:63)",
        "org.apache.zookeeper.server.quorum.QuorumPacket.deserialize(QuorumPacket.java:83)",
        "org.apache.jute.BinaryInputArchive.readRecord(BinaryInputArchive.java:103)",
        "org.apache.zookeeper.server.quorum.Learner.readPacket(Learner.java:153)",
        "org.apache.zookeeper.server.quorum.QuorumPeer.run(QuorumPeer.java:937)",
    ),
    "hadoop-client": (WAIT, "org.apache.hadoop.ipc.Client$Connection.waitForWork(Client.java:1034)"),
    "hbase-handler": (
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.Semaphore.acquire(Semaphore.java:312)",
        "org.apache.hadoop.hbase.ipc.FastPathRpcHandler.getCallRunner(FastPathRpcHandler.java:58)",
    ),
    "cassandra-log": (
        PARK,
        "java.util.concurrent.Semaphore.tryAcquire(Semaphore.java:409)",
        "org.apache.cassandra.db.commitlog.AbstractCommitLogService$SyncRunnable.sync(A.java:200)",
    ),
    "websphere": (
        WAIT,
        "com.ibm.ws.util.BoundedBuffer.take(BoundedBuffer.java:557)",
        "com.ibm.ws.util.ThreadPool.getTask(ThreadPool.java:863)",
    ),
    "jenkins-channel": (
        READ,
        "hudson.remoting.ChunkedInputStream.readHeader(ChunkedInputStream.java:72)",
        "hudson.remoting.AbstractSynchronousByteArrayCommandTransport.read(A.java:34)",
        "hudson.remoting.SynchronousCommandTransport$ReaderThread.run(SynchronousCommandTransport.java:59)",
    ),
    "glassfish": (
        WAIT,
        "com.sun.enterprise.web.connector.grizzly.LinkedListPipeline.getTask(LinkedListPipeline.java:291)",
    ),
    "game-server": (
        PARK,
        "net.minecraft.util.thread.BlockableEventLoop.waitForTasks(BlockableEventLoop.java:150)",
        "net.minecraft.server.MinecraftServer.runServer(MinecraftServer.java:1)",
    ),
}


@pytest.mark.parametrize("frames", OF_SERVERS.values(), ids=OF_SERVERS)
def test_threads_of_servers_rest_where_their_source_waits_for_work(
    frames: tuple[str, ...], tmp_path: Path
) -> None:
    state = "RUNNABLE" if "Native" in frames[0] and "wait" not in frames[0] else "WAITING (on object monitor)"
    many = "".join(_thread(f"Server worker-{number}", frames, 100 + number, state) for number in range(12))
    assert _answer(tmp_path, HEAD + SERVER + many + JVM + END)[0] == "healthy"
    # with code of the application above it, it does that work
    busy = ("java.lang.Object.wait(Native Method)", "com.acme.Shop.awaitStock(Shop.java:31)", *frames[1:])
    one = _thread("Server worker-90", busy, 300, "WAITING (on object monitor)")
    assert _answer(tmp_path, HEAD + SERVER + many + one + JVM + END)[0] != "healthy"
