"""Clients in other languages speak of the same faults, in layouts of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs

ROUTE = ("no-route", "topic-not-created")
GO = (
    'time="2026-11-21T21:31:05+08:00" level=warning msg="query topic route from server error"'
    ' underlayError="topic not exist"\n'
)
CPP = (
    "[2026-11-21 11:45:36.485818](warning):Get topic[orders] route failed [TOPIC_NOT_EXIST]."
    "[getTopicRouteInfoFromNameServer:324]\n"
)
SHARP = (
    "fail: Org.Apache.Rocketmq.Producer[0]\n      Failed to send message\n"
    "Org.Apache.Rocketmq.Error.NotFoundException: [request-id=0a, response-code=40402] No topic route info in name"
    " server for the topic: orders\n   at Org.Apache.Rocketmq.StatusChecker.Check(Status status)\n"
)
LOST = 'ERRO[0003] connect to namesrv failed.  namesrv="10.0.0.3:9876" topic=orders\n'
TWICE = "ERRO[0001] the consumer group has been created, specify another one  consumerGroup=a\n"
GO_5 = (
    "2026-11-21T21:31:05.123+0800\tERROR\tgolang/client.go:123\tfailed to send heartbeat, endpoints=10.1.2.3:8081,"
    ' err=rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp'
    ' 10.1.2.3:8081: connect: connection refused", requestId=0a\t{"client_id": "host@1"}\n'
)
RUST = (
    "2026-11-21T12:31:05.123456Z ERROR rocketmq::client: sync route failed: Client internal error at rpc.query_route =>"
    ' send rpc query_route failed, source: status: Unavailable, message: "tcp connect error: Connection refused"\n'
)
PYTHON = (
    "2026-11-21 12:31:05,123 [WARNING] host@1@0@x read stream from endpoints ipv4:10.1.2.3:8081 occurred AioRpcError."
    " code: StatusCode.UNAVAILABLE, message: failed to connect to all addresses\n"
)
NODE_5 = (
    "2026-11-21 12:31:05,123 WARN 1234 Heartbeat failed for endpoints=10.1.2.3:8081, clientId=host@1, error=4"
    " DEADLINE_EXCEEDED: Deadline exceeded\n"
)
CPP_5 = (
    "2026-11-21 12:31:05.123 [--W--] [ 12345] TopicNotFound: No topic route info in name server for the topic: orders."
    " Host=10.1.2.3:8081 ClientManagerImpl.cpp:123\n"
)
THREW = (
    "2026-11-21 12:31:05,123 [ERROR] message listener raised an exception while consuming messages, topic: orders,"
    " message_id: 01, 'NoneType' object has no attribute 'decode'\n"
)
REFUSED = (
    "org.apache.rocketmq.client.exception.MQBrokerException: CODE: 13  DESC: TopicMessageType validate failed, the"
    " expected type is FIFO, but actual type is NORMAL\n"
)
NODE = "ClientException: [request-id=0a, response-code=40300] no permission\n    at check (checker.js:9:1)\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (GO + "send message error: the topic=orders route info not found\n", ROUTE),
        (CPP, ROUTE),
        (SHARP, ROUTE),
        ("panic: CODE: TOPIC_NOT_FOUND, MESSAGE: No topic route info in name server for the topic: orders\n", ROUTE),
        ("Error: Route information not found for topic 'orders'\n", ROUTE),
        ("2026/11/21 10:00:00 broker: broker-a address not found\n", ("no-route", "broker-not-registered")),
        (LOST * 12, ("name-server-unreachable", None)),
        (NODE, ("access-denied", None)),
        (TWICE, ("start-failed", "group-exists")),
        ("panic: producer group has been created\n", ("start-failed", "group-exists")),
        (GO_5, ("proxy-unreachable", "unreachable")),
        (RUST, ("proxy-unreachable", "unreachable")),
        (PYTHON, ("proxy-unreachable", "unreachable")),
        ("query topic raise exception, 40402, No topic route info in name server for the topic: orders\n", ROUTE),
        (NODE_5, ("proxy-unreachable", "no-answer")),
        (CPP_5, ROUTE),
        (THREW, ("listener-throws", "own-code")),
        ("panic: current message type not match with topic accept message types\n", ("send-refused", "message-type")),
        (REFUSED, ("send-refused", "message-type")),
        ("panic: option.PullBatchSize out of range [1, 1024]\n", ("start-failed", "client-settings")),
    ],
)  # fmt: skip
def test_a_fault_has_the_cause_that_the_java_client_has(
    text: str, found: tuple[str, str | None], tmp_path: Path
) -> None:
    (tmp_path / "client.log").write_text(text)
    report = diagnose_logs([tmp_path / "client.log"]).report
    rule, cause = found
    assert any(one.rule == rule and cause in (None, one.cause) for one in report.findings), report.findings


def test_a_sentence_about_such_a_fault_is_none(tmp_path: Path) -> None:
    (tmp_path / "app.log").write_text(
        '2026-11-21 12:00:00.123 INFO [main] com.acme.Search - user asked "the topic=orders route info not found"\n'
        * 30
    )
    report = diagnose_logs([tmp_path / "app.log"]).report
    assert all(one.severity == "info" for one in report.findings)


def test_a_call_of_other_software_over_grpc_is_none(tmp_path: Path) -> None:
    (tmp_path / "app.log").write_text(
        "2026-11-21T12:31:05Z ERROR etcd/client.go:3 lease failed: rpc error: code = Unavailable desc = x\n"
    )
    report = diagnose_logs([tmp_path / "app.log"]).report
    assert report.answer.state == "undecided"
    assert not report.findings


def test_a_call_that_waits_for_messages_may_end_late(tmp_path: Path) -> None:
    (tmp_path / "client.log").write_text(
        "2026-11-21T21:31:05.123+0800\tERROR\tgolang/simple_consumer.go:98\tsimpleConsumer recv msg err=rpc error:"
        " code = DeadlineExceeded desc = context deadline exceeded, requestId=01\n"
    )
    assert not diagnose_logs([tmp_path / "client.log"]).report.findings


def test_the_catalogue_knows_lines_in_the_layouts_of_other_clients(tmp_path: Path) -> None:
    (tmp_path / "client.log").write_text(
        "2026-11-21 12:31:05.123 [--W--] [ 12345] Skipping route update: client state=2 ClientImpl.cpp:9\n"
        "2026-11-21 12:31:05,123 ERROR 1234 Failed to sync settings, clientId=host@1, error=x\n"
        "2026-11-21T21:31:05.123+0800\tERROR\tgolang/client.go:1\ttelemeter to 10.1.2.3:8081 failed, err=EOF\t{}\n"
        "2026-11-21 12:31:05.1234|ERROR|Org.Apache.Rocketmq.Client|Failed to update topic route cache, topic=orders\n"
    )
    logs = diagnose_logs([tmp_path / "client.log"]).report.logs
    assert logs is not None
    assert logs.level_lines is not None
    assert (logs.level_lines.faults, logs.level_lines.foreign) == (4, 0)


def test_an_option_that_mqadmin_does_not_know_is_none_of_the_jvm(tmp_path: Path) -> None:
    (tmp_path / "console.txt").write_text(
        "Unrecognized option: -x\nusage: mqadmin topicStatus [-h] [-n <arg>] -t <arg>\n"
    )
    (found,) = diagnose_logs([tmp_path / "console.txt"]).report.findings
    assert (found.rule, found.title.template.startswith("The JVM")) == ("start-failed", False)
