"""Drivers of databases: JDBC, and those with a protocol of their own."""

from __future__ import annotations

from mqdiag.text import say
from mqdiag.threads.libraries.library import DATABASE, Library

_STOP_THE_QUERY = say(
    "Set Statement.setQueryTimeout (Spring: @Transactional(timeout=…), MyBatis: defaultStatementTimeout) so that the"
    " server stops the query too."
)
_LOOK_AT_INNODB = say(
    "Look at SHOW FULL PROCESSLIST and information_schema.innodb_trx: a slow query or a row lock"
    " (innodb_lock_wait_timeout is 50 s)."
)
DATABASES: tuple[Library, ...] = (
    # com.mysql.cj.protocol.ReadAheadInputStream / FullReadInputStream < a.SimplePacketReader.readHeader <
    # a.NativeProtocol.readMessage (8.x): brettwooldridge/HikariCP issue 1987, zio/zio-quill issue 2331;
    # com.mysql.jdbc.MysqlIO.reuseAndReadPacket < sqlQueryDirect (5.x): alibaba/druid issue 1653
    Library(
        cause=DATABASE,
        name="MySQL Connector/J",
        frames=("com.mysql.cj.", "com.mysql.jdbc."),
        remedy=(
            say(
                "Set socketTimeout and connectTimeout (milliseconds; 0, no timeout, by default) in the JDBC URL of"
                " MySQL Connector/J: jdbc:mysql://…?connectTimeout=3000&socketTimeout=10000."
            ),
            _STOP_THE_QUERY,
            _LOOK_AT_INNODB,
        ),
        family="jdbc",
    ),
    # org.mariadb.jdbc.client.socket.impl.PacketReader.readPacket < StandardClient.readPacket (3.x),
    # org.mariadb.jdbc.internal.io.input.StandardPacketInputStream (2.x): mariadb-corporation/mariadb-connector-j
    Library(
        cause=DATABASE,
        name="MariaDB Connector/J",
        frames=("org.mariadb.jdbc.",),
        remedy=(
            say(
                "Set socketTimeout (milliseconds; 0, no timeout, by default) and connectTimeout (30 s) in the JDBC"
                " URL of MariaDB Connector/J: jdbc:mariadb://…?connectTimeout=3000&socketTimeout=10000."
            ),
            _STOP_THE_QUERY,
            _LOOK_AT_INNODB,
        ),
        family="jdbc",
    ),
    # org.postgresql.core.VisibleBufferedInputStream.readMore < PGStream.receiveChar <
    # v3.QueryExecutorImpl.processResults: pgjdbc/pgjdbc issue 1508
    Library(
        cause=DATABASE,
        name="PostgreSQL JDBC",
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
    Library(
        cause=DATABASE,
        name="Oracle JDBC",
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
    Library(
        cause=DATABASE,
        name="SQL Server JDBC",
        frames=("com.microsoft.sqlserver.jdbc.",),
        remedy=(
            say(
                "Set socketTimeout (milliseconds; 0, no timeout, by default), queryTimeout and lockTimeout in the JDBC"
                " URL of the SQL Server driver."
            ),
            say("Look at sys.dm_exec_requests (blocking_session_id, wait_type)."),
        ),
        family="jdbc",
    ),
    # org.h2.value.Transfer.readInt < org.h2.engine.SessionRemote.done: h2database/h2database
    Library(
        cause=DATABASE,
        name="H2",
        frames=("org.h2.",),
        remedy=(
            say(
                "Set Statement.setQueryTimeout or SET QUERY_TIMEOUT, and LOCK_TIMEOUT in the JDBC URL of H2; for its"
                " server mode the system property h2.socketConnectTimeout bounds the connect."
            ),
        ),
        family="jdbc",
    ),
    Library(
        cause=DATABASE,
        name="ClickHouse JDBC",
        frames=("com.clickhouse.", "ru.yandex.clickhouse."),
        remedy=(say("Set socket_timeout (milliseconds) in the JDBC URL of ClickHouse."),),
        kind="sdk",
        family="jdbc",
    ),
    Library(
        cause=DATABASE,
        name="Dameng JDBC",
        frames=("dm.jdbc.",),
        remedy=(say("Set socketTimeout (milliseconds) and connectTimeout in the JDBC URL of the DM driver."),),
        family="jdbc",
    ),
    # CountDownLatch.await < BaseCluster.getDescription / selectServer < MongoClientDelegate: waits for a server in
    # steps of half a second, seen with driver 4.9 (package com.mongodb.connection before 3.7)
    Library(
        cause=DATABASE,
        name="MongoDB driver without a server",
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
    Library(
        cause=DATABASE,
        name="MongoDB driver",
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
    # org.apache.hadoop.hbase.client / ipc
    Library(
        cause=DATABASE,
        name="HBase client",
        frames=("org.apache.hadoop.hbase.",),
        remedy=(say("Set hbase.rpc.timeout, hbase.client.operation.timeout and hbase.client.retries.number."),),
        family="rpc",
    ),
    # net.sourceforge.jtds.jdbc.SharedSocket.readPacket < getNetPacket < ResponseStream.getPacket: milesibastos/jTDS
    Library(
        cause=DATABASE,
        name="jTDS",
        frames=("net.sourceforge.jtds.",),
        remedy=(
            say(
                "Set socketTimeout and loginTimeout (seconds; 0, no timeout, by default) in the JDBC URL of jTDS, or"
                " move to Microsoft's driver: jTDS is out of maintenance."
            ),
            say("Look at sys.dm_exec_requests (blocking_session_id, wait_type)."),
        ),
        family="jdbc",
    ),
    # com.ibm.db2.jcc.t4.z.b < ab.a: names are obfuscated, the package is not
    Library(
        cause=DATABASE,
        name="IBM DB2 JDBC",
        frames=("com.ibm.db2.",),
        remedy=(
            say(
                "Set blockingReadConnectionTimeout (seconds; 0, no timeout, by default) and loginTimeout in the JDBC"
                " URL of the DB2 driver; commandTimeout bounds a statement."
            ),
            say("Look at MON_GET_APPL_LOCKWAIT for lock waits."),
        ),
        family="jdbc",
    ),
    # org.apache.derby.client.net.Reply.fill < ensureALayerDataInBuffer: apache/derby
    Library(
        cause=DATABASE,
        name="Derby client",
        frames=("org.apache.derby.",),
        remedy=(
            say(
                "Call DriverManager.setLoginTimeout for the connect, and Statement.setQueryTimeout: the Derby client"
                " has no timeout for a read."
            ),
        ),
        family="jdbc",
    ),
    # com.kingbase8.core.VisibleBufferedInputStream.readMore, a fork of pgjdbc
    Library(
        cause=DATABASE,
        name="Kingbase JDBC",
        frames=("com.kingbase8.", "com.kingbase86."),
        remedy=(
            say(
                "Set socketTimeout (seconds; 0, no timeout, by default) and connectTimeout in the JDBC URL of the"
                " Kingbase driver."
            ),
            say("Look at sys_stat_activity for row locks and slow queries."),
        ),
        family="jdbc",
    ),
    # org.opengauss.core.VisibleBufferedInputStream.readMore, a fork of pgjdbc: opengauss/openGauss-connector-jdbc
    Library(
        cause=DATABASE,
        name="openGauss JDBC",
        frames=("org.opengauss.", "com.huawei.gauss.", "com.huawei.opengauss."),
        remedy=(
            say(
                "Set socketTimeout (seconds; 0, no timeout, by default) and connectTimeout in the JDBC URL of the"
                " openGauss driver."
            ),
            say("Look at pg_stat_activity and pg_thread_wait_status."),
        ),
        family="jdbc",
    ),
    # com.oceanbase.jdbc.internal.io.input.StandardPacketInputStream.getPacketArray, a fork of MariaDB 2.x
    Library(
        cause=DATABASE,
        name="OceanBase Connector/J",
        frames=("com.oceanbase.jdbc.",),
        remedy=(
            say(
                "Set socketTimeout and connectTimeout (milliseconds; socketTimeout 0, no timeout, by default) in the"
                " JDBC URL of OceanBase, and ob_query_timeout and ob_trx_timeout (microseconds) in the session."
            ),
        ),
        family="jdbc",
    ),
    # com.taosdata.jdbc.rs.RestfulDriver over HTTP, com.taosdata.jdbc.ws over WebSocket: taosdata/taos-connector-jdbc
    Library(
        cause=DATABASE,
        name="TDengine JDBC",
        frames=("com.taosdata.",),
        remedy=(
            say(
                "Set httpConnectTimeout, httpSocketTimeout and messageWaitTimeout (milliseconds) as connection"
                " properties of TDengine."
            ),
        ),
        kind="sdk",
        family="jdbc",
    ),
    # org.hsqldb.ClientConnection.handshake / execute < RowInputBinary: hsqldb
    Library(
        cause=DATABASE,
        name="HSQLDB",
        frames=("org.hsqldb.",),
        remedy=(
            say(
                "Call Statement.setQueryTimeout: the network client of HSQLDB has no timeout for a read, and no setting"
                " for one."
            ),
        ),
        family="jdbc",
    ),
    # org.firebirdsql.gds.ng.wire.XdrInputStream.readInt: FirebirdSQL/jaybird
    Library(
        cause=DATABASE,
        name="Firebird Jaybird",
        frames=("org.firebirdsql.",),
        remedy=(
            say(
                "Set soTimeout (milliseconds; no timeout by default) and connectTimeout (seconds) in the JDBC URL of"
                " Jaybird."
            ),
        ),
        family="jdbc",
    ),
    # io.trino.jdbc over its own OkHttp: trinodb/trino
    Library(
        cause=DATABASE,
        name="Trino JDBC",
        frames=("io.trino.jdbc.", "io.prestosql.jdbc.", "com.facebook.presto.jdbc."),
        remedy=(
            say("Set timeout (a duration such as 30s; of the network call) in the JDBC URL of Trino."),
            say("Call Statement.setQueryTimeout, and look at the query in the coordinator's page."),
        ),
        kind="sdk",
        family="jdbc",
    ),
    # org.apache.hive.jdbc over Thrift's TSocket: apache/hive
    Library(
        cause=DATABASE,
        name="Hive JDBC",
        frames=("org.apache.hive.",),
        remedy=(
            say(
                "Set socketTimeout (milliseconds) in the JDBC URL of Hive 4, or DriverManager.setLoginTimeout before:"
                " no timeout by default."
            ),
            say("Call Statement.setQueryTimeout."),
        ),
        kind="sdk",
        family="jdbc",
    ),
    # net.snowflake.client.core.HttpUtil.executeRequest over Apache HttpClient 4: snowflakedb/snowflake-jdbc
    Library(
        cause=DATABASE,
        name="Snowflake JDBC",
        frames=("net.snowflake.client.",),
        remedy=(say("Set networkTimeout (milliseconds) and queryTimeout (seconds) in Snowflake's JDBC URL."),),
        kind="sdk",
        family="jdbc",
    ),
    # SQLite waits for the lock of another process inside native code: xerial/sqlite-jdbc
    Library(
        cause=DATABASE,
        name="SQLite JDBC",
        frames=("org.sqlite.",),
        remedy=(
            say(
                "Set busy_timeout (milliseconds) in the JDBC URL of SQLite, and look which process has the file open"
                " (lsof FILE)."
            ),
        ),
        family="jdbc",
    ),
    # com.datastax.oss.driver.internal.core.util.concurrent.CompletableFutures.getUninterruptibly (4.x),
    # com.datastax.driver.core.DefaultResultSetFuture.getUninterruptibly (3.x): apache/cassandra-java-driver
    Library(
        cause=DATABASE,
        name="Cassandra driver",
        frames=("com.datastax.",),
        remedy=(
            say(
                "Set datastax-java-driver.basic.request.timeout (2 s by default) and"
                " advanced.connection.connect-timeout and init-query-timeout in application.conf; driver 3:"
                " SocketOptions.setReadTimeoutMillis (12 s)."
            ),
        ),
        family="rpc",
    ),
    # org.influxdb over Retrofit and OkHttp: influxdata/influxdb-java
    Library(
        cause=DATABASE,
        name="InfluxDB client",
        frames=("org.influxdb.", "com.influxdb."),
        remedy=(
            say(
                "Give InfluxDBFactory.connect (version 2: InfluxDBClientOptions.okHttpClient) an OkHttpClient.Builder"
                " with readTimeout and callTimeout."
            ),
        ),
        kind="sdk",
        family="http",
    ),
    # org.neo4j.driver.internal.util.Futures.blockingGet: neo4j/neo4j-java-driver
    Library(
        cause=DATABASE,
        name="Neo4j driver",
        frames=("org.neo4j.driver.",),
        remedy=(
            say(
                "Set Config.builder().withConnectionTimeout, withConnectionAcquisitionTimeout (60 s by default) and"
                " withMaxTransactionRetryTime, and TransactionConfig.withTimeout."
            ),
        ),
        family="rpc",
    ),
    # com.couchbase.client.java.AsyncUtils.block: couchbase/couchbase-jvm-clients
    Library(
        cause=DATABASE,
        name="Couchbase SDK",
        frames=("com.couchbase.client.",),
        remedy=(
            say(
                "Set TimeoutConfig.kvTimeout (2.5 s by default), queryTimeout (75 s) and connectTimeout in the"
                " ClusterEnvironment of Couchbase."
            ),
        ),
        family="rpc",
    ),
)
