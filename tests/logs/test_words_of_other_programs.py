"""What other programs say when they refuse one, in their sources' own words: the rule and the cause that lead.

Each text names the source and the version that it was read in. A text counts at its own place alone.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Report
from tests.folded import folded

STACK = "\n\tat {frame}\n\tat com.acme.Orders.consume(Orders.java:42)\n"
HEAD = "2026-11-21 20:00:01.123 {level} 1 --- [main] {logger} : {text}\n"
CALM = "2026-11-21 20:{minute:02}:00.000  INFO 1 --- [main] c.acme.shop.Orders : order {minute} done\n"

THROWN = (
    # MySQL 8.0 messages_to_clients.txt, Connector/J 9.0 and 8.0.22
    (
        "java.sql.SQLException: Access denied for user 'shop'@'10.1.2.3' (using password: YES)",
        "database-refuses-user",
    ),
    (
        "java.sql.SQLNonTransientConnectionException: Public Key Retrieval is not allowed",
        "database-key-refused",
    ),
    (
        "java.sql.SQLSyntaxErrorException: Unknown database 'shop'",
        "database-missing",
    ),
    (
        "java.sql.SQLSyntaxErrorException: Table 'shop.orders' doesn't exist",
        "database-schema-differs",
    ),
    (
        "com.mysql.cj.jdbc.exceptions.CommunicationsException: Communications link failure",
        "database-unreachable",
    ),
    (
        "java.sql.SQLNonTransientConnectionException: Data source rejected establishment of"
        " connection,  message from"
        ' server: "Too many connections"',
        "database-sessions-full",
    ),
    (
        "com.mysql.cj.jdbc.exceptions.MySQLTransactionRollbackException: Lock wait timeout"
        " exceeded; try restarting"
        " transaction",
        "database-lock-waits",
    ),
    (
        "java.sql.SQLException: The server time zone value 'CST' is unrecognized or"
        " represents more than one time"
        " zone.",
        "database-time-zone",
    ),
    (
        "java.sql.SQLIntegrityConstraintViolationException: Duplicate entry '4711' for key 'orders.PRIMARY'",
        "database-row-exists",
    ),
    (
        "java.sql.SQLException: The table 'orders' is full",
        "database-full",
    ),
    # pgjdbc 42.7 ConnectionFactoryImpl, PostgreSQL 17 auth.c, postinit.c, lock.c
    (
        'org.postgresql.util.PSQLException: FATAL: password authentication failed for user "shop"',
        "database-refuses-user",
    ),
    (
        'org.postgresql.util.PSQLException: FATAL: database "shop" does not exist',
        "database-missing",
    ),
    (
        "org.postgresql.util.PSQLException: FATAL: sorry, too many clients already",
        "database-sessions-full",
    ),
    (
        "org.postgresql.util.PSQLException: Connection to db:5432 refused. Check that the"
        " hostname and port are correct"
        " and that the postmaster is accepting TCP/IP connections.",
        "database-unreachable",
    ),
    (
        "org.postgresql.util.PSQLException: ERROR: cannot execute INSERT in a read-only transaction",
        "database-read-only",
    ),
    # Oracle 19c error messages, ojdbc 19
    (
        "java.sql.SQLException: ORA-01017: invalid username/password; logon denied",
        "database-refuses-user",
    ),
    (
        "java.sql.SQLRecoverableException: IO Error: The Network Adapter could not establish the connection",
        "database-unreachable",
    ),
    # mssql-jdbc 13 SQLServerResource, SQL Server 2022 sys.messages 18456, 1205
    (
        "com.microsoft.sqlserver.jdbc.SQLServerException: Login failed for user 'shop'.",
        "database-refuses-user",
    ),
    (
        "com.microsoft.sqlserver.jdbc.SQLServerException: The TCP/IP connection to the host"
        " db, port 1433 has failed.",
        "database-unreachable",
    ),
    # Redis 7.4 server.c, acl.c; Jedis 7, Lettuce 7, Redisson 4
    (
        "redis.clients.jedis.exceptions.JedisDataException: NOAUTH Authentication required.",
        "redis-refuses-user",
    ),
    (
        "io.lettuce.core.RedisCommandExecutionException: OOM command not allowed when used"
        " memory > 'maxmemory'.",
        "redis-full",
    ),
    (
        "redis.clients.jedis.exceptions.JedisClusterOperationException: No reachable node in cluster.",
        "redis-not-serving",
    ),
    (
        "org.redisson.client.RedisConnectionException: Can't connect to servers!",
        "redis-unreachable",
    ),
    (
        "io.lettuce.core.RedisCommandTimeoutException: Command timed out after 1 minute(s)",
        "redis-too-late",
    ),
    # Nacos 2.5 and 3.0 RpcClient, NamingProxy 1.4
    (
        "com.alibaba.nacos.api.exception.NacosException: Client not connected, current status:STARTING",
        "nacos-unreachable",
    ),
    (
        "java.lang.IllegalStateException: failed to req API:/nacos/v1/ns/instance after all"
        " servers([h:8848]) tried",
        "nacos-unreachable",
    ),
    # ZooKeeper 3.9 KeeperException, Eureka 2.0, Apollo 2.5, consul-api 1.4
    (
        "org.apache.zookeeper.KeeperException$ConnectionLossException: KeeperErrorCode ="
        " ConnectionLoss for /dubbo",
        "zookeeper-unreachable",
    ),
    (
        "com.netflix.discovery.shared.transport.TransportException: Cannot execute request on any known server",
        "eureka-unreachable",
    ),
    (
        "com.ctrip.framework.apollo.exceptions.ApolloConfigException: Get config services failed",
        "apollo-unreachable",
    ),
    # Dubbo 3.3 AbstractClusterInvoker, AbortPolicyWithReport, DefaultFuture
    (
        "org.apache.dubbo.rpc.RpcException: No provider available from registry h:8848 for"
        " service com.acme.Stock",
        "dubbo-no-provider",
    ),
    (
        "java.util.concurrent.RejectedExecutionException: Thread pool is EXHAUSTED! Thread Name:"
        " DubboServerHandler",
        "dubbo-threads-busy",
    ),
    # Feign 13, Spring Cloud LoadBalancer 4, JDK 17 sun.security.ssl
    (
        "feign.RetryableException: connect timed out executing GET http://stock/items",
        "http-call-failed",
    ),
    (
        "javax.net.ssl.SSLHandshakeException: PKIX path building failed: unable to find"
        " valid certification path",
        "tls-not-trusted",
    ),
    (
        "javax.net.ssl.SSLHandshakeException: No appropriate protocol (protocol is disabled"
        " or cipher suites are"
        " inappropriate)",
        "tls-does-not-fit",
    ),
    # kafka-clients 3.9, Elasticsearch 7.17
    (
        "org.apache.kafka.common.errors.TimeoutException: Topic orders not present in metadata after 60000 ms.",
        "kafka-unreachable",
    ),
    (
        "org.elasticsearch.ElasticsearchStatusException: Elasticsearch exception"
        " [type=cluster_block_exception,"
        " reason=index [orders] blocked by: [FORBIDDEN/12/index read-only / allow delete (api)];]",
        "elasticsearch-refuses",
    ),
)
LOGGED = {
    # HikariCP 6.0 PoolBase, Apollo client 2.5 RemoteConfigRepository, kafka-clients 3.9 NetworkClient
    (
        "com.zaxxer.hikari.pool.PoolBase",
        "HikariPool-1 - Failed to validate connection com.mysql.cj.jdbc.ConnectionImpl@1 (No"
        " operations allowed).",
    ): "database-connection-dropped",
    (
        "c.c.f.apollo.internals.RemoteConfigRepository",
        "Load config failed, will retry in 1 SECONDS. appId: a, cluster: default, namespaces: application",
    ): "apollo-unreachable",
    (
        "org.apache.kafka.clients.NetworkClient",
        "[Producer clientId=p] Connection to node -1 (h/10.1.2.3:9092) could not be"
        " established. Node may not be"
        " available.",
    ): "kafka-unreachable",
    # Nacos client 1.4 ServerHttpAgent, 2.5 GrpcClient as Log4j and Spring Boot shorten it
    (
        "c.alibaba.nacos.client.config.http.ServerHttpAgent",
        "[NACOS ConnectException httpGet] currentServerAddr:http://h:8848, err : Connection refused",
    ): "nacos-unreachable",
    (
        "c.a.n.c.r.c.GrpcClient",
        "no available server, currentServerAddr : http://h:8848",
    ): "nacos-unreachable",
    (
        "c.a.n.c.remote.client.grpc.GrpcClient",
        "no available server, currentServerAddr : http://h:8848",
    ): "nacos-unreachable",
    # Nacos client 1.4 NamingProxy, common-docker 7.4 ClusterStatus
    (
        "com.alibaba.nacos.client.naming",
        "request: /nacos/v1/ns/instance/list failed, servers: [h:8848], code: 500, msg: Connection refused",
    ): "nacos-unreachable",
    (
        "io.confluent.admin.utils.ClusterStatus",
        "Expected 1 brokers but found only 0. Brokers found [].",
    ): "kafka-unreachable",
}
STARTS = (
    # JDK 17 InvocationAdapter.c, arguments.cpp, jvmtiAgentList.cpp; OpenJ9 0.49 j9vm.nls
    (
        "Error opening zip file or JAR manifest missing : /opt/agent.jar\n",
        "jvm-option",
    ),
    (
        "Could not find agent library jprofilerti on the library path, with error: libjprofilerti.so\n",
        "jvm-option",
    ),
    (
        "Improperly specified VM option 'MaxDirectMemorySize=15gb'\n",
        "jvm-option",
    ),
    (
        "JVMJ9VM007E Command-line option unrecognised: -Xfoo\n",
        "jvm-option",
    ),
    (
        "Error: Main method not found in class org.acme.Main, please define the main method as:\n",
        "class-missing",
    ),
    # the debugger's port: JDK 17 transport.c
    (
        "ERROR: transport error 202: bind failed: Address already in use\n",
        "port-in-use",
    ),
    # systemd 255 execute.c, Kubernetes 1.32
    (
        "rocketmq.service: Failed at step EXEC spawning /opt/mq/bin/mqbroker: No such file or directory\n",
        "container",
    ),
    (
        '  Warning  Failed  2m  kubelet  Failed to pull image "apache/rocketmq:9.9.9": not found\n',
        "container",
    ),
    (
        '  Warning  Failed  2m  kubelet  Error: configmap "broker-conf" not found\n',
        "container",
    ),
    (
        "  Warning  FailedCreatePodSandBox  2m  kubelet  Failed to create pod sandbox: rpc error\n",
        "container",
    ),
    # systemd 219 and older
    (
        "systemd[1]: start request repeated too quickly for rocketmq.service\n",
        "container",
    ),
    (
        "systemd[1]: rocketmq.service: control process exited, code=exited status=1\n",
        "container",
    ),
    # Hadoop 3.3 HttpServer2 and FSImage, Helix 1.0 ZKHelixManager
    (
        "java.net.BindException: Port in use: mq1.acme.com:50090\n\tat a.B.c(B.java:1)\n",
        "port-in-use",
    ),
    (
        "java.io.IOException: NameNode is not formatted.\n\tat a.B.c(B.java:1)\n",
        "exception",
    ),
    (
        "org.apache.helix.HelixException: Cluster structure is not set up for cluster: a\n\tat a.B.c(B.java:1)\n",
        "exception",
    ),
    # JDK 17 RandomAccessFile on Windows
    (
        'Exception in thread "main" java.io.FileNotFoundException: D:\\acme\\a.idx'
        " (The system cannot find the path specified)\n\tat com.acme.Main.main(Main.java:3)\n",
        "exception",
    ),
    # JDK 17 java.c, and .NET 6
    (
        "Error: Could not create the Java Virtual Machine.\nError: A fatal exception has occurred.\n",
        "jvm-option",
    ),
    (
        "System.IO.FileNotFoundException: Could not load file or assembly 'Grpc.Core, Version=2.0.0.0'.\n",
        "class-missing",
    ),
    # Logback 1.5 FileAppender, Log4j 2.25 FileManager
    (
        "ERROR StatusConsoleListener Unable to create file /var/log/app.log\n",
        "permission",
    ),
    (
        "20:00:01,123 |-ERROR in ch.qos.logback.core.FileAppender[FILE] - Failed to create"
        " parent directories for [/l]\n",
        "permission",
    ),
    (
        "2026-11-21 20:00:01,123 main ERROR Unable to create file /var/log/app.log java.io.IOException: no\n",
        "permission",
    ),
    # JDK 17 PKCS12KeyStore
    (
        "java.io.IOException: keystore password was incorrect\n\tat"
        " sun.security.pkcs12.PKCS12KeyStore.engineLoad(P.java:1)\n",
        "tls",
    ),
    # rocketmq-spring 2.3.5, and the proxy of 5.3.3
    (
        "java.lang.IllegalArgumentException: [rocketmq.name-server] must not be null\n\tat a.B.c(B.java:1)\n",
        "client-settings",
    ),
    (
        "java.lang.RuntimeException: the config file /opt/conf/rmq-proxy.json not"
        " exist\n\tat a.B.c(B.java:1)\n",
        "config-file-broken",
    ),
)
STARS = 27 * "*"
ANALYSIS = f"{STARS}\nAPPLICATION FAILED TO START\n{STARS}\n\nDescription:\n\n{{}}\n"
ANALYSED = (
    # Spring Boot 4.0, failure analysers
    (
        "The dependencies of some of the beans in the application context form a cycle:",
        "circle",
    ),
    (
        "The bean 'a', defined in class path resource [A.class], could not be registered. A"
        " bean with that name has"
        " already been defined in class path resource [B.class] and overriding is disabled.",
        "one name",
    ),
    (
        "Field a in com.acme.B required a single bean, but 2 were found:",
        "several beans",
    ),
    (
        "Failed to configure a DataSource: 'url' attribute is not specified and no embedded"
        " datasource could be"
        " configured.",
        "no driver for its database",
    ),
    (
        "The Tomcat connector configured to listen on port 8080 failed to start. The port"
        " may already be in use or the"
        " connector may be misconfigured.",
        "port is in use",
    ),
)


def diagnosed(text: str, tmp_path: Path) -> Report:
    log = tmp_path / "app.log"
    log.write_text(text)
    return diagnose_logs([log]).report


def led_by(report: Report) -> tuple[str, str]:
    assert report.findings
    return report.findings[0].rule, report.findings[0].cause


@folded("case", THROWN)
def test_an_exception_of_a_driver_names_what_refuses(case: tuple[str, str], tmp_path: Path) -> None:
    text, told = case
    report = diagnosed(text + STACK.format(frame="com.driver.Call.run(Call.java:1)"), tmp_path)
    assert led_by(report) == ("downstream-failing", told)
    assert report.findings[0].then or report.findings[0].now


@folded("logged", [*LOGGED])
def test_a_logger_of_a_client_names_what_refuses(logged: tuple[str, str], tmp_path: Path) -> None:
    logger, text = logged
    report = diagnosed(HEAD.format(level="WARN", logger=logger, text=text), tmp_path)
    assert led_by(report) == ("downstream-failing", LOGGED[logged])


@folded("logged", [*LOGGED])
@pytest.mark.parametrize("package", ["c.acme.shop.", ""])
def test_a_class_of_an_application_has_no_words_of_a_client(
    package: str, logged: tuple[str, str], tmp_path: Path
) -> None:
    """Though it has the same simple name."""
    logger, text = logged
    lines = [CALM.format(minute=minute) for minute in range(40)]
    lines[20] = HEAD.format(level="WARN", logger=package + logger.rpartition(".")[2], text=text)
    assert not [one for one in diagnosed("".join(lines), tmp_path).findings if one.rule == "downstream-failing"]


@folded("case", STARTS)
def test_last_words_of_a_start_name_its_cause(case: tuple[str, str], tmp_path: Path) -> None:
    text, told = case
    assert led_by(diagnosed(text, tmp_path)) == ("start-failed", told)


@folded("case", ANALYSED)
def test_what_spring_analysed_has_an_action_of_its_own(case: tuple[str, str], tmp_path: Path) -> None:
    text, told = case
    report = diagnosed(ANALYSIS.format(text), tmp_path)
    assert report.findings[0].rule == "start-failed"
    assert told in report.findings[0].title.template


@folded("case", THROWN)
def test_what_a_user_wrote_accuses_nobody(case: tuple[str, str], tmp_path: Path) -> None:
    text, _ = case
    lines = [CALM.format(minute=minute) for minute in range(40)]
    for number, form in enumerate(('new comment: "{}"', "search q={}", "customer wrote {}")):
        lines[10 + number] += HEAD.format(level=" INFO", logger="c.acme.shop.Comments", text=form.format(text))
    assert not diagnosed("".join(lines), tmp_path).findings


@pytest.mark.parametrize(("times", "told"), [(2, []), (3, ["database-lock-waits"])])
def test_what_may_pass_is_told_when_it_comes_again(times: int, told: list[str], tmp_path: Path) -> None:
    text = (
        HEAD.format(level="ERROR", logger="c.acme.shop.Orders", text="not stored")
        + "com.mysql.cj.jdbc.exceptions.MySQLTransactionRollbackException: Deadlock found when trying to get lock;"
        " try restarting transaction" + STACK.format(frame="com.mysql.cj.jdbc.ConnectionImpl.commit(C.java:1)")
    )
    lines = [CALM.format(minute=minute) for minute in range(40)]
    for number in range(times):
        lines[10 + number] += text
    report = diagnosed("".join(lines), tmp_path)
    assert [one.cause for one in report.findings if one.rule == "downstream-failing"] == told


@pytest.mark.parametrize(
    "text",
    [
        # rocketmq-clients 5.1: golang ErrRpcStatus, nodejs StatusChecker
        "CODE: INTERNAL_SERVER_ERROR, MESSAGE: null. NullPointerException. a.B.c(B.java:66)\n",
        "InternalErrorException: [request-id=undefined, response-code=50001] null. "
        "NullPointerException. a.B.c(B.java:63)\n",
    ],
)
def test_an_exception_that_the_server_threw_is_told(text: str, tmp_path: Path) -> None:
    report = diagnosed(text, tmp_path)
    assert report.answer is not None
    assert report.answer.state == "fault"
    assert led_by(report) == ("reported-fault", "server-threw")
