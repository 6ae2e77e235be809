"""Library and cause by the frames between the wait and the user's code; stacks as their issues show them."""

from __future__ import annotations

import pytest

from mqdiag.knowledge.lookup import all_libraries
from mqdiag.knowledge.own_code import is_own
from mqdiag.read.stacks.body import parse_stack
from mqdiag.threads.cause_of_wait import cause_of_wait
from mqdiag.threads.roles import CONSUME_WORKER
from mqdiag.threads.stack_meaning import meaning_of
from tests.folded import folded

PARK = ("jdk.internal.misc.Unsafe.park", "java.util.concurrent.locks.LockSupport.park")
AWAIT = (*PARK, "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await")
READ = ("java.net.SocketInputStream.socketRead0", "java.net.SocketInputStream.read")
POLL = ("sun.nio.ch.Net.poll", "sun.nio.ch.NioSocketImpl.park", "sun.nio.ch.NioSocketImpl.timedRead")
WAIT = ("java.lang.Object.wait",)

STACKS: list[tuple[tuple[str, ...], str, str | None, str | None]] = [
    (
        (*READ, "sun.net.www.http.HttpClient.parseHTTPHeader"),
        "socket-read",
        "HttpURLConnection",
        "missing-http-timeout",
    ),
    (
        (*READ, "com.mysql.jdbc.util.ReadAheadInputStream.fill"),
        "socket-read",
        "MySQL Connector/J",
        "slow-database",
    ),
    (
        (
            *READ,
            "sun.security.ssl.SSLSocketInputRecord.read",
            "com.mysql.cj.protocol.FullReadInputStream.readFully",
        ),
        "socket-read",
        "MySQL Connector/J",
        "slow-database",
    ),
    (
        (*POLL, "org.mariadb.jdbc.client.socket.impl.PacketReader.readPacket"),
        "socket-read",
        "MariaDB Connector/J",
        "slow-database",
    ),
    (
        (*POLL, "org.postgresql.core.VisibleBufferedInputStream.readMore"),
        "socket-read",
        "PostgreSQL JDBC",
        "slow-database",
    ),
    ((*READ, "oracle.net.ns.Packet.receive"), "socket-read", "Oracle JDBC", "slow-database"),
    (
        (*READ, "com.microsoft.sqlserver.jdbc.TDSChannel.read"),
        "socket-read",
        "SQL Server JDBC",
        "slow-database",
    ),
    ((*READ, "org.h2.value.Transfer.readInt"), "socket-read", "H2", "slow-database"),
    ((*READ, "redis.clients.jedis.util.RedisInputStream.ensureFill"), "socket-read", "Jedis", "slow-redis"),
    ((*READ, "com.mongodb.connection.SocketStream.read"), "socket-read", "MongoDB driver", "slow-database"),
    ((*READ, "org.apache.thrift.transport.TIOStreamTransport.read"), "socket-read", "Thrift", "slow-rpc"),
    (
        (*READ, "okio.Okio$2.read", "okhttp3.internal.http1.Http1Codec.readResponseHeaders"),
        "socket-read",
        "OkHttp",
        "missing-http-timeout",
    ),
    (
        (*READ, "org.apache.http.impl.io.SessionInputBufferImpl.fillBuffer"),
        "socket-read",
        "Apache HttpClient 4",
        "missing-http-timeout",
    ),
    (
        (*READ, "org.apache.hc.core5.http.impl.io.SessionInputBufferImpl.fillBuffer"),
        "socket-read",
        "Apache HttpClient 5",
        "missing-http-timeout",
    ),
    (
        (*PARK, "java.util.concurrent.CompletableFuture.get", "jdk.internal.net.http.HttpClientImpl.send"),
        "future",
        "java.net.http.HttpClient",
        "missing-http-timeout",
    ),
    (
        (*PARK, "org.apache.dubbo.common.threadpool.ThreadlessExecutor.waitAndDrain"),
        "park",
        "Dubbo",
        "slow-rpc",
    ),
    ((*PARK, "io.grpc.stub.ClientCalls$ThreadlessExecutor.waitAndDrain"), "park", "gRPC", "slow-rpc"),
    (
        (*WAIT, "org.apache.zookeeper.ClientCnxn.submitRequest"),
        "object-wait",
        "ZooKeeper client",
        "slow-remote",
    ),
    (
        (
            *PARK,
            "java.util.concurrent.CountDownLatch.await",
            "org.apache.kafka.clients.producer.internals.ProduceRequestResult.await",
        ),
        "latch",
        "Kafka client",
        "slow-remote",
    ),
    (
        (*PARK, "java.util.concurrent.CompletableFuture.get", "io.lettuce.core.internal.Futures.awaitOrCancel"),
        "future",
        "Lettuce",
        "slow-redis",
    ),
    (
        (*WAIT, "org.elasticsearch.client.RestClient$SyncResponseListener.get"),
        "object-wait",
        "Elasticsearch client",
        "slow-remote",
    ),
    (
        (
            *PARK,
            "com.zaxxer.hikari.util.ConcurrentBag.borrow",
            "com.zaxxer.hikari.pool.HikariPool.getConnection",
        ),
        "pool",
        "HikariCP",
        "pool-too-small",
    ),
    ((*AWAIT, "com.alibaba.druid.pool.DruidDataSource.takeLast"), "pool", "Druid", "pool-too-small"),
    (
        (*PARK, "org.apache.tomcat.jdbc.pool.FairBlockingQueue.poll"),
        "pool",
        "Tomcat JDBC pool",
        "pool-too-small",
    ),
    (
        (*AWAIT, "org.apache.commons.pool2.impl.LinkedBlockingDeque.takeFirst"),
        "pool",
        "commons-pool",
        "pool-too-small",
    ),
    (
        (*AWAIT, "org.apache.http.pool.AbstractConnPool.getPoolEntryBlocking"),
        "pool",
        "Apache HttpClient 4 pool",
        "pool-too-small",
    ),
    (
        (
            *WAIT,
            "org.apache.hc.core5.concurrent.BasicFuture.get",
            "org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager$1.get",
        ),
        "pool",
        "Apache HttpClient 5 pool",
        "pool-too-small",
    ),
    ((*WAIT, "com.mchange.v2.resourcepool.BasicResourcePool.awaitAvailable"), "pool", "c3p0", "pool-too-small"),
    # a pool that opens a connection: the network call is the wait
    (
        (
            *READ,
            "com.mysql.cj.protocol.a.NativeProtocol.readMessage",
            "com.zaxxer.hikari.pool.HikariPool.getConnection",
        ),
        "socket-read",
        "MySQL Connector/J",
        "slow-database",
    ),
    (
        ("java.net.PlainSocketImpl.socketConnect", "sun.net.www.http.HttpClient.openServer"),
        "connect",
        "HttpURLConnection",
        "missing-http-timeout",
    ),
    (
        ("sun.nio.ch.Net.poll", "sun.nio.ch.NioSocketImpl.park", "sun.nio.ch.NioSocketImpl.timedFinishConnect"),
        "connect",
        None,
        None,
    ),
    (("java.lang.Thread.sleep",), "sleep", None, None),
    (
        (*PARK, "java.util.concurrent.FutureTask.awaitDone", "java.util.concurrent.FutureTask.get"),
        "future",
        None,
        None,
    ),
    ((*AWAIT, "java.util.concurrent.LinkedBlockingQueue.take"), "queue", None, None),
    (
        ("java.io.FileOutputStream.writeBytes", "ch.qos.logback.core.OutputStreamAppender.writeBytes"),
        "log",
        None,
        None,
    ),
    (
        (
            *PARK,
            "java.util.concurrent.locks.ReentrantLock.lock",
            "ch.qos.logback.core.OutputStreamAppender.writeBytes",
        ),
        "log",
        None,
        None,
    ),
    (("java.util.HashMap.getNode",), "running", None, None),
    # what a bridge or a limiter runs itself is no wait of theirs
    ((*READ, "reactor.core.publisher.Mono.block"), "socket-read", None, None),
    ((*READ, "io.github.resilience4j.retry.Retry.executeCallable"), "socket-read", None, None),
    # a lock of a file, in JDK 17 and in JDK 25
    (("sun.nio.ch.FileDispatcherImpl.lock0", "sun.nio.ch.FileChannelImpl.lock"), "file-lock", None, None),
    (("sun.nio.ch.UnixFileDispatcherImpl.lock0", "sun.nio.ch.FileChannelImpl.lock"), "file-lock", None, None),
    (
        (
            *PARK,
            "java.util.concurrent.CountDownLatch.await",
            "java.lang.VirtualThread.joinNanos",
            "java.lang.Thread.join",
        ),
        "join",
        None,
        None,
    ),
    (
        (
            *PARK,
            "java.util.concurrent.locks.StampedLock.acquireWrite",
            "java.util.concurrent.locks.StampedLock.tryWriteLock",
        ),
        "lock",
        None,
        None,
    ),
    # an SDK stands for the client inside it, also if a bridge is between
    (
        (
            *READ,
            "org.apache.http.impl.io.SessionInputBufferImpl.fillBuffer",
            "com.aliyun.oss.OSSClient.getObject",
        ),
        "socket-read",
        "Alibaba Cloud OSS SDK",
        "slow-remote",
    ),
    # the back-off of a retry is the framework's, a call inside a retry is not
    (
        ("java.lang.Thread.sleep", "org.springframework.retry.backoff.ThreadWaitSleeper.sleep"),
        "sleep",
        "Spring Retry",
        "sleep-in-listener",
    ),
    (
        (
            *READ,
            "sun.net.www.http.HttpClient.parseHTTPHeader",
            "org.springframework.retry.support.RetryTemplate.doExecute",
        ),
        "socket-read",
        "HttpURLConnection",
        "missing-http-timeout",
    ),
]
BELOW = (
    "com.acme.Dao.find",
    "com.acme.Listener.consumeMessage",
    "org.apache.rocketmq.client.impl.consumer.ConsumeMessageConcurrentlyService$ConsumeRequest.run",
)


