"""How a process ended, what a listener threw, and interrupted threads, by lines of logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.facts.logs import ListenerException
from mqdiag.findings import Confidence, Finding, Report, Severity
from tests.layers import CHECK, one_in_each_run
from tests.logs.given import CLIENT_5, facts, line

FIXTURES = Path(__file__).parents[2] / "fixtures" / "logs"
KILLED = "Nov 21 20:00:01 host kernel: Out of memory: Killed process 4242 (java) total-vm:9437184kB, anon-rss:4194304kB"
THROWN = (
    "consumeMessage exception: java.lang.RuntimeException: cannot reserve, com.acme.Stock.reserve(Stock.java:7)"
    " Group: CID_orders Msgs: [] MQ: MessageQueue [topic=orders, brokerName=broker-a, queueId=1]"
)
STACK = (
    "java.lang.RuntimeException: cannot reserve\r\n"
    "\tat org.springframework.util.Assert.state(Assert.java:76)\r\n"
    "\tat java.base/java.util.Objects.requireNonNull(Objects.java:209)\r\n"
    "\tat com.acme.OrderListener.consumeMessage(OrderListener.java:31)\r\n"
    "Caused by: java.net.SocketTimeoutException: Read timed out\r\n"
    "\tat java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:288)\r\n"
    "\t... 8 more\r\n"
)


def diagnosed(text: str, tmp_path: Path) -> Report:
    log = tmp_path / "some.log"
    log.write_text(text)
    return diagnose_logs([log]).report


def of(case: str) -> Report:
    return diagnose_logs(sorted((FIXTURES / case).rglob("*.gz"))).report


def only(report: Report, rule: str) -> Finding:
    (finding,) = (one for one in report.findings if one.rule == rule)
    return finding


@pytest.mark.parametrize(
    ("text", "cause", "severity"),
    [
        (f"{KILLED} file-rss:0kB\n", "oom-killer", Severity.ERROR),
        (
            "[8123.4] Out of memory: Kill process 4242 (java) score 871 or sacrifice child\n",
            "oom-killer",
            Severity.ERROR,
        ),
        (
            "Memory cgroup out of memory: Killed process 77 (java), UID 0, total-vm:1kB\n",
            "oom-killer",
            Severity.ERROR,
        ),
        (
            "    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n",
            "oom-killer",
            Severity.ERROR,
        ),
        ("7c1f  rocketmq:5.3.3  Exited (137) 3 minutes ago\n", "signal", Severity.WARNING),
        ("2026-11-21 20:00:01 INFO x - Container exited with code 143\n", "signal", Severity.INFO),
        ("Container killed on request. Exit code is 143\n", "signal", Severity.INFO),
        ("[1]+  Exit 137                sh bin/mqbroker\n", "signal", Severity.WARNING),
        ("bin/runbroker.sh: line 42:  2207 Killed      $JAVA $@\n", "signal", Severity.WARNING),
    ],
)
def test_ways_to_end(text: str, cause: str, severity: Severity, tmp_path: Path) -> None:
    finding = only(diagnosed(text, tmp_path), "shutdown-requested")
    assert (finding.cause, finding.severity) == (cause, severity)


def test_the_kernel_says_how_much_memory_the_process_had(tmp_path: Path) -> None:
    assert only(diagnosed(f"{KILLED}\n", tmp_path), "shutdown-requested").evidence["resident_bytes"] == 4 << 30


@pytest.mark.parametrize(
    "text",
    [
        KILLED.replace("(java)", "(mysqld)"),
        '"OOMKilled": false, "ExitCode": 0',
        "Exited (0) 3 minutes ago",
        "exit code 1370",
        "2026-11-21 20:00:01 INFO main - the consumer [CID_orders] shutdown OK",
    ],
)
def test_other_ends_are_none_of_it(text: str, tmp_path: Path) -> None:
    before = "".join(line(f"line {number} of a log") for number in range(30))
    report = diagnosed(before + text + "\n", tmp_path)
    assert "shutdown-requested" not in {one.rule for one in report.findings}


@one_in_each_run(4)
@pytest.mark.parametrize(
    "case",
    [
        "healthy-restarted-4.3.2",
        "healthy-restarted-4.7.1",
        "healthy-restarted-4.9.7",
        "healthy-restarted-5.1.4",
        "healthy-restarted-5.3.3",
        "shutdown-in-order-5.3.3",
        "client-interrupted-by-shutdown-4.9.7",
        "client-interrupted-by-shutdown-5.3.3",
    ],
)
def test_an_end_in_order_is_no_fault(case: str) -> None:
    report = of(case)
    assert {one.severity for one in report.findings} <= {Severity.INFO}
    assert report.answer.state != "fault"
    if case.startswith("healthy"):
        assert (report.answer.state, report.findings) == ("healthy", ())


def test_requests_that_meet_a_stopped_store_are_told_as_what_they_are(tmp_path: Path) -> None:
    refused = "".join(line("message store has shutdown, so putMessage is forbidden") for _ in range(30))
    report = diagnosed(line("Shutdown hook was invoked, 1") + refused, tmp_path)
    finding = only(report, "shutdown-requested")
    assert (finding.severity, finding.evidence["lines_that_follow"]) == (Severity.INFO, 30)


@pytest.mark.parametrize("case", ["client-interrupted-4.9.7", "client-interrupted-5.3.3"])
def test_interrupted_by_the_application(case: str) -> None:
    finding = only(of(case), "consume-thread-interrupted")
    assert (finding.cause, finding.severity) == ("application", Severity.WARNING)
    assert finding.evidence["not_removed"] == 118


@pytest.mark.parametrize("version", ["4.9.7", "5.3.3"])
def test_interrupted_by_a_shutdown(version: str) -> None:
    finding = only(of(f"client-interrupted-by-shutdown-{version}"), "consume-thread-interrupted")
    assert (finding.cause, finding.severity) == ("shutdown", Severity.INFO)


def test_interrupts_long_before_a_shutdown_are_not_of_it(tmp_path: Path) -> None:
    interrupted = "removeMessage exception\njava.lang.InterruptedException: null"
    ended = "2026-11-21 20:09:00.123 INFO [1234] [main] [o.a.r.X#y:1] - the consumer [CID_orders] shutdown OK\n"
    text = "".join(
        line(interrupted, CLIENT_5, second=second, thread="ConsumeMessageThread_CID_orders_3")
        for second in range(9)
    )
    finding = only(diagnosed(text + ended, tmp_path), "consume-thread-interrupted")
    assert (finding.cause, finding.subject.group) == ("application", "CID_orders")


def test_a_queue_change_that_failed_otherwise_is_no_interrupt() -> None:
    assert not facts(line("removeMessage exception\njava.lang.NullPointerException", CLIENT_5)).events


def test_what_was_thrown_and_where() -> None:
    """The application's own top frame, not the library's; and the innermost cause."""
    (thrown,) = facts(line(f"{THROWN}\n{STACK}", CLIENT_5)).listener_exceptions
    assert thrown == ListenerException(
        group="CID_orders",
        exception="java.lang.RuntimeException",
        cause="java.net.SocketTimeoutException",
        frame="com.acme.OrderListener.consumeMessage(OrderListener.java:31)",
        count=1,
        first=thrown.first,
        last=thrown.last,
    )


def test_the_line_alone_names_the_top_frame() -> None:
    (thrown,) = facts(line(THROWN, CLIENT_5)).listener_exceptions
    assert (thrown.exception, thrown.frame) == (
        "java.lang.RuntimeException",
        "com.acme.Stock.reserve(Stock.java:7)",
    )


@pytest.mark.parametrize(
    "words",
    ["messageExt:MessageExt [queueId=1]", "messageId:7F00, topic:orders, reconsumeTimes:2"],
    ids=["2.0", "2.2"],
)
def test_a_listener_of_spring(words: str) -> None:
    text = f"consume message failed. {words}\n{STACK}"
    (thrown,) = facts(line(text, CLIENT_5, thread="ConsumeMessageThread_CID_orders_3")).listener_exceptions
    assert thrown.group == "CID_orders"
    assert (thrown.exception, thrown.cause) == ("java.lang.RuntimeException", "java.net.SocketTimeoutException")


def test_a_listener_of_spring_2_1_logs_no_stack() -> None:
    text = (
        "consume message failed. messageExt:MessageExt [queueId=1], error:java.lang.IllegalStateException: no"
    )
    (thrown,) = facts(line(text, CLIENT_5)).listener_exceptions
    assert (thrown.exception, thrown.frame) == ("java.lang.IllegalStateException", None)


def test_the_stack_of_the_next_record_is_not_read() -> None:
    text = line(THROWN, CLIENT_5) + line(f"something else\n{STACK}", CLIENT_5, second=2)
    (thrown,) = facts(text).listener_exceptions
    assert thrown.cause is None


@pytest.mark.parametrize(
    ("exception", "cause"),
    [
        ("java.lang.NullPointerException", "own-code"),
        ("java.sql.SQLTransientConnectionException", "failed-call"),
        ("java.lang.NoClassDefFoundError", "missing-class"),
        ("java.lang.InterruptedException", "interrupted"),
    ],
)
def test_causes_of_exceptions(exception: str, cause: str, tmp_path: Path) -> None:
    text = "".join(
        line(THROWN.replace("java.lang.RuntimeException", exception), CLIENT_5, second=second)
        for second in range(30)
    )
    finding = only(diagnosed(text, tmp_path), "listener-throws")
    assert (finding.cause, finding.confidence) == (cause, Confidence.HIGH)
    assert finding.evidence["exception_lines"] == 30


@CHECK
def test_a_listener_that_throws_explains_the_retries() -> None:
    report = of("client-retry-storm-4.9.7")
    roots = {one.fingerprint for one in report.findings if one.rule == "listener-throws"}
    assert len(roots) == 2
    assert set(only(report, "retry-storm").caused_by) <= roots
    assert only(report, "retry-storm").caused_by


def test_messages_that_could_not_be_sent_back_follow() -> None:
    finding = only(of("client-send-back-failing-4.9.7"), "listener-throws")
    assert finding.evidence["not_sent_back"] == 48


@pytest.mark.parametrize("version", ["4.9.7", "5.3.3"])
def test_an_orderly_queue_that_one_message_blocks(version: str) -> None:
    found = [one for one in of(f"client-orderly-poison-{version}").findings if one.rule == "orderly-suspended"]
    assert {one.evidence["offset"] for one in found} == {9, 109}
    assert len({one.subject.queue_id for one in found}) == 2
    for one in found:
        assert one.subject.group == "CID_orders"
        assert isinstance(one.evidence["reconsume_times"], int)
        assert one.evidence["reconsume_times"] >= 30


def test_failures_of_different_messages_block_no_queue() -> None:
    text = "".join(
        line(
            "consumeMessage Orderly return not OK, Group: CID_orders Msgs: [MessageExt [queueId=1, queueOffset="
            f"{second}, reconsumeTimes=0, x]] MQ: MessageQueue [topic=orders, brokerName=broker-a, queueId=1]",
            CLIENT_5,
            second=second,
        )
        for second in range(40)
    )
    (row,) = facts(text).suspended_queues
    assert (row.offset, row.failures) == (39, 1)


@one_in_each_run(3)
@pytest.mark.parametrize(
    ("version", "offset", "confidence"),
    [("4.9.7", None, Confidence.MEDIUM), ("4.9.7", 0, Confidence.HIGH), ("5.3.3", None, Confidence.HIGH)],
)
def test_a_broker_that_was_restarted_explains_what_its_clients_met(
    version: str, offset: int | None, confidence: Confidence
) -> None:
    """The broker's log is in a folder of its own, and of clients of 4.x the time zone is not known."""
    paths = sorted((FIXTURES / f"broker-restarted-{version}").glob("*/*.gz"))
    report = diagnose_logs(paths, utc_offset_minutes=offset).report
    stopped = only(report, "shutdown-requested")
    assert (stopped.cause, stopped.confidence) == ("broker-stopped", confidence)
    assert stopped.subject.broker == "broker-a"
    felt = [one for one in report.findings if one is not stopped]
    assert "send-timeout" in {one.rule for one in felt}
    assert all(stopped.fingerprint in one.caused_by for one in felt)


@CHECK
def test_clients_that_failed_before_the_broker_was_asked_to_end_are_not_explained_by_it() -> None:
    """With clocks that are five minutes off, the clients fail before the shutdown hook runs."""
    paths = sorted((FIXTURES / "broker-restarted-4.9.7").glob("*/*.gz"))
    report = diagnose_logs(paths, utc_offset_minutes=5).report
    assert "shutdown-requested" not in {one.rule for one in report.findings}
