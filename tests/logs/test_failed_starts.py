"""Programs of any kind that say that they did not start: the rule, the cause and what the title names."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Report
from mqdiag.read.logs.scan import SOME, Counts, Scanner
from tests.folded import folded

CALM = "2026-11-21 20:{minute:02}:00.000  INFO 1 --- [exec-1] c.acme.shop.Orders : order {minute} done\n"
JETTY = "\tat org.eclipse.jetty.server.ServerConnector.openAcceptChannel(ServerConnector.java:346)\n"
MANY = "org.neo4j.server.ServerStartupException: Starting Neo4j failed: Component 'a' failed to start"

DECIDED = (
    # Jetty 9.4 and 10: ServerConnector, XmlConfiguration, Winstone's Logger
    (
        "[ERROR] 2026-11-21 20:00:01,311 com.acme.Starter - Exception happened\n"
        f"java.io.IOException: Failed to bind to /127.0.0.1:8080\n{JETTY}",
        "port-in-use",
        "port is in use",
    ),
    (
        "Caused by: java.io.IOException: Failed to bind to /0.0.0.0:8080\n" + JETTY,
        "port-in-use",
        "port is in use",
    ),
    (
        "2026-11-21 20:00:01,367 | ERROR | thread-1 | Activator | 71 - pax-web-runtime - 8.0.0 | "
        "Unable to start Pax Web server: Failed to bind to /0.0.0.0:8181\n",
        "port-in-use",
        "port is in use",
    ),
    (
        f"java.io.IOException: Failed to bind to /0.0.0.0:80\n{JETTY}"
        "Caused by: java.net.SocketException: Permission denied\n\tat sun.nio.ch.Net.bind0(Native Method)\n",
        "permission",
        "may not",
    ),
    (
        f"java.io.IOException: Failed to bind to /203.0.113.7:8080\n{JETTY}"
        "Caused by: java.net.BindException: Cannot assign requested address\n\tat"
        " sun.nio.ch.Net.bind0(Native Method)\n",
        "config-file-broken",
        "no interface of its machine",
    ),
    (
        "2026-11-21 20:00:01,131 ERROR [io.qua.run.Application] (main) Port 8080 seems to be"
        " in use by another process."
        " Quarkus may already be running or the port is used by another application.\n",
        "port-in-use",
        "port is in use",
    ),
    # Neo4j 3.3 to 3.5
    (
        "2026-11-21 20:00:01.326+0000 ERROR Failed to start Neo4j: Starting Neo4j failed: Component 'a' was"
        " successfully initialized, but failed to start. Please see attached cause exception.\n",
        "exception",
        "Failed to start Neo4j",
    ),
    (
        f"2026-11-21 20:00:01.326+0000 ERROR Failed to start Neo4j: x\n"
        f'{MANY} "/data/graph.db/neostore (Permission denied)".\n'
        "\tat org.neo4j.server.CommunityEntryPoint.main(CommunityEntryPoint.java:32)\n"
        "Caused by: org.neo4j.kernel.lifecycle.LifecycleException: Component\n",
        "permission",
        "neostore (Permission denied)",
    ),
    # BookKeeper 4.9, Nexus 3, Hadoop 2 and 3, Solr 8, Tomcat 9, WildFly 26
    (
        "20:00:01.695 [main] ERROR org.apache.bookkeeper.server.Main - Failed to build bookie server\n"
        "org.apache.bookkeeper.bookie.BookieException$InvalidCookieException: instanceId a"
        " is not matching with b\n"
        "\tat org.apache.bookkeeper.bookie.Cookie.verifyInternal(Cookie.java:142)\n",
        "exception",
        "instanceId a is not matching with b",
    ),
    (
        "2026-11-21 20:00:01,558+0000 ERROR [FelixStartLevel] *SYSTEM"
        " org.sonatype.nexus.extender.NexusContextListener"
        " - Failed to start nexus\ncom.acme.StorageException: File 'realm.cpm' does not"
        " exist\n\tat com.acme.A.b(A.java:1)\n",
        "exception",
        "realm.cpm",
    ),
    (
        "2026-11-21 20:00:01,111 FATAL"
        " org.apache.hadoop.yarn.server.resourcemanager.ResourceManager: Error starting"
        " ResourceManager\nCaused by: java.lang.IllegalArgumentException: Illegal capacity"
        " of 1.1 for queue root\n"
        "\tat com.acme.A.b(A.java:1)\n",
        "exception",
        "Illegal capacity",
    ),
    (
        "2026-11-21 20:00:01.950 ERROR (coreContainerWorkExecutor-2-thread-1) [   ]"
        " o.a.s.c.CoreContainer Error waiting"
        " for SolrCore to be loaded on startup => java.util.concurrent.ExecutionException: a\n"
        "java.util.concurrent.ExecutionException: a\n\tat"
        " java.util.concurrent.FutureTask.report(FutureTask.java:122)\n"
        "Caused by: java.nio.file.AccessDeniedException: /var/solr/data/orders\n\tat a.B.c(B.java:1)\n",
        "permission",
        "/var/solr/data/orders",
    ),
    (
        "21-Nov-2026 20:00:01.249 SEVERE [localhost-startStop-1]"
        " org.apache.catalina.core.StandardContext.listenerStart"
        " Exception sending context initialized event to listener instance of class [com.acme.Listener]\n"
        "java.lang.ClassNotFoundException: com.acme.Listener\n\tat a.B.c(B.java:1)\n",
        "class-missing",
        "com.acme.Listener",
    ),
    (
        "20:00:01,531 ERROR [org.jboss.as] (Controller Boot Thread) WFLYSRV0026: WildFly"
        " Full 26.0.0.Final started (with"
        " errors) in 4567ms - Started 300 of 500 services (1 services failed or missing dependencies)\n",
        "exception",
        "started (with errors)",
    ),
    # Play 2.8, of whose exceptions the class is one within a class
    (
        "Oops, cannot start the"
        " server.\ncom.typesafe.config.ConfigException$UnresolvedSubstitution: application.conf:"
        " 12: Could not resolve substitution to a value: ${APPLICATION_SECRET}\n\tat a.B.c(B.java:1)\n",
        "config-file-broken",
        "APPLICATION_SECRET",
    ),
    # a logger's words for a main thread that ended, Fabric 0.14
    (
        '[20:00:01] [ERROR] [FabricLoader/]: Uncaught exception in thread "main"\n'
        "java.lang.RuntimeException: An exception occurred when launching the server!\n"
        "\tat"
        " net.fabricmc.loader.impl.launch.server.FabricServerLauncher.main(FabricServerLauncher.java:71)\n"
        "Caused by: java.lang.IllegalStateException: no game\n\tat a.B.c(B.java:1)\n",
        "exception",
        "no game",
    ),
    (
        'Exception in thread "main" java.lang.RuntimeException: a\n\tat com.acme.Main.main(Main.java:5)\n'
        "Caused by: java.net.ConnectException: Connection refused\n\tat a.B.c(B.java:1)\n",
        "exception",
        "java.net.ConnectException: Connection refused",
    ),
    # Dropwizard 2
    (
        "io.dropwizard.configuration.ConfigurationParsingException: config.yml has an error:\n"
        "  * Unrecognized field at: databse\n",
        "config-file-broken",
        "config.yml",
    ),
    # ASM 9, javac, Jenkins' executable-war
    (
        "[20:00:01.241] [main/WARN] [mixin/]: Error loading class: a/B"
        " (java.lang.IllegalArgumentException: Unsupported"
        " class file major version 66)\n",
        "class-version",
        "later version of Java",
    ),
    (
        "[ERROR] Failed to execute goal"
        " org.apache.maven.plugins:maven-compiler-plugin:3.8.1:compile on project a: Fatal"
        " error compiling: error: invalid target release: 17 -> [Help 1]\n",
        "class-version",
        "later version of Java",
    ),
    # coreutils, and the entrypoints of Solr and Jenkins
    (
        "mkdir: cannot create directory '../sonatype-work/nexus3/log': Permission denied\n",
        "permission",
        "nexus3/log",
    ),
    (
        "Cannot write to /var/solr as 8983:8983\ndrwxr-xr-x 2 root root 4096 Oct 18 08:13 /var/solr\n",
        "permission",
        "/var/solr",
    ),
    # Tanuki's wrapper 3.5, Logstash 7, Flink 1.14, Elasticsearch 7
    (
        "ERROR  | wrapper  | 2026/11/21 20:00:13 | JVM exited while loading the application.\n",
        "exception",
        "JVM exited while loading",
    ),
    (
        "[2026-11-21T20:00:01,220][ERROR][logstash.agent           ] Failed to execute action"
        " {:action=>LogStash::PipelineAction::Create/pipeline_id:main,"
        ' :exception=>"LogStash::ConfigurationError"}\n',
        "config-file-broken",
        "ConfigurationError",
    ),
    (
        "[ERROR] Could not get JVM parameters and dynamic configurations properly.\n",
        "config-file-broken",
        "JVM parameters",
    ),
    (
        "java.lang.RuntimeException: can not run elasticsearch as root\n\tat a.B.c(B.java:1)\n",
        "config-file-broken",
        "as root",
    ),
)

NOTHING = (
    # what somebody wrote about a program
    "My server failed to start after the upgrade, and the portal shows that it could not start it.\n",
    # at a quiet level, and quoted
    "2026-11-21 20:00:01.000  INFO 1 --- [main] c.acme.shop.Orders : Failed to start the server\n",
    '2026-11-21 20:00:01.000 ERROR 1 --- [exec-1] c.acme.shop.Notes : new note="Failed to start the server"\n',
    "2026-11-21 20:00:01.000  WARN 1 --- [exec-1] c.acme.shop.Jobs : Failed to start job 12\n",
    # an error of memory is no fault of a start
    "2026-11-21 20:00:01.000 ERROR 1 --- [main] c.acme.shop.Jobs : Failed to start the server\n"
    "java.lang.OutOfMemoryError: Java heap space\n\tat a.B.c(B.java:1)\n",
    # other rules judge what a client of RocketMQ throws
    'Exception in thread "main" java.lang.RuntimeException: a\n\tat com.acme.Main.main(Main.java:5)\n'
    "Caused by: java.net.ConnectException: b\n\tat org.apache.rocketmq.client.impl.MQClientAPIImpl.a(A.java:1)\n",
    # it was made in the end
    "mkdir: cannot create directory '/data': File exists\n",
)


def diagnosed(text: str, tmp_path: Path) -> Report:
    log = tmp_path / "app.log"
    log.write_text(text)
    return diagnose_logs([log]).report


@folded("case", DECIDED)
def test_words_of_a_start_that_failed_tell_its_cause(case: tuple[str, str, str], tmp_path: Path) -> None:
    text, cause, named = case
    first = diagnosed(text, tmp_path).findings[0]
    assert (first.rule, first.cause) == ("start-failed", cause)
    assert named in str(first.title)


@folded("text", NOTHING)
def test_the_same_words_elsewhere_are_no_failed_start(text: str, tmp_path: Path) -> None:
    assert not [one for one in diagnosed(text, tmp_path).findings if one.rule == "start-failed"]


def test_a_part_of_a_running_program_is_a_warning(tmp_path: Path) -> None:
    """A job that does not start is no program that does not."""
    lines = [CALM.format(minute=minute) for minute in range(40)]
    lines[20] = "2026-11-21 20:20:00.000 ERROR 1 --- [exec-7] c.acme.shop.Jobs : Failed to start job 12\n"
    report = diagnosed("".join(lines), tmp_path)
    assert [(one.rule, one.severity, one.confidence) for one in report.findings] == [
        ("start-failed", "warning", "low")
    ]
    assert "A part of a program" in str(report.findings[0].title)


def test_a_start_that_is_told_twice_counts_once(tmp_path: Path) -> None:
    text = (
        "2026-11-21 20:00:01.326+0000 ERROR Failed to start Neo4j: Starting Neo4j failed\n"
        f"{MANY}\n\tat org.neo4j.server.CommunityEntryPoint.main(CommunityEntryPoint.java:32)\n"
    )
    assert diagnosed(text, tmp_path).findings[0].evidence["lines"] == 1


@pytest.mark.parametrize("text", [b"a part failed to start (exit status 1)\n", b"x failed to start now\n"])
def test_a_longer_literal_is_found_where_a_shorter_one_stands_in_it(text: bytes) -> None:
    literals = (b"ailed to start", b" failed to start (exit status ")
    scanner = Scanner(literals, (SOME, SOME), (False, False))
    found = [hit.literal for hit in scanner.hits(iter([text]), Counts())]
    assert found == [1 if b"exit" in text else 0]