@pytest.mark.parametrize(
    ("top", "doing", "library", "cause"), STACKS, ids=[" < ".join(item[0][-2:]) for item in STACKS]
)
def test_cause(top: tuple[str, ...], doing: str, library: str | None, cause: str | None) -> None:
    view = meaning_of(parse_stack("".join(f"\tat {method}(X.java:1)\n" for method in (*top, *BELOW))))
    assert view.doing == doing
    assert (view.library.name if view.library else None, view.library.cause if view.library else None) == (
        library,
        cause,
    )
    assert view.own_frame == "com.acme.Dao.find(X.java:1)"
    assert view.listener == "com.acme.Listener.consumeMessage(X.java:1)"


def test_feign_over_a_client_is_named_too() -> None:
    frames = (*READ, "sun.net.www.http.HttpClient.parseHTTPHeader", "feign.Client$Default.execute", *BELOW)
    view = meaning_of(parse_stack("".join(f"\tat {method}(X.java:1)\n" for method in frames)))
    assert view.framework is not None
    assert view.framework.name == "Feign"


def test_springs_wrapper_is_not_the_listener() -> None:
    frames = (
        *READ,
        "com.acme.OrderService.onMessage",
        "org.apache.rocketmq.spring.support.DefaultRocketMQListenerContainer.handleMessage",
        "org.apache.rocketmq.spring.support.DefaultRocketMQListenerContainer$DefaultMessageListenerConcurrently.consumeMessage",
        BELOW[-1],
    )
    view = meaning_of(parse_stack("".join(f"\tat {method}(X.java:1)\n" for method in frames)))
    assert view.listener == "com.acme.OrderService.onMessage(X.java:1)"


