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
