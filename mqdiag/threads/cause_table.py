"""Frames between a wait and the listener, to cause and remedy: longer than a usual file because it is a table.

To add a client: one `Cause` with the class prefixes of its own frames (never of the classes that call it),
the setting that bounds the wait, and a link to the source or to a real stack where the frames were read.
The table is searched from the top of the stack down; the first match wins.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from mqdiag.facts.vocabulary import StandstillCause
from mqdiag.text import Text, say

HTTP: StandstillCause = "missing-http-timeout"
DATABASE: StandstillCause = "slow-database"
REDIS: StandstillCause = "slow-redis"
RPC: StandstillCause = "slow-rpc"
REMOTE: StandstillCause = "slow-remote"


Family = Literal["jdbc", "http", "redis", "mongo", "rpc", "remote", "pooled"]
"""Kinds of clients; "pooled" is a pool of any objects, such as that of Apache Commons."""


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """A client library and what bounds a wait in it."""

    cause: StandstillCause
    library: str
    frames: tuple[str, ...]
    """prefixes of "package.Class.method" """
    remedy: tuple[Text, ...]
    pool: bool = False
    """a connection pool: the thread waits for a connection, not for an answer"""
    family: Family | None = None
    """kind of client that uses a pool's connections"""


POOLS: tuple[Cause, ...] = (
    # com.zaxxer.hikari.pool.HikariPool.getConnection < util.ConcurrentBag.borrow: brettwooldridge/HikariCP issue 714
    Cause(
        cause="pool-too-small",
        library="HikariCP",
        frames=(
            "com.zaxxer.hikari.util.ConcurrentBag.borrow",
            "com.zaxxer.hikari.util.QueuedSequenceSynchronizer.",
            "com.zaxxer.hikari.pool.HikariPool.getConnection",
            "com.zaxxer.hikari.pool.BaseHikariPool.getConnection",
            "com.zaxxer.hikari.util.SuspendResumeLock.acquire",
        ),
        remedy=(
            say(
                "Set maximumPoolSize of HikariCP to at least consumeThreadMin plus the other users of the pool."
            ),
            say(
                "Set connectionTimeout (30 s by default) below consumeTimeout, and leakDetectionThreshold to find"
                " connections that are never given back."
            ),
        ),
        pool=True,
        family="jdbc",
    ),
    # DruidDataSource.takeLast < getConnectionInternal < getConnectionDirect: alibaba/druid issue 3823; pollLast, with
    # maxWait set: issue 3717
    Cause(
        cause="pool-too-small",
        library="Druid",
        frames=(
            "com.alibaba.druid.pool.DruidDataSource.takeLast",
            "com.alibaba.druid.pool.DruidDataSource.pollLast",
            "com.alibaba.druid.pool.DruidDataSource.getConnectionInternal",
            "com.alibaba.druid.pool.DruidDataSource.getConnectionDirect",
        ),
        remedy=(
            say("Set maxActive of Druid to at least consumeThreadMin plus the other users of the pool."),
            say(
                "Set maxWait (-1, no limit, by default) and removeAbandoned with logAbandoned to find connections that"
                " are never given back."
            ),
        ),
        pool=True,
        family="jdbc",
    ),
    # org.apache.tomcat.jdbc.pool.ConnectionPool.borrowConnection < FairBlockingQueue.poll: apache/tomcat
    # modules/jdbc-pool/src/main/java/org/apache/tomcat/jdbc/pool/ConnectionPool.java
    Cause(
        cause="pool-too-small",
        library="Tomcat JDBC pool",
        frames=(
            "org.apache.tomcat.jdbc.pool.FairBlockingQueue.",
            "org.apache.tomcat.jdbc.pool.MultiLockFairBlockingQueue.",
            "org.apache.tomcat.jdbc.pool.ConnectionPool.borrowConnection",
        ),
        remedy=(
            say(
                "Set maxActive of the Tomcat JDBC pool to at least consumeThreadMin plus the other users of the pool."
            ),
            say(
                "Set maxWait (30 s by default), and removeAbandoned with logAbandoned to find connections that are"
                " never given back."
            ),
        ),
        pool=True,
        family="jdbc",
    ),
    # com.mchange.v2.resourcepool.BasicResourcePool.awaitAvailable < prelimCheckoutResource, in Object.wait:
    # swaldman/c3p0
    Cause(
        cause="pool-too-small",
        library="c3p0",
        frames=("com.mchange.v2.resourcepool.BasicResourcePool.",),
        remedy=(
            say("Set maxPoolSize of c3p0 to at least consumeThreadMin plus the other users of the pool."),
            say("Set checkoutTimeout (0, no timeout, by default) and unreturnedConnectionTimeout."),
        ),
        pool=True,
        family="jdbc",
    ),
    # AbstractConnPool.getPoolEntryBlocking < PoolingHttpClientConnectionManager.leaseConnection < $1.get <
    # execchain.MainClientExec.execute (4.5): apache/httpcomponents-core, -client; measured in fixtures/stacks
    Cause(
        cause="pool-too-small",
        library="Apache HttpClient 4 pool",
        frames=(
            "org.apache.http.pool.AbstractConnPool.getPoolEntryBlocking",
            "org.apache.http.impl.conn.PoolingHttpClientConnectionManager.leaseConnection",
            "org.apache.http.impl.conn.tsccm.ConnPoolByRoute.getEntryBlocking",
        ),
        remedy=(
            say(
                "Raise setMaxConnPerRoute (2 by default) and setMaxConnTotal (20) to at least the number of workers."
            ),
            say(
                "Set RequestConfig.setConnectionRequestTimeout (no timeout by default), and close every response."
            ),
        ),
        pool=True,
        family="http",
    ),
    # Object.wait < hc.core5.concurrent.BasicFuture.get < PoolingHttpClientConnectionManager$1.get <
    # classic.InternalExecRuntime.acquireEndpoint: apache/httpcomponents-client 5
    Cause(
        cause="pool-too-small",
        library="Apache HttpClient 5 pool",
        frames=(
            "org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager$1.get",
            "org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager$2.get",
            "org.apache.hc.core5.pool.StrictConnPool.",
            "org.apache.hc.core5.pool.LaxConnPool.",
            "org.apache.hc.client5.http.impl.classic.InternalExecRuntime.acquireEndpoint",
        ),
        remedy=(
            say(
                "Raise setMaxConnPerRoute (5 by default) and setMaxConnTotal (25) to at least the number of workers."
            ),
            say(
                "Set RequestConfig.setConnectionRequestTimeout (3 minutes by default), and close every response."
            ),
        ),
        pool=True,
        family="http",
    ),
    # GenericObjectPool.borrowObject < LinkedBlockingDeque.takeFirst / pollFirst (pool2), GenericObjectPool.borrowObject
    # in Object.wait (pool 1): apache/commons-pool; below it Jedis, DBCP or Lettuce
    Cause(
        cause="pool-too-small",
        library="commons-pool",
        frames=(
            "org.apache.commons.pool2.impl.LinkedBlockingDeque.",
            "org.apache.commons.pool2.impl.GenericObjectPool.borrowObject",
            "org.apache.commons.pool2.impl.GenericKeyedObjectPool.borrowObject",
            "org.apache.commons.pool.impl.GenericObjectPool.borrowObject",
            "org.apache.tomcat.dbcp.pool2.impl.LinkedBlockingDeque.",
            "org.apache.tomcat.dbcp.pool2.impl.GenericObjectPool.borrowObject",
        ),
        remedy=(
            say(
                "Set maxTotal (8 by default) of the pool to at least consumeThreadMin plus its other users (Jedis:"
                " JedisPoolConfig.setMaxTotal, DBCP: maxTotal)."
            ),
            say(
                "Set maxWait (no timeout by default; JedisPoolConfig.setMaxWait, DBCP maxWaitMillis), and give every"
                " connection back in a finally block."
            ),
        ),
        pool=True,
        family="pooled",
    ),
    # DefaultConnectionPool$OpenConcurrencyLimiter, ConcurrentPool.get / acquirePermit: mongodb/mongo-java-driver
    # driver-core/src/main/com/mongodb/internal/connection/DefaultConnectionPool.java
    Cause(
        cause="pool-too-small",
        library="MongoDB driver pool",
        frames=(
            "com.mongodb.internal.connection.DefaultConnectionPool$OpenConcurrencyLimiter.",
            "com.mongodb.internal.connection.ConcurrentPool.",
            "com.mongodb.connection.ConcurrentPool.",
        ),
        remedy=(
            say(
                "Raise maxPoolSize (100 by default) in the connection string or ConnectionPoolSettings.maxSize."
            ),
            say("Set waitQueueTimeoutMS (120 s by default) below consumeTimeout."),
        ),
        pool=True,
        family="mongo",
    ),
)