@folded(
    "wrapper",
    [
        "com.acme.Dao$$SpringCGLIB$$0.find",
        "com.acme.Dao$$EnhancerByGuice$$12.find",
        "jdk.proxy2.$Proxy31.find",
        "com.acme.Dao_ClientProxy.find",
        "com.acme.Dao_Subclass.find",
        "com.acme.$Dao$Definition$Intercepted.find",
        "com.acme.Dao$AjcClosure1.run",
        "com.acme.Dao$auxiliary$x1.call",
        "com.acme.Dao$ByteBuddy$Ab12.find",
        "io.micrometer.core.instrument.Timer.record",
        "org.apache.skywalking.apm.agent.core.plugin.interceptor.enhance.InstMethodsInter.intercept",
        "io.github.resilience4j.retry.Retry.executeCallable",
        "com.p6spy.engine.wrapper.PreparedStatementWrapper.executeQuery",
    ],
)
def test_a_wrapper_is_no_code_of_the_application(wrapper: str) -> None:
    """Above the application's method, where a proxy of what it calls stands, and below it."""
    frames = (*READ, "com.mysql.cj.protocol.ReadAheadInputStream.fill", wrapper, BELOW[0], wrapper, *BELOW[1:])
    view = meaning_of(parse_stack("".join(f"\tat {method}(X.java:1)\n" for method in frames)))
    assert view.own_frame == "com.acme.Dao.find(X.java:1)"
    assert view.listener == "com.acme.Listener.consumeMessage(X.java:1)"


def _advice(*top: str) -> tuple[str, str]:
    stack = parse_stack("".join(f"\tat {method}(X.java:1)\n" for method in (*top, *BELOW)))
    why = cause_of_wait(CONSUME_WORKER, meaning_of(stack), computing=False)
    return why.cause, " ".join(text.template for text in why.remedy)


