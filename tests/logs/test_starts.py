"""Starts that fail: the last exception, the last words of a launcher or of a container's runtime tell why."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Report
from mqdiag.language import english
from mqdiag.logs.message import Message
from mqdiag.logs.whole_stack import whole_stack
from mqdiag.read.logs.scan import Hit
from mqdiag.read.logs.stamps import StampReader

BROKER = (
    "\tat org.apache.rocketmq.broker.BrokerStartup.createBrokerController(BrokerStartup.java:113)\n"
    "\tat org.apache.rocketmq.broker.BrokerStartup.main(BrokerStartup.java:53)\n"
)
CLIENT = (
    "\tat org.apache.rocketmq.client.impl.producer.DefaultMQProducerImpl.start(DefaultMQProducerImpl.java:217)\n"
    "\tat com.acme.orders.Sender.open(Sender.java:10)\n"
)
NO_FILE = "java.io.FileNotFoundException: "
MAIN = 'Exception in thread "main" '
BEAN = "Caused by: org.springframework.beans.factory.BeanCreationException: Error creating bean with name "
SPRING = f"{'*' * 27}\nAPPLICATION FAILED TO START\n{'*' * 27}\n\nDescription:\n\n{{}}\n\nAction:\n"
POD = "  Warning  {}  2m (x10 over 20m)  kubelet  {}\n"
DAEMON = "docker: Error response from daemon: {}\n"


def diagnosed(text: str, tmp_path: Path) -> Report:
    (tmp_path / "nohup.out").write_text(text)
    return diagnose_logs([tmp_path / "nohup.out"]).report


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (f"{NO_FILE}/opt/mq/conf/broker.conf (Is a directory)\n{BROKER}", "config-file-broken"),
        (f"{NO_FILE}../conf/broker.conf (No such file or directory)\n{BROKER}", "config-file-broken"),
        (f'java.lang.NumberFormatException: For input string: "4 "\n{BROKER}', "config-file-broken"),
        (f"java.lang.IllegalArgumentException: No enum constant a.Role.ASYSC\n{BROKER}", "config-file-broken"),
        (f"{NO_FILE}/data/store/lock (Permission denied)\n{BROKER}", "permission"),
        (f"{NO_FILE}/data/store/lock (Read-only file system)\n{BROKER}", "permission"),
        (f"{NO_FILE}/data/store/pictures/1.png (Permission denied)\n", "file-refused"),
        (f"java.lang.NoSuchMethodError: io.netty.buffer.Allocator.<init>(ZI)V\n{BROKER}", "class-missing"),
        (f"java.lang.NoClassDefFoundError: com/alibaba/fastjson/JSON\n{CLIENT}", "class-missing"),
        (f"java.lang.UnsatisfiedLinkError: /tmp/librocksdbjni1.so: Error\n{BROKER}", "class-missing"),
        (f"java.lang.NullPointerException\n{BROKER}", "exception"),
        # RocketMQ puts a line of its own between an exception and its stack
        (f"a.b.MQClientException: no\nSee http://a.b for further details.\n{CLIENT}", "exception"),
        (f"{BEAN}'a': Init failed; nested exception is a.b.SomeException: no\n\tat a.B.c(B.java:1)\n", "exception"),
        (f"{MAIN}a.b.NoSuchBeanDefinitionException: No qualifying bean\n\tat a.B.c(B.java:1)\n", "spring"),
        (f"{MAIN}org.flywaydb.core.api.FlywayException: no\n\tat a.B.main(B.java:1)\n", "exception"),
        ("2026-11-21 20:00:01 INFO main - shutdown thread AllocateMappedFileService true\n", "store-not-loaded"),
        ("CODE: 1  DESC: The broker does not support consumer to filter message by SQL92\n", "client-settings"),
        ("rm: cannot remove 'a'\n./entry.sh: line 21: /opt/a.conf: Permission denied\n", "launcher"),
        (f"java.lang.Error: no\n{CLIENT}Caused by: java.net.UnknownHostException: mq\n", "host-name-unknown"),
        (SPRING.format("Web server failed to start. Port 8080 was already in use."), "port-in-use"),
        (SPRING.format("Field a in com.acme.A required a bean of type 'b.C' that could not be found."), "spring"),
        (SPRING.format("").replace("Description:\n", ""), "spring"),
        (SPRING.format("Failed to bind properties under 'rocketmq.producer.group' to int:"), "config-file-broken"),
        (SPRING.format("An attempt was made to call a method that does not exist."), "class-missing"),
        ("nohup: failed to run command 'bin/mqbroker': No such file or directory\n", "launcher"),
        ("/usr/bin/env: 'sh\\r': No such file or directory\n", "launcher"),
        ("./runbroker.sh: line 2: $'\\r': command not found\n", "launcher"),
        ("sed: illegal option -- r\n", "launcher"),
        ("Please set the ROCKETMQ_HOME variable in your environment! \n", "launcher"),
        ("Slave's brokerId must be > 0\n", "config-file-broken"),
        (DAEMON.format("driver failed: Bind for 0.0.0.0:10911 failed: port is already allocated."), "port-in-use"),
        (DAEMON.format('OCI runtime create failed: exec: "sh mqnamesrv": not found in $PATH'), "container"),
        (DAEMON.format("manifest for apache/rocketmq:9 not found: manifest unknown"), "container"),
        ('3f9c0b2d11aa  mq:5.1.4  "./entry.sh"  2 hours ago  Exited (1) 11 minutes ago  mq\n', "container"),
        ('3f9c0b2d11aa  mq:5.1.4  "./entry.sh"  2 hours ago  Restarting (253) 9 seconds ago  mq\n', "container"),
        ("rmqbroker   ./docker-entrypoint.sh sh mq ...   Exit 253\n", "container"),
        (POD.format("Unhealthy", "Liveness probe failed: dial tcp 10.2.1.9:10911: refused"), "container"),
        (POD.format("FailedMount", 'MountVolume.SetUp failed for volume "conf" : not found'), "container"),
        (POD.format("Evicted", "The node was low on resource: memory."), "container"),
        ("2019-01-15 10:11:04,218 INFO exited: mq (exit status 1; not expected)\n", "container"),
        ("mq-1 | loading\ndependency failed to start: container a-mq-1 exited (1)\nmake: *** Error 1\n", "container"),
        ("2018.08.06 09:22:21 WARN  app[][a.b.C] Process exited with exit value [web]: 1\n", "container"),
        ("Lost executor 9 on n9: Container killed by YARN for exceeding memory limits. 7 GB\n", "container"),
        ("Error: -jar requires jar file specification\n", "class-missing"),
        ("[error] make sure the specified clusterName exists or the name server is\n", "cluster-not-found"),
        ('error: no matches for kind "Broker" in version "rocketmq.apache.org/v1alpha1"\n', "container"),
        (" Main PID: 4711 (code=killed, signal=SEGV)\n Main PID: 4711 (code=dumped, status=6/ABRT)\n", "container"),
    ],
)  # fmt: skip
def test_why_a_start_failed(text: str, cause: str, tmp_path: Path) -> None:
    (found,) = (one for one in diagnosed(text, tmp_path).findings if one.rule == "start-failed")
    assert found.cause == cause


@pytest.mark.parametrize(
    "text",
    [
        # caught, and logged by the server itself
        f"2026-11-21 20:00:01 WARN main - registerBroker Exception\njava.lang.IllegalStateException: no\n{BROKER}",
        # a thread of a broker that runs was refused a file, or a broker is stopped by its hook
        "2026-11-21 20:00:01 ERROR FlushService - Failed\njava.nio.file.AccessDeniedException: D:\\mq\\store\\config\n",
        "2026-11-21 20:00:01 INFO ShutdownHook - shutdown thread AllocateMappedFileService interrupt true\n",
        # a command of mqadmin
        "java.lang.IllegalStateException: no\n\tat org.apache.rocketmq.tools.command.MQAdminStartup.main(M.java:90)\n",
        # a thread dump has frames of a start too
        f'"main" #1 prio=5 tid=0x1 nid=0x2 runnable\n   java.lang.Thread.State: RUNNABLE\n{BROKER}',
        # it was started after all
        f"java.lang.NullPointerException\n{BROKER}The Name Server boot success. serializeType=JSON\n",
        # a row of a container that ended in order, and one of a container that runs
        '3f9c0b2d11aa  mq:5.1.4  "./entry.sh"  2 hours ago  Exited (0) 11 minutes ago  mq\n',
        '3f9c0b2d11aa  mq:5.1.4  "./entry.sh"  2 hours ago  Up 11 minutes  mq\n',
        "bash: foo: command not found\n",
        # a tool that somebody wanted to look at a process with
        "collect.sh: line 30: iostat: command not found\n",
        "collect.sh: line 31: /usr/bin/jstack: No such file or directory\n",
        "'jstack' is not recognized as an internal or external command,\n",
        "/usr/bin/env: 'python': No such file or directory\n",
        # a listener that throws, where a class is missing for an application's own answer
        '2026-11-21 12:00:00.123 INFO [main] com.acme.Search - user asked "APPLICATION FAILED TO START"\n',
    ],
)
def test_what_is_no_failed_start(text: str, tmp_path: Path) -> None:
    assert all(one.rule != "start-failed" for one in diagnosed(text, tmp_path).findings)


def test_what_is_cut_off_is_not_sure(tmp_path: Path) -> None:
    """The reason that Spring gives, and the line that a pod found its node, whose container was made."""
    (found,) = diagnosed(SPRING.format(""), tmp_path).findings
    assert (found.cause, found.confidence.value) == ("spring", "medium")
    for made in ("Created container mq", "Started container mq", 'Pulling image "mq:4.0.5"'):
        text = POD.format("FailedScheduling", "0/2 nodes are available: 2 Insufficient memory.")
        assert diagnosed(text, tmp_path).findings
        assert not diagnosed(text + POD.format("Made", made), tmp_path).findings


def test_another_finding_about_the_same_exception_takes_its_place(tmp_path: Path) -> None:
    text = (
        "java.lang.IllegalStateException: cannot start\n"
        + CLIENT
        + "Caused by: org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to mq:9876 failed\n"
    )
    assert {one.rule for one in diagnosed(text, tmp_path).findings} == {"name-server-unreachable"}


def test_the_deepest_cause_is_quoted_raw_with_its_place(tmp_path: Path) -> None:
    cause = "java.lang.IllegalStateException: 4 of 9\n"
    text = f"starting\njava.lang.RuntimeException: {cause}{CLIENT}Caused by: {cause}"
    (found,) = diagnosed(text, tmp_path).findings
    said = english()
    assert said(found.title).endswith("java.lang.IllegalStateException: 4 of 9")
    assert "nohup.out, line 5)" in said(found.explanation[0])


def _stack_of(text: bytes, at: bytes) -> object:
    start = text.rfind(b"\n", 0, text.index(at)) + 1
    end = text.find(b"\n", start)
    return whole_stack(Message(Hit(0, text[start:end], text, start, start, 1), StampReader()))


@pytest.mark.parametrize("at", [b"A.main", b"Caused by", b"C.read", b"java.lang.IllegalState"])
def test_a_stack_is_the_same_from_each_of_its_lines(at: bytes) -> None:
    text = (
        b"ERROR it failed\n\njava.lang.IllegalStateException: one\n\tat a.A.main(A.java:1)\n"
        b"Caused by: java.io.IOException: two\n\tat a.C.read(C.java:2)\n\t... 3 more\nafter\n"
    )
    stack = _stack_of(text, at)
    assert [part.thrown for part in stack.parts] == [
        "java.lang.IllegalStateException: one",
        "java.io.IOException: two",
    ]
    assert (stack.above, stack.position) == ("ERROR it failed", text.index(b"java.lang"))
    assert stack.frames == "at a.A.main(A.java:1)\nat a.C.read(C.java:2)"


TOO_LONG = (
    "2026-11-21 20:00:01.123 WARN  [Netty_1] RocketmqRemoting - {} PIPELINE: exceptionCaught exception.\n"
    "io.netty.handler.codec.TooLongFrameException: Adjusted frame length exceeds 16777216: {} - discarded\n"
)
TEMPLATE = "\tat org.apache.rocketmq.spring.support.DefaultRocketMQListenerContainer.{0}(Some.java:1)\n"
NO_TRACE = (
    "org.apache.rocketmq.client.exception.MQClientException: No route info of this topic: RMQ_SYS_TRACE_TOPIC\n"
)


@pytest.mark.parametrize(
    ("text", "rule", "cause"),
    [
        ("java.io.IOException: No space left on device\n\tat a.B.write(B.java:1)\n", "disk-full", "disk-full"),
        (TOO_LONG.format("NETTY CLIENT", 352518912), "connection-churn", "not-rocketmq"),
        (NO_TRACE, "no-route", "trace-topic-missing"),
        (
            "a.MQClientException: The producer service state not OK, START_FAILED\n",
            "start-failed",
            "client-settings",
        ),
        ("Error: connect ECONNREFUSED 10.1.2.3:9876\n", "name-server-unreachable", "unreachable"),
        (
            "Error: 14 UNAVAILABLE: Last error: connect ECONNREFUSED 10.1.2.3:8081\n",
            "proxy-unreachable",
            "unreachable",
        ),
        ("Error: connect ETIMEDOUT 10.1.2.3:10911\n", "send-timeout", "broker-unreachable"),
        ("Failed to fetch topic route, topic=orders, code=TopicNotFound\n", "no-route", "topic-not-created"),
        ("OSError: librocketmq.so: cannot open shared object file\n", "start-failed", "class-missing"),
        ("Error: consumerGroup has not been set yet\n", "start-failed", "client-settings"),
        (
            "2026-11-21 20:00:01.123  WARN 12 --- [MessageThread_1] a.r.s.s.DefaultRocketMQListenerContainer : consume"
            " message failed. messageId:0A1, topic:orders, reconsumeTimes:0\n"
            "org.springframework.messaging.converter.MessageConversionException: Could not read JSON\n"
            + TEMPLATE.format("doConvertMessage"),
            "listener-throws",
            "not-converted",
        ),
    ],
)
def test_what_a_few_lines_tell(text: str, rule: str, cause: str, tmp_path: Path) -> None:
    found = [(one.rule, one.cause) for one in diagnosed(text, tmp_path).findings if one.severity != "info"]
    assert found == [(rule, cause)]


def test_who_reads_foreign_bytes(tmp_path: Path) -> None:
    (client,) = diagnosed(TOO_LONG.format("NETTY CLIENT", 1212501072), tmp_path).findings
    (server,) = diagnosed(TOO_LONG.format("NETTY SERVER", 1212501072), tmp_path).findings
    assert english()(client.title).startswith("A client is connected to something")
    assert "not RocketMQ's" in english()(server.title)


def test_a_port_of_other_software_is_none_of_ours(tmp_path: Path) -> None:
    assert not diagnosed("Error: connect ECONNREFUSED 127.0.0.1:6379\n", tmp_path).findings


@pytest.mark.parametrize(
    "around",
    [
        "May  6 07:08:09 mq-host-01 run.sh[3121]: {}",
        "2024-05-06T07:08:09.123456789Z stdout F {}",
        '{{"log":"{}","stream":"stderr","time":"2024-05-06T07:08:09.123456789Z"}}',
        "rmqbroker  | {}",
        "> {}",
    ],
)
def test_a_failed_start_is_found_behind_what_collectors_print(around: str, tmp_path: Path) -> None:
    lines = f"{NO_FILE}/opt/mq/broker.conf (Is a directory)\n{BROKER}".splitlines()
    text = "".join(around.format(one.replace("\t", "\\t") if "{{" in around else one) + "\n" for one in lines)
    (found,) = diagnosed(text, tmp_path).findings
    assert (found.rule, found.cause) == ("start-failed", "config-file-broken")


def test_a_stack_that_ended_no_start_is_not_understood(tmp_path: Path) -> None:
    text = f"2026-11-21 20:00:01 INFO begin\njava.lang.IllegalStateException: no\n{BROKER}"
    report = diagnosed(text.replace("IllegalStateException: no", "Some: no") * 3, tmp_path)
    assert report.answer is not None
    assert report.answer.state == "undecided"


BIND = "java.net.BindException: Address already in use\n\tat sun.nio.ch.Net.bind0(Native Method)\n"
WORDS = "[2026-11-21 10:00:01,100] ERROR {} (a.b.Main)\n"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (WORDS.format("Unexpected exception, exiting abnormally") + BIND, "port-in-use"),
        (WORDS.format("Exiting Kafka due to fatal exception") + "a.b.IdException: no such id\n", "exception"),
        (WORDS.format("Nacos failed to start, please see /a/nacos.log for more details."), "exception"),
        # the same exception under other words ends no start
        (WORDS.format("no id yet, trying the next peer") + "a.b.IdException: no such id\n", None),
    ],
)
def test_servers_of_other_projects_say_that_their_start_failed(
    text: str, cause: str | None, tmp_path: Path
) -> None:
    report = diagnosed(text, tmp_path)
    assert [one.cause for one in report.findings if one.rule == "start-failed"] == ([cause] if cause else [])
    assert report.answer is not None
    assert report.answer.state == ("fault" if cause else "undecided")
    # without an exception their own words are named, not the head of the line
    named = [one.evidence.get("example") for one in report.findings]
    assert not any("ERROR" in (text or "") for text in named)


def test_a_jvm_that_gets_no_memory_from_the_system(tmp_path: Path) -> None:
    line = "OpenJDK 64-Bit Server VM warning: INFO: os::commit_memory(0xc0, 65536, 0) failed; error='{}' (errno={})\n"
    for error, number in (("Cannot allocate memory", 12), ("Not enough space", 12)):
        (found,) = diagnosed(line.format(error, number), tmp_path).findings
        assert (found.rule, found.cause, found.confidence) == ("jvm-crash", "out-of-native-memory", "medium")


@pytest.mark.parametrize(
    ("option", "action"),
    [
        ("Unrecognized VM option 'UseConcMarkSweepGC'", "-XX:+UseG1GC"),
        ("Unrecognized VM option 'CMSInitiatingOccupancyFraction=70'", "-XX:+UseG1GC"),
        ("Unrecognized VM option 'PrintGCDateStamps'", "-Xlog:gc*"),
        ("Unrecognized VM option 'UseCGroupMemoryLimitForHeap'", "MaxRAMPercentage"),
        ("Unrecognized VM option 'MaxPermSize=256m'", "MaxMetaspaceSize"),
        ("Unrecognized VM option 'AggressiveOpts'", "nothing has to take its place"),
        ("Unrecognized VM option 'MaxRAMPercentage=75.0'", "Start a Java that has the option"),
        (
            "Unrecognized option: --add-opens=java.base/java.lang=ALL-UNNAMED",
            "Start a Java that has the option",
        ),
        ("Unrecognized VM option 'UseSomethingElse'", "Use JDK 8 with these scripts"),
    ],
)
def test_an_option_that_the_jvm_does_not_know_is_named_with_what_takes_its_place(
    option: str, action: str, tmp_path: Path
) -> None:
    (found,) = diagnosed(f"{option}\nError: Could not create the Java Virtual Machine.\n", tmp_path).findings
    assert (found.rule, found.cause) == ("start-failed", "jvm-option")
    assert option in english()(found.title)
    first = english()(found.remedy[1])
    assert action in first
    # what takes an old option's place is no advice for another one
    assert (
        sum(word in first for word in ("-XX:+UseG1GC", "-Xlog:gc*", "MaxRAMPercentage", "MaxMetaspaceSize"))
        <= 1
    )