CLIENTS: tuple[Cause, ...] = (
    # com.mysql.cj.protocol.ReadAheadInputStream / FullReadInputStream < a.SimplePacketReader.readHeader <
    # a.NativeProtocol.readMessage (8.x): brettwooldridge/HikariCP issue 1987, zio/zio-quill issue 2331;
    # com.mysql.jdbc.MysqlIO.reuseAndReadPacket < sqlQueryDirect (5.x): alibaba/druid issue 1653
    Cause(
        cause=DATABASE,
        library="MySQL Connector/J",
        frames=("com.mysql.cj.", "com.mysql.jdbc."),
        remedy=(
            say(
                "Set socketTimeout and connectTimeout (milliseconds; 0, no timeout, by default) in the JDBC URL of"
                " MySQL Connector/J: jdbc:mysql://…?connectTimeout=3000&socketTimeout=10000."
            ),
            say(
                "Set Statement.setQueryTimeout (Spring: @Transactional(timeout=…), MyBatis: defaultStatementTimeout) so"
                " that the server stops the query too."
            ),
            say(
                "Look at SHOW FULL PROCESSLIST and information_schema.innodb_trx: a slow query or a row lock"
                " (innodb_lock_wait_timeout is 50 s)."
            ),
        ),
        family="jdbc",
    ),
    # org.mariadb.jdbc.client.socket.impl.PacketReader.readPacket < StandardClient.readPacket (3.x),
    # org.mariadb.jdbc.internal.io.input.StandardPacketInputStream (2.x): mariadb-corporation/mariadb-connector-j
    Cause(
        cause=DATABASE,
        library="MariaDB Connector/J",
        frames=("org.mariadb.jdbc.",),
        remedy=(
            say(
                "Set socketTimeout (milliseconds; 0, no timeout, by default) and connectTimeout (30 s) in the JDBC"
                " URL of MariaDB Connector/J: jdbc:mariadb://…?connectTimeout=3000&socketTimeout=10000."
            ),
            say(
                "Set Statement.setQueryTimeout (Spring: @Transactional(timeout=…), MyBatis: defaultStatementTimeout) so"
                " that the server stops the query too."
            ),
            say(
                "Look at SHOW FULL PROCESSLIST and information_schema.innodb_trx: a slow query or a row lock"
                " (innodb_lock_wait_timeout is 50 s)."
            ),
        ),
        family="jdbc",
    ),
    # org.postgresql.core.VisibleBufferedInputStream.readMore < PGStream.receiveChar <
    # v3.QueryExecutorImpl.processResults: pgjdbc/pgjdbc issue 1508
    Cause(
        cause=DATABASE,
        library="PostgreSQL JDBC",
        frames=("org.postgresql.",),
        remedy=(
            say(
                "Set socketTimeout (seconds; 0, no timeout, by default) and connectTimeout (10 s) in the JDBC URL of"
                " pgjdbc: jdbc:postgresql://…?socketTimeout=10&tcpKeepAlive=true."
            ),
            say("Set Statement.setQueryTimeout, or statement_timeout and lock_timeout on the server."),
            say("Look at pg_stat_activity (wait_event_type Lock: a row lock; active: a slow query)."),
        ),
        family="jdbc",
    ),
    # oracle.net.ns.Packet.receive, oracle.net.nt.TimeoutSocketChannel.read, oracle.jdbc.driver.T4CMAREngine…:
    # open-source stacks in seata/seata and apache/shardingsphere issues
    Cause(
        cause=DATABASE,
        library="Oracle JDBC",
        frames=("oracle.jdbc.", "oracle.net.", "oracle.ucp."),
        remedy=(
            say(
                "Set oracle.jdbc.ReadTimeout (milliseconds; none by default) and oracle.net.CONNECT_TIMEOUT as"
                " connection properties of the Oracle driver."
            ),
            say("Set Statement.setQueryTimeout; look at v$session (event, blocking_session)."),
        ),
        family="jdbc",
    ),
    # com.microsoft.sqlserver.jdbc.TDSChannel.read < TDSReader.readPacket < TDSCommand.startResponse:
    # microsoft/mssql-jdbc src/main/java/com/microsoft/sqlserver/jdbc/IOBuffer.java
    Cause(
        cause=DATABASE,
        library="SQL Server JDBC",
        frames=("com.microsoft.sqlserver.jdbc.", "net.sourceforge.jtds."),
        remedy=(
            say(
                "Set socketTimeout (milliseconds; 0, no timeout, by default), queryTimeout and lockTimeout in the JDBC"
                " URL of the SQL Server driver (jTDS: socketTimeout in seconds)."
            ),
            say("Look at sys.dm_exec_requests (blocking_session_id, wait_type)."),
        ),
        family="jdbc",
    ),
    # org.h2.value.Transfer.readInt < org.h2.engine.SessionRemote.done: h2database/h2database
    Cause(
        cause=DATABASE,
        library="H2",
        frames=("org.h2.",),
        remedy=(
            say(
                "Set Statement.setQueryTimeout or SET QUERY_TIMEOUT, and LOCK_TIMEOUT in the JDBC URL of H2; for its"
                " server mode the system property h2.socketConnectTimeout bounds the connect."
            ),
        ),
        family="jdbc",
    ),
    Cause(
        cause=DATABASE,
        library="ClickHouse JDBC",
        frames=("com.clickhouse.", "ru.yandex.clickhouse."),
        remedy=(say("Set socket_timeout (milliseconds) in the JDBC URL of ClickHouse."),),
        family="jdbc",
    ),
    Cause(
        cause=DATABASE,
        library="Dameng JDBC",
        frames=("dm.jdbc.",),
        remedy=(say("Set socketTimeout (milliseconds) and connectTimeout in the JDBC URL of the DM driver."),),
        family="jdbc",
    ),
    # redis.clients.jedis.util.RedisInputStream.ensureFill < Protocol.read < Connection.readProtocolWithCheckingBroken:
    # redis/jedis src/main/java/redis/clients/jedis/Connection.java
    Cause(
        cause=REDIS,
        library="Jedis",
        frames=("redis.clients.jedis.", "redis.clients.util."),
        remedy=(
            say(
                "Set the socket timeout of Jedis (2 s by default, 0 means no timeout, and blocking commands such as"
                " BLPOP take it off): DefaultJedisClientConfig.builder().socketTimeoutMillis(2000) or the timeout"
                " argument of JedisPool (Spring: spring.data.redis.timeout)."
            ),
            say(
                "Look at SLOWLOG GET and CLIENT LIST on the server: a slow command (KEYS, large Lua script) stops all"
                " others."
            ),
        ),
        family="redis",
    ),
    # io.lettuce.core.internal.Futures.awaitOrCancel / LettuceFutures.awaitOrCancel <
    # FutureSyncInvocationHandler.handleInvocation: redis/lettuce src/main/java/io/lettuce/core
    Cause(
        cause=REDIS,
        library="Lettuce",
        frames=("io.lettuce.core.", "com.lambdaworks.redis."),
        remedy=(
            say(
                "Set the command timeout of Lettuce: RedisURI.setTimeout or RedisClient.setDefaultTimeout (60 s by"
                " default; Spring: spring.data.redis.timeout), and TimeoutOptions.enabled() for asynchronous use."
            ),
            say("Look at SLOWLOG GET on the server."),
        ),
        family="redis",
    ),
    # org.redisson.command.CommandAsyncService.get, org.redisson.RedissonLock.lock < misc…: redisson/redisson
    Cause(
        cause=REDIS,
        library="Redisson",
        frames=("org.redisson.",),
        remedy=(
            say("Use RLock.tryLock(waitTime, leaseTime, unit) instead of lock(), which waits without a limit."),
            say("Set timeout (3 s) and retryAttempts in Redisson's configuration."),
        ),
        family="redis",
    ),
    # CountDownLatch.await < BaseCluster.getDescription / selectServer < MongoClientDelegate: waits for a server in
    # steps of half a second, seen with driver 4.9 (package com.mongodb.connection before 3.7)
    Cause(
        cause=DATABASE,
        library="MongoDB driver without a server",
        frames=("com.mongodb.internal.connection.BaseCluster.", "com.mongodb.connection.BaseCluster."),
        remedy=(
            say(
                "No server of the cluster answers: look at the addresses, the network and the servers themselves."
            ),
            say("Set serverSelectionTimeoutMS (30 s by default) below consumeTimeout."),
        ),
        family="mongo",
    ),
    # com.mongodb.internal.connection.SocketStream.read < InternalStreamConnection.receiveResponseBuffers:
    # exense/djigger issue 76 (package com.mongodb.connection before 3.7)
    Cause(
        cause=DATABASE,
        library="MongoDB driver",
        frames=("com.mongodb.",),
        remedy=(
            say(
                "Set socketTimeoutMS (0, no timeout, by default) in the MongoDB connection string, or"
                " SocketSettings.readTimeout; driver 5.2 has timeoutMS for the whole operation."
            ),
            say("Set maxTimeMS on the query; look at db.currentOp()."),
        ),
        family="mongo",
    ),
    # org.elasticsearch.client.RestClient.performRequest < BasicFuture.get (7.x), transport client:
    # PlainActionFuture.actionGet / AdapterActionFuture.actionGet: elastic/elasticsearch client/rest
    Cause(
        cause=REMOTE,
        library="Elasticsearch client",
        frames=(
            "org.elasticsearch.",
            "co.elastic.clients.",
            "org.opensearch.",
            "io.searchbox.",
        ),
        remedy=(
            say(
                "Set RestClientBuilder.setRequestConfigCallback(b -> b.setConnectTimeout(…).setSocketTimeout(…))"
                " (socket timeout 30 s by default); transport client: actionGet(timeout) instead of actionGet()."
            ),
            say(
                "Bulk requests: look at the search and write thread pools of the cluster (GET _cat/thread_pool)."
            ),
        ),
        family="http",
    ),
    # org.apache.dubbo.common.threadpool.ThreadlessExecutor.waitAndDrain < rpc.AsyncRpcResult.get: apache/dubbo issue
    # 13088; com.alibaba.dubbo.remoting.exchange.support.DefaultFuture.get (2.6)
    Cause(
        cause=RPC,
        library="Dubbo",
        frames=("org.apache.dubbo.", "com.alibaba.dubbo."),
        remedy=(
            say(
                "Set timeout (1 s by default) and retries=0 on the Dubbo reference (@DubboReference(timeout=…),"
                " dubbo.consumer.timeout); a worker waits timeout × (retries + 1)."
            ),
            say("Look at the provider's thread pool (DubboServerHandler threads in a jstack of the provider)."),
        ),
        family="rpc",
    ),
    # io.grpc.stub.ClientCalls$ThreadlessExecutor.waitAndDrain < ClientCalls.blockingUnaryCall:
    # grpc/grpc-java issue 9759
    Cause(
        cause=RPC,
        library="gRPC",
        frames=("io.grpc.",),
        remedy=(
            say(
                "Set a deadline on every call: stub.withDeadlineAfter(3, TimeUnit.SECONDS) (gRPC has none by"
                " default), and keepAliveTime on the channel to notice a dead peer."
            ),
        ),
        family="rpc",
    ),
    # org.apache.thrift.transport.TIOStreamTransport.read < TTransport.readAll < protocol.TBinaryProtocol.readAll:
    # apache/thrift lib/java/src/main/java/org/apache/thrift/transport
    Cause(
        cause=RPC,
        library="Thrift",
        frames=("org.apache.thrift.",),
        remedy=(
            say(
                "Set the socket timeout of Thrift: new TSocket(host, port, timeoutMillis) or TSocket.setTimeout (0, for"
                " ever, by default)."
            ),
        ),
        family="rpc",
    ),
    # org.apache.hadoop.hbase.client / ipc
    Cause(
        cause=DATABASE,
        library="HBase client",
        frames=("org.apache.hadoop.hbase.",),
        remedy=(say("Set hbase.rpc.timeout, hbase.client.operation.timeout and hbase.client.retries.number."),),
        family="rpc",
    ),
    # org.apache.zookeeper.ClientCnxn.submitRequest in Object.wait: apache/zookeeper
    # zookeeper-server/src/main/java/org/apache/zookeeper/ClientCnxn.java
    Cause(
        cause=REMOTE,
        library="ZooKeeper client",
        frames=("org.apache.zookeeper.", "org.apache.curator.", "org.I0Itec.zkclient."),
        remedy=(
            say(
                "Set zookeeper.request.timeout (0, no timeout, by default) as a client property; Curator: bound the"
                " retry policy, and InterProcessMutex.acquire(time, unit) instead of acquire()."
            ),
        ),
        family="rpc",
    ),
    # org.apache.kafka.clients.producer.internals.FutureRecordMetadata.get / ProduceRequestResult.await,
    # KafkaProducer.waitOnMetadata, BufferPool.allocate, KafkaConsumer.poll: apache/kafka clients
    Cause(
        cause=REMOTE,
        library="Kafka client",
        frames=("org.apache.kafka.",),
        remedy=(
            say(
                "Use send(record).get(timeout, unit), and set delivery.timeout.ms (120 s by default),"
                " request.timeout.ms (30 s) and max.block.ms (60 s) below consumeTimeout."
            ),
        ),
        family="rpc",
    ),
    Cause(
        cause=REMOTE,
        library="RabbitMQ client",
        frames=("com.rabbitmq.",),
        remedy=(
            say("Set channelRpcTimeout and connectionTimeout on the ConnectionFactory; bound waitForConfirms."),
        ),
        family="rpc",
    ),
    # a producer or admin call inside the listener: NettyRemotingClient.invokeSync < ResponseFuture.waitResponse
    Cause(
        cause=REMOTE,
        library="RocketMQ client",
        frames=(
            "org.apache.rocketmq.remoting.",
            "com.alibaba.rocketmq.remoting.",
            "org.apache.rocketmq.client.producer.",
            "org.apache.rocketmq.client.impl.producer.",
        ),
        remedy=(
            say(
                "Set sendMsgTimeout (3 s by default) and retryTimesWhenSendFailed of the producer that the listener"
                " uses; look at the broker for busy errors."
            ),
        ),
        family="rpc",
    ),
    # okhttp3.internal.http1.Http1ExchangeCodec.readResponseHeaders, okio.InputStreamSource.read (okio.Okio$2.read
    # in 3.x), okhttp3.internal.connection.RealConnection.connectSocket: square/okhttp
    Cause(
        cause=HTTP,
        library="OkHttp",
        frames=("okhttp3.", "okio.", "com.squareup.okhttp."),
        remedy=(
            say(
                "Set OkHttpClient.Builder.readTimeout and connectTimeout (10 s by default, 0 means no timeout), and"
                " callTimeout (none by default) to bound the whole call."
            ),
        ),
        family="http",
    ),
    # org.apache.http.impl.io.SessionInputBufferImpl.fillBuffer < DefaultHttpResponseParser.parseHead <
    # protocol.HttpRequestExecutor.doReceiveResponse: apache/httpcomponents-core 4.4
    Cause(
        cause=HTTP,
        library="Apache HttpClient 4",
        frames=("org.apache.http.",),
        remedy=(
            say(
                "Set RequestConfig.custom().setSocketTimeout(…).setConnectTimeout(…).setConnectionRequestTimeout(…)"
                " (all without a timeout by default) on the Apache HttpClient 4; for TLS handshakes also"
                " setDefaultSocketConfig(SocketConfig.custom().setSoTimeout(…))."
            ),
        ),
        family="http",
    ),
    # org.apache.hc.core5.http.impl.io.SessionInputBufferImpl.fillBuffer < DefaultBHttpClientConnection.
    # receiveResponseHeader: apache/httpcomponents-core 5
    Cause(
        cause=HTTP,
        library="Apache HttpClient 5",
        frames=("org.apache.hc.",),
        remedy=(
            say(
                "Set RequestConfig.custom().setResponseTimeout(…) (no timeout by default) and ConnectionConfig.custom()"
                ".setConnectTimeout(…).setSocketTimeout(…) on the Apache HttpClient 5."
            ),
        ),
        family="http",
    ),
    Cause(
        cause=HTTP,
        library="commons-httpclient 3",
        frames=("org.apache.commons.httpclient.",),
        remedy=(
            say(
                "Set HttpConnectionManagerParams.setSoTimeout and setConnectionTimeout (no timeout by default) of"
                " commons-httpclient 3; it is out of maintenance."
            ),
        ),
        family="http",
    ),
    # jdk.internal.net.http.HttpClientImpl.send < CompletableFuture.get: openjdk/jdk
    # src/java.net.http/share/classes/jdk/internal/net/http/HttpClientImpl.java
    Cause(
        cause=HTTP,
        library="java.net.http.HttpClient",
        frames=("jdk.internal.net.http.", "java.net.http.", "jdk.incubator.http."),
        remedy=(
            say(
                "Set HttpRequest.Builder.timeout (no timeout by default) on every request and"
                " HttpClient.Builder.connectTimeout."
            ),
        ),
        family="http",
    ),
    Cause(
        cause=HTTP,
        library="Jetty HttpClient",
        frames=("org.eclipse.jetty.client.",),
        remedy=(say("Set Request.timeout and idleTimeout on the Jetty HttpClient."),),
        family="http",
    ),
    Cause(
        cause=HTTP,
        library="Reactor Netty",
        frames=(
            "reactor.core.publisher.Mono.block",
            "reactor.core.publisher.Flux.block",
            "reactor.core.publisher.BlockingMonoSubscriber",
            "reactor.core.publisher.BlockingSingleSubscriber",
        ),
        remedy=(
            say(
                "Use block(Duration), and HttpClient.responseTimeout (none by default) of Reactor Netty under"
                " WebClient."
            ),
        ),
        family="http",
    ),
    # sun.net.www.http.HttpClient.parseHTTPHeader < HttpURLConnection.getInputStream0: openjdk/jdk
    # src/java.base/share/classes/sun/net/www/http/HttpClient.java; RestTemplate and Feign use it by default
    Cause(
        cause=HTTP,
        library="HttpURLConnection",
        frames=(
            "sun.net.www.http.",
            "sun.net.www.protocol.http",
            "java.net.HttpURLConnection.",
        ),
        remedy=(
            say(
                "Call setConnectTimeout and setReadTimeout on every HttpURLConnection (both 0, no timeout, by default),"
                " or"
                " set -Dsun.net.client.defaultConnectTimeout and -Dsun.net.client.defaultReadTimeout (milliseconds)."
            ),
        ),
        family="http",
    ),
    Cause(
        cause=REMOTE,
        library="FTP client",
        frames=("org.apache.commons.net.ftp.", "sun.net.ftp."),
        remedy=(
            say("Set FTPClient.setDefaultTimeout, setSoTimeout and setDataTimeout (no timeout by default)."),
        ),
        family="remote",
    ),
    Cause(
        cause=REMOTE,
        library="JSch SFTP",
        frames=("com.jcraft.jsch.",),
        remedy=(say("Call Session.setTimeout and connect(timeout) of JSch (no timeout by default)."),),
        family="remote",
    ),
    Cause(
        cause=REMOTE,
        library="JavaMail",
        frames=("com.sun.mail.", "org.eclipse.angus.mail.", "jakarta.mail.", "javax.mail."),
        remedy=(say("Set mail.smtp.timeout and mail.smtp.connectiontimeout (no timeout by default)."),),
        family="remote",
    ),
    Cause(
        cause=REMOTE,
        library="LDAP (JNDI)",
        frames=("com.sun.jndi.ldap.",),
        remedy=(
            say(
                "Set com.sun.jndi.ldap.read.timeout and com.sun.jndi.ldap.connect.timeout (no timeout by default)."
            ),
        ),
        family="remote",
    ),
    Cause(
        cause=RPC,
        library="RMI",
        frames=("sun.rmi.transport.", "java.rmi."),
        remedy=(say("Set -Dsun.rmi.transport.tcp.responseTimeout and -Dsun.rmi.transport.connectionTimeout."),),
        family="rpc",
    ),
    Cause(
        cause=RPC,
        library="Hessian",
        frames=("com.caucho.hessian.",),
        remedy=(say("Call HessianProxyFactory.setReadTimeout and setConnectTimeout (no timeout by default)."),),
        family="rpc",
    ),
    # com.memcached / spymemcached OperationFuture.get
    Cause(
        cause=REMOTE,
        library="memcached client",
        frames=("net.spy.memcached.", "net.rubyeye.xmemcached.", "com.danga.MemCached."),
        remedy=(
            say("Set opTimeout (2.5 s by default) of spymemcached, or the timeout argument of xmemcached."),
        ),
        family="remote",
    ),
)

