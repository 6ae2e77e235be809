"""Connection pools: a thread in these frames waits for a connection, not for an answer."""

from __future__ import annotations

from mqdiag.text import say
from mqdiag.threads.libraries.library import Library

POOLS: tuple[Library, ...] = (
    # com.zaxxer.hikari.pool.HikariPool.getConnection < util.ConcurrentBag.borrow: brettwooldridge/HikariCP issue 714
    Library(
        cause="pool-too-small",
        name="HikariCP",
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
        kind="pool",
        family="jdbc",
        # HikariProxyPreparedStatement.executeQuery; "HikariPool-1 housekeeper", "HikariPool-1:housekeeper"
        wrappers=("com.zaxxer.hikari.pool.",),
        own_thread="housekeeper",
    ),
    # DruidDataSource.takeLast < getConnectionInternal < getConnectionDirect: alibaba/druid issue 3823; pollLast, with
    # maxWait set: issue 3717
    Library(
        cause="pool-too-small",
        name="Druid",
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
        kind="pool",
        family="jdbc",
        # DruidPooledPreparedStatement.executeQuery; "Druid-ConnectionPool-Create-1268066861"
        wrappers=("com.alibaba.druid.",),
        own_thread="Druid-ConnectionPool-Create",
    ),
    # org.apache.tomcat.jdbc.pool.ConnectionPool.borrowConnection < FairBlockingQueue.poll: apache/tomcat
    # modules/jdbc-pool/src/main/java/org/apache/tomcat/jdbc/pool/ConnectionPool.java
    Library(
        cause="pool-too-small",
        name="Tomcat JDBC pool",
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
        kind="pool",
        family="jdbc",
    ),
    # com.mchange.v2.resourcepool.BasicResourcePool.awaitAvailable < prelimCheckoutResource, in Object.wait:
    # swaldman/c3p0
    Library(
        cause="pool-too-small",
        name="c3p0",
        frames=("com.mchange.v2.resourcepool.BasicResourcePool.",),
        remedy=(
            say("Set maxPoolSize of c3p0 to at least consumeThreadMin plus the other users of the pool."),
            say("Set checkoutTimeout (0, no timeout, by default) and unreturnedConnectionTimeout."),
        ),
        kind="pool",
        family="jdbc",
        # com.mchange.v2.c3p0.impl.NewProxyPreparedStatement.executeQuery
        wrappers=("com.mchange.v2.c3p0.",),
    ),
    # AbstractConnPool.getPoolEntryBlocking < PoolingHttpClientConnectionManager.leaseConnection < $1.get <
    # execchain.MainClientExec.execute (4.5): apache/httpcomponents-core, -client; measured in fixtures/stacks
    Library(
        cause="pool-too-small",
        name="Apache HttpClient 4 pool",
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
        kind="pool",
        family="http",
    ),
    # Object.wait < hc.core5.concurrent.BasicFuture.get < PoolingHttpClientConnectionManager$1.get <
    # classic.InternalExecRuntime.acquireEndpoint: apache/httpcomponents-client 5
    Library(
        cause="pool-too-small",
        name="Apache HttpClient 5 pool",
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
        kind="pool",
        family="http",
    ),
    # GenericObjectPool.borrowObject < LinkedBlockingDeque.takeFirst / pollFirst (pool2), GenericObjectPool.borrowObject
    # in Object.wait (pool 1): apache/commons-pool; below it Jedis, DBCP or Lettuce
    Library(
        cause="pool-too-small",
        name="commons-pool",
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
        kind="pool",
        family="pooled",
    ),
    # DefaultConnectionPool$OpenConcurrencyLimiter, ConcurrentPool.get / acquirePermit: mongodb/mongo-java-driver
    # driver-core/src/main/com/mongodb/internal/connection/DefaultConnectionPool.java
    Library(
        cause="pool-too-small",
        name="MongoDB driver pool",
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
        kind="pool",
        family="mongo",
    ),
    # Object.wait or Condition.await < PooledDataSource.popConnection, which waits again and again: mybatis/mybatis-3
    Library(
        cause="pool-too-small",
        name="MyBatis PooledDataSource",
        frames=("org.apache.ibatis.datasource.pooled.PooledDataSource.",),
        remedy=(
            say(
                "Set poolMaximumActiveConnections (10 by default) of MyBatis' own pool to at least consumeThreadMin"
                " plus the other users of the pool."
            ),
            say(
                "Replace it with HikariCP where you can: it has no limit for the wait. After"
                " poolMaximumCheckoutTime (20 s by default) it takes a connection away from the thread that uses it."
            ),
        ),
        kind="pool",
        family="jdbc",
    ),
    # ConnectionPool.handlerFromSharedCache < AgroalSynchronizer.tryAcquireNanos: agroal/agroal
    Library(
        cause="pool-too-small",
        name="Agroal",
        frames=("io.agroal.pool.",),
        remedy=(
            say(
                "Set quarkus.datasource.jdbc.max-size (Agroal: maxSize) to at least consumeThreadMin plus the other"
                " users of the pool."
            ),
            say(
                "Set quarkus.datasource.jdbc.acquisition-timeout (5 s in Quarkus; Agroal's acquisitionTimeout alone has"
                " no limit by default) and leak-detection-interval to find connections that are never given back."
            ),
        ),
        kind="pool",
        family="jdbc",
        # io.agroal.pool.wrapper.PreparedStatementWrapper.executeQuery
        wrappers=("io.agroal.pool.",),
    ),
    # ConcurrentPool.tryTake < PoolOperations.getProxyConnection: vibur/vibur-dbcp, vibur/vibur-object-pool
    Library(
        cause="pool-too-small",
        name="Vibur DBCP",
        frames=("org.vibur.objectpool.", "org.vibur.dbcp.pool.PoolOperations.getConnection"),
        remedy=(
            say("Set poolMaxSize of Vibur to at least consumeThreadMin plus the other users of the pool."),
            say(
                "Set connectionTimeoutInMs below consumeTimeout, and poolEnableConnectionTracking to find leaks."
            ),
        ),
        kind="pool",
        family="jdbc",
    ),
    # DefaultConnectionStrategy.getConnectionInternal < BoneCP.getConnection: wwadge/bonecp
    Library(
        cause="pool-too-small",
        name="BoneCP",
        frames=(
            "com.jolbox.bonecp.DefaultConnectionStrategy.",
            "com.jolbox.bonecp.CachedConnectionStrategy.",
            "com.jolbox.bonecp.AbstractConnectionStrategy.",
        ),
        remedy=(
            say(
                "Set maxConnectionsPerPartition and partitionCount of BoneCP so that their product is at least"
                " consumeThreadMin plus the other users of the pool."
            ),
            say("Set connectionTimeoutInMs (no timeout by default) and closeConnectionWatch to find leaks."),
        ),
        kind="pool",
        family="jdbc",
    ),
    # UniversalConnectionPoolImpl.borrowConnection: Oracle UCP, from its published classes
    Library(
        cause="pool-too-small",
        name="Oracle UCP",
        frames=(
            "oracle.ucp.common.UniversalConnectionPoolImpl.borrow",
            "oracle.ucp.common.UniversalConnectionPoolBase.borrow",
            "oracle.ucp.jdbc.",
        ),
        remedy=(
            say("Call setMaxPoolSize of UCP with at least consumeThreadMin plus the other users of the pool."),
            say(
                "Call setConnectionWaitTimeout (3 s by default), and setAbandonedConnectionTimeout to find leaks."
            ),
        ),
        kind="pool",
        family="jdbc",
    ),
    # ConnectionPool.waitForConnectionInPoolIfNecessary in Object.wait: atomikos/transactions-essentials
    Library(
        cause="pool-too-small",
        name="Atomikos",
        frames=("com.atomikos.datasource.pool.",),
        remedy=(
            say(
                "Set maxPoolSize of Atomikos (1 by default) to at least consumeThreadMin plus its other users."
            ),
            say("Set borrowConnectionTimeout (30 s by default) below consumeTimeout, and reapTimeout."),
        ),
        kind="pool",
        family="jdbc",
    ),
    # SemaphoreConcurrentLinkedQueueManagedConnectionPool.getConnection: ironjacamar/ironjacamar
    Library(
        cause="pool-too-small",
        name="IronJacamar (WildFly, JBoss)",
        frames=("org.jboss.jca.core.connectionmanager.pool.",),
        remedy=(
            say("Set max-pool-size (20 by default) of the data source in WildFly's configuration."),
            say("Set blocking-timeout-wait-millis (30 s by default) below consumeTimeout."),
        ),
        kind="pool",
        family="jdbc",
    ),
)
