"""Connections in logs: how long they lived, what servers could not read, and descriptors that ran out."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from msgspec import structs

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.facts import CrashFacts
from mqdiag.facts.crash import CrashReport
from mqdiag.facts.logs import Connections
from mqdiag.findings import Confidence, Finding, Report, Severity
from mqdiag.language import english
from mqdiag.render import View, renderer
from mqdiag.rules import file_descriptors_exhausted
from tests.folded import folded
from tests.logs.given import facts, line, only_event, read
from tests.rules.checks import findings
from tests.rules.examples import example_of

AT = "10.0.0.7:10911"


def diagnosed(text: str, tmp_path: Path) -> Report:
    log = tmp_path / "some.log"
    log.write_text(text)
    return diagnose_logs([log]).report


def only(report: Report, rule: str) -> Finding:
    (finding,) = (one for one in report.findings if one.rule == rule)
    return finding


def at(second: int, text: str) -> str:
    """A line so many seconds after eight o'clock."""
    return f"2026-11-21 20:{second // 60:02d}:{second % 60:02d} INFO some - {text}\n"


def connect(second: int) -> str:
    return at(second, f"NETTY CLIENT PIPELINE: CONNECT  UNKNOWN => {AT}")


def close(second: int) -> str:
    return at(second, f"NETTY CLIENT PIPELINE: CLOSE {AT}")


def only_row(text: str) -> Connections:
    (row,) = facts(text).connections
    return row


def lives(*seconds: int, pause: int = 5) -> str:
    """Connections of a client, one after the other, that live so long."""
    text, now = "", 0
    for life in seconds:
        text += connect(now) + close(now + life)
        now += life + pause
    return text


def test_lives_of_connections() -> None:
    row = only_row(lives(60, 61, 60, 9, 60))
    assert (row.opened, row.closed, row.brief) == (5, 5, 0)
    assert (row.usual_life_s, row.usual_lives) == (60, 4)
    assert row.closed_per_minute == pytest.approx(4 / (210 / 60), abs=0.001)


def test_attempts_that_fail_are_no_connections_that_end() -> None:
    """A failed attempt writes two lines of closing; the broker was away for ten seconds."""
    text = connect(0) + close(60)
    for second in range(61, 71):
        text += connect(second) + close(second) + close(second)
    text += connect(71) + close(140)
    row = only_row(text)
    assert (row.opened, row.closed, row.brief) == (12, 2, 10)


def test_an_attempt_without_an_end_does_not_shift_the_lives_of_others() -> None:
    assert only_row(connect(0) + lives(30, 30, 30)).usual_lives == 3


def test_two_clients_of_one_process() -> None:
    """Both connections are cut after 30 s; the line that a client has started comes after its first connection."""
    started = "the client factory [10.0.0.1@77#1] start OK"
    text = connect(0) + at(1, started) + connect(10) + at(11, started)
    for begin in (0, 10, 30, 40, 60, 70):
        text += close(begin + 30) + connect(begin + 30)
    row = only_row(text)
    assert row.usual_life_s == 30
    assert row.usual_lives >= 4


def test_ids_of_connections_pair_their_lines() -> None:
    """From 5.3.1 on; the second connection outlives the first."""
    text = "".join(
        connect(begin) + at(begin, f"NETTY CLIENT PIPELINE: ACTIVE, {AT}, channelId={name}")
        for begin, name in ((0, "aa11"), (1, "bb22"))
    )
    for end, name in ((10, "bb22"), (90, "aa11")):
        text += at(end, f"NETTY CLIENT PIPELINE: CLOSE channel[addr={AT}, id={name}]")
    assert only_row(text).closed == 2
    assert {only_row(text).usual_life_s} <= {9, 90}


def test_a_server_s_connections_are_those_of_hosts() -> None:
    text = ""
    for number in range(6):
        peer = f"10.0.0.9:{40_000 + number}"
        text += at(number * 10, f"NETTY SERVER PIPELINE: channelActive, the channel[{peer}]")
        text += at(
            number * 10 + (0 if number else 9), f"NETTY SERVER PIPELINE: channelInactive, the channel[{peer}]"
        )
    row = only_row(text)
    assert (row.address, row.incoming) == ("10.0.0.9", True)
    assert (row.opened, row.closed, row.brief) == (6, 1, 5)


def test_connections_that_are_cut_after_a_set_time(tmp_path: Path) -> None:
    finding = only(diagnosed(lives(*[60] * 12), tmp_path), "connection-churn")
    assert finding.cause == "cut-after-set-time"
    assert finding.subject.broker == AT
    assert (finding.evidence["usual_life_s"], finding.evidence["closed"]) == (60, 12)
    assert finding.severity is Severity.WARNING