THROUGH: tuple[tuple[str, str, Text], ...] = (
    # frames above a client that have the setting people really change: (prefix, name, remedy)
    (
        "feign.",
        "Feign",
        say(
            "Feign: set spring.cloud.openfeign.client.config.default.connectTimeout and readTimeout"
            " (Request.Options)."
        ),
    ),
    (
        "org.springframework.web.client.RestTemplate",
        "RestTemplate",
        say(
            "RestTemplate: RestTemplateBuilder.setConnectTimeout / setReadTimeout, or the request factory's"
            " setConnectTimeout / setReadTimeout (SimpleClientHttpRequestFactory has no timeout by default)."
        ),
    ),
    (
        "org.springframework.web.client.RestClient",
        "RestClient",
        say("RestClient: requestFactory with setConnectTimeout and setReadTimeout."),
    ),
    ("retrofit2.", "Retrofit", say("Retrofit: the timeouts are those of its OkHttpClient.")),
    (
        "org.springframework.web.reactive.function.client.",
        "WebClient",
        say("WebClient: responseTimeout of the HttpClient below it, and block(Duration)."),
    ),
    (
        "cn.hutool.http.",
        "Hutool",
        say(
            "Hutool: HttpRequest.timeout(milliseconds), or HttpGlobalConfig.setTimeout (no timeout by default)."
        ),
    ),
    ("org.apache.cxf.", "CXF", say("CXF: HTTPClientPolicy.setConnectionTimeout and setReceiveTimeout.")),
    ("org.apache.axis", "Axis", say("Axis: Stub.setTimeout, or Options.setTimeOutInMilliSeconds.")),
    (
        "com.netflix.hystrix.",
        "Hystrix",
        say(
            "Hystrix: execution.isolation.thread.timeoutInMilliseconds bounds the caller, not the pool's thread."
        ),
    ),
)

LOGGING: tuple[str, ...] = (
    # OutputStreamAppender.writeBytes, AsyncAppenderBase.put, OutputStreamManager.write, AppenderSkeleton.doAppend,
    # RingBufferLogEventTranslator under AsyncLogger: qos-ch/logback, apache/logging-log4j2, apache/logging-log4j1
    "ch.qos.logback.",
    "org.apache.logging.log4j.",
    "org.apache.log4j.",
    "java.util.logging.",
    "org.slf4j.",
    "org.jboss.logmanager.",
    "com.lmax.disruptor.",
    "org.apache.rocketmq.logging.",
)
