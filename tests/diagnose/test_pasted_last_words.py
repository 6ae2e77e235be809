"""What servers, their scripts and Docker say last, as people paste it: each text alone, in a file that a user names."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Report

MAIN_OF_KAFKA = (
    "\n\tat kafka.server.KafkaServer.startup(KafkaServer.scala:220)"
    "\n\tat kafka.Kafka$.main(Kafka.scala:84)\n\tat kafka.Kafka.main(Kafka.scala)\n"
)
REFUSED_PORT = (
    "driver failed programming external connectivity on endpoint mq (5a1b): Bind for 0.0.0.0:10911 failed:"
    " port is already allocated"
)
ANALYSIS = (
    "Description:\n\n{}\n\nReason: No suitable driver class\n\nAction:\n\nConsider the following:\n\tSet it.\n"
)
OF_LOGBACK = (
    "20:00:01,699 |-INFO in ch.qos.logback.classic.LoggerContext[default] - Found resource [logback.xml]\n"
    "20:00:01,700 |-{} in ch.qos.logback.core.joran.spi.Interpreter@12:34 - no applicable action for [appenders]\n"
)
LISTED = (
    "$ sh mqadmin clusterList -n 10.1.2.3:9876\n"
    "#Cluster Name     #Broker Name    #BID  #Addr                  #Version   #InTPS     #OutTPS\n"
    "shop              mq1             0     10.1.2.4:10911         V4_9_8     12.00      12.00\n"
)


def diagnosed(text: str, folder: Path, name: str = "pasted.txt") -> Report:
    file = folder / name
    file.write_text(text)
    return diagnose_incident([file]).report


def causes_of(report: Report) -> set[str]:
    return {f"{found.rule}/{found.cause}" for found in report.findings}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        # the exception of a start alone, without the record that it was logged under
        (
            "kafka.common.InconsistentClusterIdException: The Cluster ID a doesn't match stored clusterId Some(b) in"
            " meta.properties." + MAIN_OF_KAFKA,
            "start-failed/exception",
        ),
        ("java.lang.IllegalStateException: no quorum" + MAIN_OF_KAFKA, "start-failed/exception"),
        (
            'Exception in thread "main" com.acme.mq.InvalidConfigurationException: no image for version 2.3.1\n',
            "start-failed/config-file-broken",
        ),
        (
            ANALYSIS.format("Failed to configure a DataSource: 'url' attribute is not specified."),
            "start-failed/spring",
        ),
        # classes whose name is no more than Error or Exception
        (
            "21-Nov-2026 20:00:15.056 SEVERE [http-apr-8080-Acceptor] org.apache.tomcat.util.net.Acceptor.run Socket"
            " accept failed\n\torg.apache.tomcat.jni.Error: 24: Too many open files\n"
            "\t\tat org.apache.tomcat.jni.Socket.accept(Native Method)\n",
            "file-descriptors-exhausted/limit-too-low",
        ),
        (
            "terminate called after throwing an instance of 'rocketmq::MQException'\n"
            "what():msg:No route info of this topic,,error:in file <DefaultMQProducer.cpp> line:319\n",
            "no-route/topic-not-created",
        ),
        ("*** JBossAS process (334) received TERM signal ***\n", "shutdown-requested/signal"),
        (
            "2026-11-21 20:00:02,061 WARN Disk quota exceeded (kafka.utils.CoreUtils$) [pool-6-thread-1]\n"
            "java.io.IOException: Disk quota exceeded\n"
            "\tat java.io.RandomAccessFile.close(RandomAccessFile.java:651)\n",
            "disk-full/disk-full",
        ),
        (
            "2026-11-21 20:00:38,037 [worker-178] DEBUG com.zaxxer.hikari.pool.HikariPool - stock - Timeout failure"
            " stats (total=8, active=8, idle=0, waiting=128)\n",
            "connection-pool-exhausted/ran-dry",
        ),
        (
            "[2026-11-21 20:00:32,929] WARN [Controller id=1, targetBrokerId=1] Error connecting to node mq1:9092"
            " (id: 1 rack: null) (org.apache.kafka.clients.NetworkClient)\njava.net.UnknownHostException: mq1\n",
            "downstream-failing/kafka-unreachable",
        ),
        (
            "2026-11-21 20:00:32.233 ERROR 874 --- [main] i.s.c.r.netty.NettyClientChannelManager  : can not get"
            " cluster name in registry config 'service.vgroupMapping.shop', please make sure registry config correct\n",
            "downstream-failing/seata-unreachable",
        ),
        (
            "2026-11-21 20:00:05 ERROR BrokerControllerScheduledThread1 - SyncTopicConfig Exception, 10.1.2.3:10911\n"
            "java.lang.RuntimeException: only add attribute is supported while creating topic. key: essage.type\n"
            "\tat org.apache.rocketmq.common.attribute.AttributeUtil.alterCurrentAttributes(AttributeUtil.java:50)\n",
            "slave-behind/settings-refused",
        ),
    ],
)
def test_last_words_name_their_fault(text: str, told: str, tmp_path: Path) -> None:
    assert told in causes_of(diagnosed(text, tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        # the same exception for an administrator, a pool that has connections left, a description of something else
        "2026-11-21 20:00:05 ERROR AdminBrokerThread_1 - Update / create topic failed\n"
        "java.lang.RuntimeException: only add attribute is supported while creating topic. key: essage.type\n",
        "2026-11-21 20:00:38,045 [worker-1] DEBUG com.zaxxer.hikari.pool.HikariPool - stock - Timeout failure stats"
        " (total=9, active=8, idle=1, waiting=0)\n",
        "Description:\n\nThe port of the broker is 10911.\n\nAction:\n\nNone.\n",
    ],
)
def test_likenesses_of_last_words_accuse_nobody(text: str, tmp_path: Path) -> None:
    assert not any(found.is_fault for found in diagnosed(text, tmp_path).findings)


@pytest.mark.parametrize("end", ["", '        "Image": "sha256:9a4b",\n'])
def test_docker_inspect_is_read_although_it_is_cut(end: str, tmp_path: Path) -> None:
    state = f'"State": {{\n            "ExitCode": 128,\n            "Error": "{REFUSED_PORT}"\n        }}'
    text = f'[\n    {{\n        "Id": "7d2c",\n        {state},\n{end}'
    assert "start-failed/port-in-use" in causes_of(diagnosed(text, tmp_path, "inspect.json"))


def test_json_without_a_known_line_is_left_alone(tmp_path: Path) -> None:
    given = diagnosed('[{"Id": "7d2c", "Name": "shop"}]\n', tmp_path, "inspect.json").inputs
    assert [one.was_read for one in given] == [False]


@pytest.mark.parametrize(
    ("level", "state"), [("INFO", "healthy"), ("WARN", "undecided"), ("ERROR", "undecided")]
)
def test_what_logback_warns_of_is_not_all_clear(level: str, state: str, tmp_path: Path) -> None:
    assert diagnosed(OF_LOGBACK.format(level), tmp_path).answer.state == state


@pytest.mark.parametrize(
    ("below", "state"),
    [
        ("", "healthy"),
        ("\n$ sh mqadmin topicList\nTBW102\nSELF_TEST_TOPIC\n", "undecided"),
        # what a command changed, the answers show; a command without an answer says nothing
        ("\n$ sh mqadmin updateTopic -t orders\ncreate topic to 10.1.2.4:10911 success.\n", "healthy"),
        ("\n$ sh mqadmin topicList\n", "healthy"),
        ("\n$ sh mqadmin topicList\n$ jps\n4711 BrokerStartup\n", "healthy"),
    ],
)
def test_an_answer_that_nothing_reads_is_said(below: str, state: str, tmp_path: Path) -> None:
    answer = diagnosed(LISTED + below, tmp_path).answer
    assert answer.state == state
    if state == "undecided":
        assert "topicList" in str(answer.reason)


def test_netty_tells_what_the_jvm_offers(tmp_path: Path) -> None:
    line = "2026-11-21 20:00:20 DEBUG [main] i.n.u.i.PlatformDependent0 : {}\n"
    text = "".join(
        map(
            line.format,
            (
                "-Dio.netty.noUnsafe: false",
                "Java version: 17",
                "sun.misc.Unsafe.theUnsafe: available",
                "sun.misc.Unsafe.copyMemory: available",
                "java.nio.Buffer.address: available",
                "java.nio.Bits.unaligned: available, true",
                "java.nio.DirectByteBuffer.<init>(long, int): not available",
                "direct buffer constructor: unavailable java.lang.UnsupportedOperationException: Reflective"
                " setAccessible(true) disabled",
            ),
        )
    )
    assert diagnosed(text, tmp_path).answer.state == "healthy"
