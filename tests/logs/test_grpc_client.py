"""Lines of the gRPC client: full caches, listeners that throw, and minutes in which nothing was finished."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Report, Severity
from mqdiag.language import english
from tests.logs.given import facts

CASES = Path(__file__).parents[2] / "fixtures" / "grpc"
LINE = (
    "2026-11-22 18:{:02}:{:02}.697 {} [21099] [RocketmqClientScheduler-0-1]"
    " [o.a.r.c.j.i.c.ProcessQueueImpl#?:?] - {}\n"
)
FULL = "Process queue total cached messages {}, mq=rig-broker.orders.-1, clientId=vm@21099@0@93q6kppqq"
QUANTITY = FULL.format("quantity exceeds the threshold, threshold=200, actual=200")
MEMORY = FULL.format("memory exceeds the threshold, threshold=67108864 bytes, actual=68157440 bytes")
STATISTICS = (
    "clientId=vm@21099@0@93q6kppqq, consumerGroup=CID_orders, receptionTimes=0, receivedMessagesQuantity=0,"
    " consumptionOkQuantity={}, consumptionErrorQuantity=0"
)


def report_of(tmp_path: Path, text: str) -> Report:
    file = tmp_path / "rocketmq-client.log"
    file.write_text(text)
    return diagnose_logs([str(file)]).report


def minutes(finished: int, text: str = QUANTITY) -> str:
    """Two minutes: statistics, a line each second, statistics."""
    lines = [LINE.format(10, 0, "INFO ", STATISTICS.format(5))]
    lines += [LINE.format(10 + second // 60, second % 60, "WARN ", text) for second in range(1, 120)]
    return "".join([*lines, LINE.format(12, 0, "INFO ", STATISTICS.format(finished))])


@pytest.mark.parametrize(
    ("text", "cause", "threshold", "largest"), [(QUANTITY, "count", 200, 200), (MEMORY, "size", 64, 65)]
)
def test_a_full_cache(tmp_path: Path, text: str, cause: str, threshold: int, largest: int) -> None:
    report = report_of(tmp_path, minutes(7, text))
    (found,) = [one for one in report.findings if one.rule == "flow-control"]
    assert (found.cause, found.severity, found.subject.group) == (cause, Severity.INFO, "CID_orders")
    assert found.evidence["threshold"] == threshold
    assert found.evidence["largest"] == largest
    assert found.evidence["queues_held_back"] == pytest.approx(1.0, abs=0.05)
    assert found.evidence["logged_one_in"] == 1
    assert report.logs is not None
    assert report.logs.level_lines.unclassified == report.logs.level_lines.foreign == 0


def test_a_minute_without_a_finished_message(tmp_path: Path) -> None:
    (found,) = [one for one in report_of(tmp_path, minutes(0)).findings if one.rule == "flow-control"]
    assert found.severity is Severity.WARNING
    assert found.evidence["idle_minutes"] == 1
    assert "finished no message" in english()(found.title)


def test_a_client_without_a_known_group_is_no_lite_pull_consumer(tmp_path: Path) -> None:
    report = report_of(tmp_path, LINE.format(10, 0, "WARN ", QUANTITY))
    assert [one.rule for one in report.findings if one.rule == "flow-control"] == []
    assert report.answer.state == "undecided"


def test_real_lines_of_a_full_cache() -> None:
    report = diagnose_logs([str(CASES / "stuck-5.2.0" / "rocketmq-client.log.gz")]).report
    (found,) = [one for one in report.findings if one.rule == "flow-control"]
    assert found.subject.group == "CID_stuck-5_2_0"
    assert found.evidence["threshold"] == found.evidence["largest"] == 200


def test_real_listeners_that_throw() -> None:
    report = diagnose_logs([str(CASES / "failing-5.2.0" / "rocketmq-client.log.gz")]).report
    (found,) = [one for one in report.findings if one.rule == "listener-throws"]
    assert found.subject.group == "CID_failing-5_2_0"
    assert "IllegalStateException" in str(found.evidence)
    assert report.answer.state in ("fault", "undecided")


FAILED = LINE.format(
    10, "{:02}", "ERROR", "Exception raised during message reception, mq=b.t.-1, clientId=vm@1@0@9"
) + ("io.grpc.StatusRuntimeException: {}\n\tat io.grpc.Status.asRuntimeException(Status.java:539)\n{}")
NO_TLS = "Caused by: io.netty.handler.ssl.NotSslRecordException: not an SSL/TLS record: 00\n"


@pytest.mark.parametrize(
    ("status", "below", "cause"),
    [
        (
            "DEADLINE_EXCEEDED: deadline exceeded after 2.99s. [remote_addr=proxy/10.0.0.7:8081]",
            "",
            "no-answer",
        ),
        ("DEADLINE_EXCEEDED: deadline exceeded after 2.99s. [waiting_for_connection]", "", "unreachable"),
        ("UNAVAILABLE: io exception", NO_TLS, "tls-mismatch"),
        ("UNAVAILABLE: Unable to resolve host proxy", "", "unknown-host"),
        ("UNIMPLEMENTED: HTTP status code 404", "", "another-server"),
    ],
)
def test_where_the_way_to_the_proxy_ends(tmp_path: Path, status: str, below: str, cause: str) -> None:
    report = report_of(tmp_path, "".join(FAILED.format(second, status, below) for second in range(5)))
    assert [one.cause for one in report.findings if one.rule == "proxy-unreachable"] == [cause]


@pytest.mark.parametrize(
    ("logger", "frame", "found"),
    [
        ("com.acme.shop.PaymentClient", "com.acme.shop.PaymentClient.pay(PaymentClient.java:40)", False),
        ("o.a.r.c.java.impl.ClientImpl", "io.grpc.Status.asRuntimeException(Status.java:539)", True),
        ("com.acme.Sender", "org.apache.rocketmq.client.java.impl.producer.ProducerImpl.send(P.java:9)", True),
    ],
)
def test_calls_of_other_software_over_grpc_are_none_of_a_proxy(
    logger: str, frame: str, found: bool, tmp_path: Path
) -> None:
    text = "".join(
        f"2026-11-21 18:10:{second:02} ERROR [main] {logger} - the call failed\n"
        f"io.grpc.StatusRuntimeException: UNAVAILABLE: Unable to resolve host payments\n\tat {frame}\n"
        for second in range(5)
    )
    assert ("proxy-unreachable" in {one.rule for one in report_of(tmp_path, text).findings}) is found
    assert report_of(tmp_path, text).answer.state != "healthy"


OF_NACOS = """2026-11-21 18:10:0{} ERROR [rocketmq-orders,,] 1 --- [RocketmqMessageConsumption-0-1] GrpcClient : failed
com.alibaba.nacos.shaded.io.grpc.StatusRuntimeException: UNAVAILABLE: io exception
\tat com.alibaba.nacos.shaded.io.grpc.Status.asRuntimeException(Status.java:535)
Caused by: java.net.ConnectException: Connection refused
"""
IN_LISTENER = """2026-11-21 18:10:0{} ERROR [ConsumeMessageThread_orders_1] com.acme.OrderListener - no stock
io.grpc.StatusRuntimeException: UNAVAILABLE: io exception
\tat io.grpc.stub.ClientCalls.toStatusRuntimeException(ClientCalls.java:275)
\tat com.acme.rocketmq.StockGrpc$StockBlockingStub.reserve(StockGrpc.java:200)
\tat org.apache.rocketmq.client.impl.consumer.ConsumeMessageConcurrentlyService$ConsumeRequest.run(C.java:402)
Caused by: java.net.ConnectException: Connection refused
"""
IN_FUTURE = """2026-11-21 18:10:0{} ERROR [ConsumeMessageThread_orders_1] com.acme.OrderListener - no stock
java.util.concurrent.ExecutionException: io.grpc.StatusRuntimeException: UNAVAILABLE: io exception
\tat com.google.common.util.concurrent.AbstractFuture.getDoneValue(AbstractFuture.java:588)
\tat com.acme.OrderListener.consumeMessage(OrderListener.java:40)
\tat org.apache.rocketmq.client.impl.consumer.ConsumeMessageConcurrentlyService$ConsumeRequest.run(C.java:402)
Caused by: io.grpc.StatusRuntimeException: UNAVAILABLE: io exception
\tat io.grpc.Status.asRuntimeException(Status.java:539)
Caused by: java.net.ConnectException: Connection refused
"""
OF_ETCD = (
    "2026-11-21 18:10:0{} WARN 1 --- [rocketmq-orders] io.etcd.jetcd.ClientImpl : clientId=7 endpoints=[http://etcd:2379]"
    " io.grpc.StatusRuntimeException: UNAVAILABLE: Connection refused\n"
)


@pytest.mark.parametrize("record", [OF_NACOS, IN_LISTENER, IN_FUTURE, OF_ETCD])
def test_calls_that_a_program_with_rocketmq_makes_to_others_are_none_of_a_proxy(
    record: str, tmp_path: Path
) -> None:
    report = report_of(tmp_path, "".join(map(record.format, range(5))))
    assert "proxy-unreachable" not in {one.rule for one in report.findings}
    assert report.answer.state != "healthy"


def test_a_start_of_the_grpc_client_in_a_program_is_of_rocketmq(tmp_path: Path) -> None:
    text = (
        "2026-11-21 18:10:02 ERROR [main] com.acme.Main - start failed\n"
        "java.lang.IllegalStateException: no consumer\n\tat com.acme.Main.main(Main.java:9)\n"
        "Caused by: org.apache.rocketmq.client.apis.ClientException: failed\n"
        "\tat org.apache.rocketmq.client.java.impl.ClientImpl.startUp(ClientImpl.java:188)\n"
        "Caused by: io.grpc.StatusRuntimeException: UNAVAILABLE: Unable to resolve host proxy\n"
        "\tat io.grpc.Status.asRuntimeException(Status.java:539)\n"
    )
    assert "proxy-unreachable" in {one.rule for one in report_of(tmp_path, text).findings}


def test_an_error_of_other_software_over_grpc_is_no_known_line() -> None:
    text = (
        "2026-11-21 18:10:01 ERROR [main] com.acme.shop.PaymentClient - the call failed\n"
        "io.grpc.StatusRuntimeException: UNAVAILABLE: io exception\n"
        "\tat com.acme.shop.PaymentClient.pay(PaymentClient.java:40)\n"
    )
    levels = facts(text).level_lines
    assert levels is not None
    assert (levels.passing, levels.not_understood) == ({}, 1)


def test_a_proxy_that_ends_connections_is_no_fault_yet(tmp_path: Path) -> None:
    text = "".join(FAILED.format(second, "UNAVAILABLE: Connection closed", "") for second in range(5))
    assert [one for one in report_of(tmp_path, text).findings if one.rule == "proxy-unreachable"] == []


AT_START = FAILED.replace("Exception raised during message reception", "Fetch topics failed when client start")
CLOSED = "UNAVAILABLE: Network closed for unknown reason"


def causes(tmp_path: Path, text: str) -> list[tuple[str | None, Severity]]:
    found = report_of(tmp_path, text).findings
    return [(one.cause, one.severity) for one in found if one.rule == "proxy-unreachable"]


def at_minutes(line: str, status: str, *minutes: int) -> str:
    return "".join(
        line.replace(" 18:10:", f" {18 + minute // 60}:{minute % 60:02}:").format(1, status, "")
        for minute in minutes
    )


def test_a_start_whose_connections_are_closed(tmp_path: Path) -> None:
    lines = "".join(AT_START.format(second, CLOSED, "") for second in range(4))
    report = report_of(tmp_path, lines + "".join(FAILED.format(second, CLOSED, "") for second in range(4, 7)))
    (found,) = [one for one in report.findings if one.rule == "proxy-unreachable"]
    assert (found.cause, found.severity, found.evidence["lines"]) == ("connection-closed", Severity.ERROR, 7)
    assert found.evidence["event_lines"] == (4, 3)
    assert "did not start" in english()(found.explanation[-1])


def test_a_client_that_ran_on_did_start(tmp_path: Path) -> None:
    later = at_minutes(FAILED, CLOSED, 120, 200)
    assert causes(tmp_path, at_minutes(AT_START, CLOSED, 10) + later) == []
    refused = "UNAVAILABLE: Connection refused"
    text = at_minutes(AT_START, refused, 10) + at_minutes(FAILED, refused, 120, 121, 200)
    report = report_of(tmp_path, text)
    (found,) = [one for one in report.findings if one.rule == "proxy-unreachable"]
    assert not [one for one in found.explanation if "did not start" in english()(one)]


def test_lines_of_a_start_and_later_ones_last_together(tmp_path: Path) -> None:
    refused = "UNAVAILABLE: Connection refused"
    text = at_minutes(AT_START, refused, 10) + at_minutes(FAILED, refused, 12, 12)
    assert causes(tmp_path, text) == [("unreachable", Severity.ERROR)]


def test_unavailable_without_a_reason_is_an_outage(tmp_path: Path) -> None:
    text = at_minutes(FAILED, "UNAVAILABLE: io exception", *range(10, 16))
    (found,) = [one for one in report_of(tmp_path, text).findings if one.rule == "proxy-unreachable"]
    assert (found.cause, found.severity) == ("unreachable", Severity.ERROR)
    assert "do not show why" in english()(found.explanation[0])


@pytest.mark.parametrize(
    ("minutes", "found"),
    [
        ((10, 11, 12), [("unreachable", Severity.ERROR)]),
        ((10, 11, 13, 14), []),
        ((10, 100, 190, 280), []),
    ],
)
def test_connections_that_are_ended_in_each_minute(
    tmp_path: Path, minutes: tuple[int, ...], found: list[tuple[str, Severity]]
) -> None:
    assert causes(tmp_path, at_minutes(FAILED, CLOSED, *minutes)) == found


def test_a_client_that_shuts_down_is_no_outage(tmp_path: Path) -> None:
    text = "".join(FAILED.format(second, "UNAVAILABLE: Channel shutdownNow invoked", "") for second in range(5))
    assert causes(tmp_path, text) == []


def received(minute: int, messages: int) -> str:
    """What a client writes each minute."""
    line = LINE.format(0, 0, "INFO ", STATISTICS.format(0)).replace(" 18:00:", f" 18:{minute:02}:")
    return line.replace("receivedMessagesQuantity=0", f"receivedMessagesQuantity={messages}")


@pytest.mark.parametrize(
    ("later", "state"), [("", "undecided"), (received(30, 0), "undecided"), (received(30, 8), "healthy")]
)
def test_connections_that_ended_now_and_then_are_no_all_clear(tmp_path: Path, later: str, state: str) -> None:
    answer = report_of(tmp_path, at_minutes(FAILED, CLOSED, 10, 13, 17, 20) + later).answer
    assert answer.state == state
    assert (answer.next is not None and "proxy.log" in english()(answer.next.text)) == (state == "undecided")


def test_the_reason_for_many_ended_connections_is_said_once(tmp_path: Path) -> None:
    text = at_minutes(FAILED, CLOSED, *range(10, 100, 3))
    assert english()(report_of(tmp_path, text).answer.reason).count("decides it") == 1


def test_a_moment_without_an_answer_is_no_fault_of_a_client_that_receives_again(tmp_path: Path) -> None:
    text = "".join(FAILED.format(1, "DEADLINE_EXCEEDED: deadline exceeded after 2.99s", "") for _ in range(3))
    assert causes(tmp_path, text) == [("no-answer", Severity.WARNING)]
    assert causes(tmp_path, text + received(11, 8)) == [("no-answer", Severity.INFO)]