def test_advice_fits_the_call() -> None:
    cause, advice = _advice("sun.nio.ch.FileDispatcherImpl.lock0", "sun.nio.ch.FileChannelImpl.lock")
    assert cause == "missing-timeout"
    assert "tryLock()" in advice
    assert "lslocks" in advice
    cause, advice = _advice("java.io.FileOutputStream.writeBytes", "java.io.PrintStream.write")
    assert cause == "blocked-log-sink"
    assert "standard output" in advice
    _, advice = _advice("java.net.Inet6AddressImpl.lookupAllHostAddr", "java.net.InetAddress.getByName")
    assert "resolv.conf" in advice
    _, advice = _advice(*PARK, "java.util.concurrent.ThreadPoolExecutor.awaitTermination")
    assert "shutdownNow()" in advice
    _, advice = _advice("java.lang.Object.wait", "io.netty.util.concurrent.DefaultPromise.await")
    assert "event loop" in advice
    _, advice = _advice(
        *PARK,
        "java.util.concurrent.CountDownLatch.await",
        "java.lang.VirtualThread.joinNanos",
        "java.lang.Thread.join",
    )
    assert "Thread.dump_to_file" in advice


@folded(
    "calls, words",
    [
        (("java.util.concurrent.ThreadPerTaskExecutor.awaitTermination",), "shutdownNow()"),
        (("java.util.concurrent.SubmissionPublisher.submit",), "offer(item, timeout, unit, onDrop)"),
        (("java.lang.ref.ReferenceQueue.remove",), "remove(timeout)"),
        (("io.netty.util.concurrent.DefaultPromise.await0",), "event loop"),
        (("io.netty.util.concurrent.AbstractFuture.get",), "event loop"),
    ],
)
def test_advice_names_the_call_that_waits(calls: tuple[str, ...], words: str) -> None:
    _, advice = _advice(*AWAIT, *calls)
    assert words in advice


@pytest.mark.parametrize("top", [(*PARK,), ()])
def test_a_wait_for_room_in_a_ring_is_no_loop_of_the_listener(top: tuple[str, ...]) -> None:
    ring = ("com.lmax.disruptor.MultiProducerSequencer.next", "com.lmax.disruptor.RingBuffer.next")
    stack = parse_stack("".join(f"\tat {method}(X.java:1)\n" for method in (*top, *ring, *BELOW)))
    why = cause_of_wait(CONSUME_WORKER, meaning_of(stack), computing=not top)
    assert (why.kind, why.cause) == ("wait", "missing-timeout")
    assert "tryNext()" in why.remedy[0].template


@pytest.mark.parametrize(
    "below",
    [
        ("io.netty.util.concurrent.DefaultPromise.notifyListener0",),
        ("io.netty.util.concurrent.DefaultPromise.addListener", "io.netty.util.concurrent.DefaultPromise.sync"),
    ],
)
def test_a_wait_in_a_callback_of_netty_is_no_wait_for_netty(below: tuple[str, ...]) -> None:
    _, advice = _advice(*PARK, "java.util.concurrent.CompletableFuture.get", "com.acme.Hook.done", *below)
    assert "event loop" not in advice
    assert "Future.get(timeout, unit)" in advice


def test_every_entry_is_whole() -> None:
    for library in all_libraries():
        assert library.frames
        assert library.remedy
        assert all(remedy.template.endswith(".") for remedy in library.remedy), library.name
        # what a table names is no user code, or it would be shown as such
        assert not any(is_own(f"{frame}X.y") for frame in library.frames), library.name
    names = [library.name for library in all_libraries()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "method",
    [
        "java.util.concurrent.CompletableFuture.get",
        "java.lang.Thread.sleep",
        "com.google.common.util.concurrent.RateLimiter.acquire",
        "org.springframework.retry.support.RetryTemplate.doExecute",
    ],
)
def test_a_container_says_how_to_get_the_message_again(method: str) -> None:
    """Where the remedy names the result of the plain client's listener."""
    container = (
        "org.apache.rocketmq.spring.support.DefaultRocketMQListenerContainer$DefaultMessageListenerConcurrently"
    )
    sleeping = ("java.lang.Thread.sleep",) if "Future" not in method else PARK
    frames = (*sleeping, method, "com.acme.Orders.onMessage", f"{container}.consumeMessage", BELOW[-1])
    view = meaning_of(parse_stack("".join(f"\tat {each}(X.java:1)\n" for each in frames)))
    remedy = cause_of_wait(CONSUME_WORKER, view, computing=False).remedy
    assert any("RECONSUME_LATER" in text.template for text in remedy[:-1])
    assert view.container is not None
    assert remedy[-1] == view.container.consume_later
