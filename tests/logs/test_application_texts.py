"""Texts that users wrote into exceptions and messages, as RocketMQ's client repeats them in its own log."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Confidence, Finding, Severity
from mqdiag.logs import application_texts
from mqdiag.logs.message import Message
from tests.logs.given import CLIENT_5, facts, line

HEALTHY = Path(__file__).parents[2] / "fixtures/logs/healthy-5.3.3/consumer/rocketmq_client.log.gz"
STACK = """
\tat com.acme.shop.OrderListener.consumeMessage(OrderListener.java:41)
\tat org.apache.rocketmq.client.impl.consumer.ConsumeMessageConcurrentlyService$ConsumeRequest.run(A.java:411)
\tat java.lang.Thread.run(Thread.java:748)"""
MESSAGES = (
    "Group: CID_a Msgs: [MessageExt [queueId=1, properties={KEYS=%s, TAGS=a}]] MQ: MessageQueue [topic=orders]"
)
OUT_OF_MEMORY = "java.lang.OutOfMemoryError: Java heap space"
DENIED = "org.apache.rocketmq.client.exception.MQBrokerException: CODE: 16  DESC: User:orders is not found."
TEXTS = (
    OUT_OF_MEMORY,
    DENIED,
    "No accessKey is configured",
    "java.io.IOException: Too many open files",
    "  Warning  FailedMount  2m (x10 over 20m)  kubelet  references non-existent secret key: broker.conf",
    "2026-11-21 20:00:01.123 ERROR [1] [main] [o.a.r.c.X#y:1] - send message exception " + DENIED,
)


def logged(thrown: str, below: str = "", keys: str = "1") -> str:
    return line(f"consumeMessage exception: {thrown} {MESSAGES % keys}", CLIENT_5, thread="T").rstrip() + below


FORMS = {
    "behind words": "java.lang.IllegalArgumentException: bad note: {}",
    "the whole text": "java.lang.IllegalArgumentException: {}\n",
    "of the application's own class": "com.acme.shop.BadOrder$OfShopException: note {}",
    "of JSON that cannot be read": "com.alibaba.fastjson.JSONException: syntax error, pos 1, json : {}",
}


def findings(tmp_path: Path, text: str) -> list[Finding]:
    log = tmp_path / "rocketmq_client.log"
    log.write_bytes(gzip.decompress(HEALTHY.read_bytes()) + text.encode() + b"\n")
    return [found for found in diagnose_logs([log]).report.findings if found.rule != "listener-throws"]


def assert_not_sure(found: list[Finding]) -> None:
    for one in found:
        assert one.severity is not Severity.ERROR, one.title
        assert one.severity is Severity.INFO or one.confidence is Confidence.LOW, one.title


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_text_of_an_exception_is_no_proof(tmp_path: Path, form: str, text: str) -> None:
    thrown = form.format(text)
    below = f"\n{thrown.rstrip()}{STACK}"
    of_head = thrown if thrown.endswith("\n") and text != TEXTS[-1] else "java.lang.IllegalStateException"
    assert_not_sure(findings(tmp_path, "\n".join([logged(of_head.rstrip(), below)] * 12)))


@pytest.mark.parametrize("text", TEXTS)
def test_keys_of_a_message_are_no_proof(tmp_path: Path, text: str) -> None:
    assert_not_sure(findings(tmp_path, "\n".join([logged("a.B", keys=f"order {text}")] * 12)))


@pytest.mark.parametrize("text", TEXTS)
def test_further_lines_of_a_text_are_no_proof(tmp_path: Path, text: str) -> None:
    below = f"\njava.lang.IllegalArgumentException: note\n{text}{STACK}"
    assert_not_sure(
        findings(tmp_path, "\n".join([logged("java.lang.IllegalArgumentException: note", below)] * 12))
    )


def test_cause_of_an_exception_is_proof(tmp_path: Path) -> None:
    wrapped = f"java.lang.RuntimeException: {DENIED}"
    (found,) = findings(tmp_path, logged(wrapped, f"\n{wrapped}{STACK}\nCaused by: {DENIED}\n\t... 2 more"))
    assert (found.rule, found.confidence) == ("access-denied", Confidence.HIGH)


@pytest.mark.parametrize("thrown", [DENIED, f"com.acme.shop.ShopException: {DENIED}"])
def test_whole_text_without_a_stack_is_that_of_a_cause(tmp_path: Path, thrown: str) -> None:
    (found,) = findings(tmp_path, logged(thrown))
    assert (found.rule, found.severity) == ("access-denied", Severity.ERROR)
    assert found.confidence is (Confidence.HIGH if thrown == DENIED else Confidence.MEDIUM)


def test_exception_that_the_client_threw_is_proof(tmp_path: Path) -> None:
    thrown = f"java.lang.IllegalStateException: {DENIED}"
    below = f"""
{thrown}
\tat org.apache.rocketmq.client.impl.factory.MQClientInstance.updateTopicRouteInfoFromNameServer(A.java:679)
\tat java.lang.Thread.run(Thread.java:748)"""
    told = "ScheduledTask updateTopicRouteInfoFromNameServer exception"
    (found,) = findings(tmp_path, line(told, CLIENT_5).rstrip() + below)
    assert (found.rule, found.severity, found.confidence) == ("access-denied", Severity.ERROR, Confidence.HIGH)


@pytest.mark.parametrize("text", ["java.lang.OutOfMemoryError: Java heap space", "Too many open files"])
def test_a_logger_with_a_short_name_among_lines_of_the_client_is_an_applications(
    text: str, tmp_path: Path
) -> None:
    """An application's own configuration may write both into one file, in the form of the client's."""
    rows = []
    for number in range(120):
        logger, said = (
            ("RocketmqClient", "updateConsumeOffsetToBroker 12")
            if number % 3
            else ("Orders", f"order {number}")
        )
        rows.append(f"2026-11-21 10:{number // 60:02}:{number % 60:02},123 INFO {logger} - {said}\n")
    for number in (30, 60, 90):
        rows[number] = rows[number].replace("INFO", "ERROR").partition(" - ")[0] + f" - user wrote {text}\n"
    path = tmp_path / "app.log"
    path.write_text("".join(rows))
    report = diagnose_logs([str(path)]).report
    assert report.answer.state != "healthy"
    assert not [
        one for one in report.findings if one.severity is Severity.ERROR or one.confidence is Confidence.HIGH
    ]


def test_plain_records_are_not_searched_for_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    log = gzip.decompress(HEALTHY.read_bytes())
    looked_at: list[str] = []
    search = application_texts._is_before_a_stack

    def counted(message: Message, rest: str) -> bool:
        looked_at.append(rest)
        return search(message, rest)

    monkeypatch.setattr(application_texts, "_is_before_a_stack", counted)
    quick, few = facts(log), len(looked_at)
    monkeypatch.setattr(application_texts, "_is_plain", lambda message, literal: False)
    assert facts(log) == quick
    assert (few, len(looked_at) - few) == (1, 130)