def test_connections_that_end_after_different_times(tmp_path: Path) -> None:
    report = diagnosed(lives(9, 60, 33, 20, 71, 14, 50, 26, 40, 5), tmp_path)
    assert only(report, "connection-churn").cause == "closed-again"


@pytest.mark.parametrize(
    "text",
    [
        # a broker that was started again three times
        lives(100, 100, 100, pause=20) + "".join(at(500, "nothing of interest") for _ in range(30)),
        # six connections in six hours
        "".join(connect(0).replace("20:00", f"{hour:02d}:00") + close(59).replace("20:00", f"{hour:02d}:{hour * 7:02d}")
                for hour in range(8))
        + "".join(at(500, "nothing of interest") for _ in range(30)),
        # a job that is shut down in order each time
        "".join(
            at(now, "the client factory [10.0.0.1@77#1] start OK")
            + connect(now)
            + close(now + 30)
            + at(now + 30, "the client factory [10.0.0.1@77#1] shutdown OK")
            for now in range(0, 600, 60)
        ),
    ],
)  # fmt: skip
def test_connections_in_order(text: str, tmp_path: Path) -> None:
    assert not [one for one in diagnosed(text, tmp_path).findings if one.rule == "connection-churn"]


def frame(length: int) -> str:
    return (
        line("decode exception, 10.0.0.9:40001", thread="NettyServerCodecThread_1")
        + "io.netty.handler.codec.TooLongFrameException: Adjusted frame length exceeds 16777216:"
        f" {length} - discarded\n"
    )


@folded(
    "length, kind, values",
    [
        (1_347_569_956, "frame-not-rocketmq", {"lines_of_grpc": 1}),
        (1_195_725_860, "frame-not-rocketmq", {"lines_of_http": 1}),
        (0x16030101 + 4, "frame-not-rocketmq", {"lines_of_tls": 1}),
        (3_886_452_713, "frame-not-rocketmq", {}),
        (17_825_800, "frame-too-long", {"largest_frame_bytes": 17_825_796, "smallest_limit_bytes": 16_777_216}),
    ],
)
def test_what_a_length_says(length: int, kind: str, values: dict[str, int]) -> None:
    event = only_event(facts(frame(length)))
    assert (event.kind, event.values) == (kind, values)


def test_a_grpc_client_at_the_wrong_port(tmp_path: Path) -> None:
    finding = only(diagnosed(frame(1_347_569_956), tmp_path), "connection-churn")
    assert finding.cause == "not-rocketmq"
    assert "gRPC" in english()(finding.title)


def test_a_request_that_is_too_long(tmp_path: Path) -> None:
    finding = only(diagnosed(frame(17_825_800), tmp_path), "connection-churn")
    assert finding.cause == "frame-too-long"
    assert finding.evidence["frame_bytes"] == 17_825_796


def test_answers_that_meet_closed_connections(tmp_path: Path) -> None:
    text = "".join(
        at(minute * 60, f"ProcessRequestWrapper response to /10.0.0.9:{5_000 + minute} failed")
        for minute in range(12)
    )
    assert only(diagnosed(text, tmp_path), "connection-churn").cause == "closed-again"


DESCRIPTORS = (
    line("AcceptSocketService service has exception.", thread="AcceptSocketService")
    + "java.io.IOException: Too many open files\n\tat sun.nio.ch.ServerSocketChannelImpl.accept0(Native Method)\n"
)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (DESCRIPTORS, "limit-too-low"),
        (DESCRIPTORS.replace("Too many open files", "No file descriptors available"), "limit-too-low"),
        (DESCRIPTORS.replace("Too many open files", "打开的文件过多"), "limit-too-low"),
        (DESCRIPTORS.replace("open files", "open files in system"), "limit-of-machine"),
        (
            line("create file channel /data/store/consumequeue/orders/3/0 Failed.")
            + "java.io.FileNotFoundException: /data/store/consumequeue/orders/3/0 (Too many open files)\n",
            "many-store-files",
        ),
        (
            "".join(line(f"the client factory [10.0.0.1@77#{number}] start OK") for number in range(40)) + DESCRIPTORS,
            "client-leak",
        ),
    ],
)  # fmt: skip
def test_no_descriptor_left(text: str, cause: str, tmp_path: Path) -> None:
    """One line decides, and nothing else is blamed."""
    report = diagnosed(text, tmp_path)
    assert {finding.rule for finding in report.findings} == {"file-descriptors-exhausted"}
    finding = report.findings[0]
    assert finding.cause == cause
    assert (finding.severity, finding.confidence) == (Severity.ERROR, Confidence.MEDIUM)


def test_clients_that_are_shut_down_are_no_leak(tmp_path: Path) -> None:
    text = "".join(
        line(f"the client factory [10.0.0.1@77#{number}] {word} OK")
        for number in range(40)
        for word in ("start", "shutdown")
    )
    assert diagnosed(text + DESCRIPTORS, tmp_path).findings[0].cause == "limit-too-low"


def test_sends_fail_because_no_socket_can_be_opened(tmp_path: Path) -> None:
    text = DESCRIPTORS + (
        "org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to 10.0.0.7:10911 failed\n"
        "org.apache.rocketmq.remoting.exception.RemotingTooMuchRequestException: sendDefaultImpl call timeout\n"
    )
    report = diagnosed(text, tmp_path)
    assert report.findings[0].rule == "file-descriptors-exhausted"
    assert only(report, "send-timeout").caused_by == (report.findings[0].fingerprint,)


CLOSED = "closeChannel: close the connection to remote address[{address}] result: true"


def test_channels_that_an_application_sees_closed(tmp_path: Path) -> None:
    text = "".join(at(minute * 60, CLOSED.format(address=AT)) for minute in range(12))
    finding = only(diagnosed(text, tmp_path), "connection-churn")
    assert (finding.cause, finding.evidence["closed"], finding.evidence["peer"]) == ("closed-again", 12, AT)


def test_lines_without_times_count_one_by_one(tmp_path: Path) -> None:
    text = "".join(f"NettyClientSelector_1|RocketmqRemoting:95|{CLOSED.format(address=AT)}\n" for _ in range(6))
    assert only(diagnosed(text, tmp_path), "connection-churn").evidence["closed"] == 6


def test_connections_that_are_never_made(tmp_path: Path) -> None:
    text = "".join(at(number * 30, CLOSED.format(address="")) for number in range(12))
    assert only(diagnosed(text, tmp_path), "connection-churn").cause == "never-made"


def test_connections_that_are_never_made_beside_a_missing_route(tmp_path: Path) -> None:
    text = "".join(at(number * 30, CLOSED.format(address="")) for number in range(12))
    text += "org.apache.rocketmq.client.exception.MQClientException: No route info of this topic, orders\n"
    rules = {one.rule for one in diagnosed(text, tmp_path).findings}
    assert "no-route" in rules
    assert "connection-churn" not in rules


@pytest.mark.parametrize("address", [AT, ""])
def test_channels_that_close_at_an_end(address: str, tmp_path: Path) -> None:
    text = "".join(at(number, CLOSED.format(address=address)) for number in range(8))
    text += "".join(at(500, "nothing of interest") for _ in range(30))
    assert not [one for one in diagnosed(text, tmp_path).findings if one.rule == "connection-churn"]


def test_one_consumer_that_went_away_while_its_pull_waited(tmp_path: Path) -> None:
    text = line("transfer many message by pagecache failed, /10.0.0.9:52110")
    report = diagnosed(text + "java.nio.channels.ClosedChannelException: null\n", tmp_path)
    assert report.findings == ()


def test_the_limit_that_a_crash_report_tells() -> None:
    report = CrashReport(source="hs_err_pid7.log", open_files_limit=1024)
    given = structs.replace(example_of(file_descriptors_exhausted).fires(), crash=CrashFacts(reports=(report,)))
    (finding,) = findings(file_descriptors_exhausted, given)
    assert finding.evidence["open_files_limit"] == 1024
    assert any("may have 1,024" in english()(text) for text in finding.explanation)


def test_the_table_of_connections(tmp_path: Path) -> None:
    text = renderer("text")(diagnosed(lives(*[60] * 12), tmp_path), View(detail="full"))
    assert "Connections in the logs" in text


def test_frozen_counters_of_a_long_log_of_connections() -> None:
    """10 MiB of connections that live for two lines: few lines of each MiB are looked at, and all are counted."""
    pair = "".join(
        line(f"NETTY SERVER PIPELINE: channel{state}, the channel[10.0.0.{{host}}:{{port}}]", level="INFO")
        for state in ("Active", "Inactive")
    )
    different = "".join(pair.format(host=1 + number % 4, port=30_000 + number) for number in range(36))
    times = (10 << 20) // len(different) + 1
    pairs = 36 * times
    hours = (f"{hour:02}:{second // 60:02}:{second % 60:02}" for hour in range(24) for second in range(3600))
    log = read("".join(different.replace("20:00:01", time) for time in islice(hours, times)))
    peers = log.tally.peers.values()
    assert log.counts.lines == 2 * pairs
    assert sum(peer.opened for peer in peers) == pairs
    assert log.counts.hit_lines + log.counts.hit_lines_unseen == 2 * pairs
    assert log.counts.hit_lines == 3421
