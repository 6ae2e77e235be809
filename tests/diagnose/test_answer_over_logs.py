"""An all-clear over logs is given only where every WARN and ERROR line is known to be harmless."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from mqdiag.diagnose.answer import answered
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.facts.log_lines import LevelLineFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Report
from mqdiag.language import english
from tests.layers import one_in_each_run

HEALTHY = sorted((Path(__file__).parents[2] / "fixtures" / "logs").glob("healthy-*"))
HARMLESS = "2026-11-21 20:00:0{} WARN main - Load default HA Service: DefaultHAService\n"
SETTINGS = (
    "brokerId",
    "fileReservedTime",
    "deleteWhen",
    "diskMaxUsedSpaceRatio",
    "flushIntervalCommitLog",
    "a",
    "b",
)
FILL = "2026-11-21 20:00:0{} INFO main - the broker started\n"


def answer(lines: list[str], folder: Path) -> tuple[str, str]:
    """State, and reason with what was seen, of a log with these lines among others."""
    log = folder / "broker.log"
    log.write_text(
        "".join(line.replace("{}", str(place % 10)) for place, line in enumerate([FILL, *lines, FILL]))
    )
    given = diagnose_incident([log]).report.answer
    assert given is not None
    write = english()
    return given.state, " ".join([write(given.reason), *(write(one.text) for one in given.seen)])


def test_known_lines_are_no_reason_to_doubt(tmp_path: Path) -> None:
    assert answer([HARMLESS], tmp_path)[0] == "healthy"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("2026-11-21 20:00:0{} ERROR main - the shop burnt down\n", "the shop burnt down"),
        ("2026-11-21 20:00:0{} WARN main - physic disk maybe full soon 0.80, so mark disk full\n", "disk-full"),
    ],
)
def test_a_line_that_is_not_known_to_be_harmless_is_one(line: str, words: str, tmp_path: Path) -> None:
    state, told = answer([HARMLESS, line], tmp_path)
    assert state != "healthy"
    assert state == "fault" or words in told


def test_a_few_lines_that_are_not_known_prove_nothing(tmp_path: Path) -> None:
    log = tmp_path / "broker.log"
    for lines, state in ((2, "undecided"), (4, "undecided"), (5, "healthy")):
        log.write_text(
            "".join(
                FILL.replace("{}", "1").replace("started", f"took step {number}") for number in range(lines)
            )
        )
        given = diagnose_incident([log]).report.answer
        assert given is not None
        assert given.state == state


def test_one_harmless_line_proves_nothing(tmp_path: Path) -> None:
    log = tmp_path / "broker.log"
    log.write_text(HARMLESS.format(1))
    given = diagnose_incident([log]).report.answer
    assert given is not None
    assert given.state == "undecided"
    log.write_text(HARMLESS.format(1) + HARMLESS.format(2))
    again = diagnose_incident([log]).report.answer
    assert again is not None
    assert again.state == "healthy"


def test_a_list_of_clients_alone_proves_nothing(tmp_path: Path) -> None:
    listed = tmp_path / "connections.txt"
    listed.write_text(
        "#ClientId                            #ClientAddr            #Language  #Version\n"
        "10.0.0.7@170                         10.0.3.11:43166        JAVA       V5_3_3\n\n"
        "Below is subscription:\n#Topic               #SubExpression\norders               *\n\n"
    )
    given = diagnose_incident([listed]).report.answer
    assert given is not None
    assert (given.state, "shows who is connected" in english()(given.reason)) == ("undecided", True)


def test_the_settings_of_a_broker_prove_nothing(tmp_path: Path) -> None:
    (tmp_path / "config.txt").write_text("brokerClusterName = a\nbrokerName = b\nbrokerRole = ASYNC_MASTER\n")
    given = diagnose_incident([tmp_path / "config.txt"]).report.answer
    assert given is not None
    assert given.state == "undecided"


def test_queues_that_were_taken_away_while_a_message_was_in_hand_are_no_fault(tmp_path: Path) -> None:
    line = (
        "2026-11-21 20:00:0{} WARN RebalanceService - processQueue is dropped without process consume result."
        " messageQueue=MessageQueue [topic=t, brokerName=b, queueId=1], msgs=[]\n"
    )
    assert answer([line, HARMLESS], tmp_path)[0] == "healthy"


@one_in_each_run(3)
@pytest.mark.parametrize("path", HEALTHY, ids=lambda path: path.name)
def test_starts_loads_and_restarts_of_healthy_processes_are_told_healthy(path: Path) -> None:
    report = diagnose_incident([path]).report
    assert report.findings == ()
    assert report.answer.state == "healthy"


@pytest.mark.parametrize(
    ("count", "words"), [(3, "too few or too short"), (30, "what they show does not suffice")]
)
def test_only_few_lines_are_called_few(count: int, words: str) -> None:
    logs = LogsFacts(lines=5000, level_lines=LevelLineFacts(symptoms={"send-busy": count}))
    answer = answered(Report(mqdiag="0", inputs=(), checked=("send-busy",), logs=logs)).answer
    assert words in english()(answer.reason)
    assert answer.next is not None
    assert "On the broker's host, take its logs of the same time" in english()(answer.next.text)


def test_symptoms_in_the_log_of_a_raft_member_ask_for_the_logs_of_the_others() -> None:
    servers = HEALTHY[0].parents[1] / "servers"
    for logs in (servers / "controllers-5.3.3/dledger.log.gz", servers / "jraft-controllers-5.3.3"):
        given = diagnose_incident([logs]).report.answer
        assert given is not None
        assert given.state == "undecided"
        assert given.next is not None
        assert "On the hosts of the other members of the Raft group" in english()(given.next.text)


@pytest.mark.parametrize(
    "error",
    [
        "wait response on the channel <10.0.0.5:10911> timeout, 3000(ms)",
        "invokeSync call the addr[10.0.0.5:10911] timeout",
    ],
)
def test_a_question_without_an_answer_is_neither_a_send_nor_harmless(error: str, tmp_path: Path) -> None:
    state, reason = answer(
        [
            "2026-11-21 20:00:0{} WARN RebalanceService - getConsumerIdListByGroup exception, 10.0.0.5:10911 orders\n"
            f"org.apache.rocketmq.remoting.exception.RemotingTimeoutException: {error}\n"
            "\tat org.apache.rocketmq.client.impl.MQClientAPIImpl.getConsumerIdListByGroup(MQClientAPIImpl.java:1080)\n"
        ]
        * 2,
        tmp_path,
    )
    assert state == "undecided"
    assert "2 requests of clients, other than sends and pulls, got no answer in time" in reason


def test_a_fault_beside_damaged_inputs_says_that_they_were_not_read(tmp_path: Path) -> None:
    log, damaged = tmp_path / "broker.log", tmp_path / "store.log.gz"
    log.write_text(
        "2026-11-21 20:00:01 WARN main - [OVERLOAD]system busy, start flow control for a while\n" * 30
    )
    damaged.write_bytes(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + b"\x07" * 90)
    given = diagnose_incident([tmp_path]).report.answer
    assert given is not None
    assert given.state == "fault"
    assert f"{damaged} could not be read: this answer does not include its content." in english()(given.reason)


def test_a_send_that_failed_for_good_is_told_the_same_packed_and_plain(tmp_path: Path) -> None:
    packed = HEALTHY[0].parent / "frame-too-long-4.9.7" / "producer" / "application.log.gz"
    plain = tmp_path / "application.log"
    plain.write_bytes(gzip.decompress(packed.read_bytes()))
    reports = [diagnose_incident([path]).report for path in (packed, plain)]
    assert [report.answer.state for report in reports] == ["undecided", "undecided"]
    counted = [report.logs.level_lines for report in reports if report.logs is not None]
    assert counted[0] is not None
    assert counted[1] is not None
    places = [[(one.line, one.text) for one in lines.heaviest] for lines in counted if lines is not None]
    assert places[0] == places[1]
    assert counted[0] == msgspec.structs.replace(counted[1], heaviest=counted[0].heaviest)


FLUSH = "2026-11-21 20:00:0{} INFO FlushRealTimeService - Flush data to disk costs 2074 ms\n"


@pytest.mark.parametrize(
    ("flush", "others", "state"),
    [(FLUSH, 30, "undecided"), (FLUSH.replace("2074", "640"), 30, "healthy"), (FLUSH, 400, "healthy")],
    ids=["in a moment", "a shorter one", "in a whole log"],
)
def test_a_slow_flush_in_the_log_of_a_moment_is_no_all_clear(
    flush: str, others: int, state: str, tmp_path: Path
) -> None:
    assert answer([HARMLESS, *[FILL] * others, flush], tmp_path)[0] == state


@pytest.mark.parametrize(("last_second", "state"), [(1, "undecided"), (59, "healthy")])
def test_settings_that_a_broker_prints_are_no_start_that_succeeded(
    last_second: int, state: str, tmp_path: Path
) -> None:
    log = tmp_path / "broker.log"
    named = [f"INFO main - brokerIP1=10.0.0.{number}" for number in range(30)]
    seconds = [1] * 29 + [last_second]
    log.write_text(
        "".join(f"2026-11-21 20:00:{at:02d} {said}\n" for at, said in zip(seconds, named, strict=True))
    )
    given = diagnose_incident([log]).report.answer
    assert given is not None
    assert given.state == state


@pytest.mark.parametrize(
    ("number", "ended", "state"), [(1302, 0, "undecided"), (12, 0, "healthy"), (1302, 1, "healthy")]
)
def test_a_process_that_made_very_many_clients(number: int, ended: int, state: str, tmp_path: Path) -> None:
    log = tmp_path / "rocketmq_client.log"
    begins = "2026-11-21 20:00:01,001 INFO RocketmqClient - "
    log.write_text(
        f"{begins}user specified name server address: 10.0.0.7:9876\n"
        f"{begins}Created a new client Instance, InstanceIndex:{number}, ClientID:10.0.3.1@17, ClientConfig:"
        "ClientConfig [namesrvAddr=10.0.0.7:9876], ClientVersion:V4_4_0, SerializerType:JSON\n"
        f"{begins}Created new MQClientInstance for clientId:[10.0.3.1@17]\n"
        f"{begins}PullMessageService service started\n"
        f"{begins}the client factory [10.0.3.1@17] start OK\n"
        + f"{begins}the client factory [10.0.3.1@17] shutdown OK\n"
        * ended
    )
    given = diagnose_incident([log]).report.answer
    assert given is not None
    assert given.state == state


@pytest.mark.parametrize(("success", "state"), [(False, "undecided"), (True, "healthy")])
def test_lines_that_end_while_a_connection_is_made(success: bool, state: str, tmp_path: Path) -> None:
    address = "10.0.0.7:9876"
    lines = [
        f"2026-11-21 20:00:0{{}} WARN NettyClientWorkerThread_3 - NETTY CLIENT PIPELINE: IDLE exception [{address}]\n",
        f"2026-11-21 20:00:0{{}} INFO NettyClientWorkerThread_3 - NETTY CLIENT PIPELINE: CLOSE {address}\n",
        "2026-11-21 20:00:0{} INFO NettyClientScan_thread_2 - createChannel: begin to connect remote host"
        f"[{address}] asynchronously\n",
    ]
    if success:
        lines.append(
            "2026-11-21 20:00:0{} INFO NettyClientScan_thread_2 - createChannel: connect remote host"
            f"[{address}] success, AbstractBootstrap$PendingRegistrationPromise@7387(success)\n"
        )
    assert answer(lines, tmp_path)[0] == state


def test_a_symptom_stands_only_where_nothing_else_explains_it(tmp_path: Path) -> None:
    blocked = "2026-11-21 20:00:0{} WARN main - [OVERLOAD]system busy, start flow control for a while\n"
    for lines, stands in (([HARMLESS, *[FILL] * 30, FLUSH], True), ([FLUSH, *[blocked] * 30], False)):
        answer(lines, tmp_path)
        found = {one.rule for one in diagnose_incident([tmp_path]).report.findings}
        assert ("symptoms-not-judged" in found) == stands
        assert stands or found, "another finding explains it"


APPENDER = "log4j:WARN Please initialize the log4j system properly.\n"
STEP = "[2026-11-21 20:00:0{}.123]  INFO Starting part {}\n"
CONSOLE = "[2026-11-21 20:00:01.123] ERROR op=global_exception_handler_print_error\n"
NO_FIGURES = "org.apache.rocketmq.console.exception.ServiceException: This date have't data!\n"
OWN_FRAME = "\tat org.apache.rocketmq.console.service.impl.DashboardServiceImpl.queryTopicData(D.java:{})\n"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (APPENDER * 3 + "".join(STEP.format(step, step) for step in range(4)), "undecided"),
        (APPENDER * 3 + "".join(STEP.format(step, step) for step in range(2)), "healthy"),
        (CONSOLE + NO_FIGURES + "".join(map(OWN_FRAME.format, range(6))), "healthy"),
        ("".join(f"2026-11-21 20:00:00 INFO main - {name}=1\n" for name in SETTINGS), "undecided"),
    ],
    ids=["among lines of any program", "nearly alone", "of RocketMQ's console", "settings alone"],
)
def test_an_excerpt_in_which_harmless_lines_or_settings_are_all_that_is_known(
    text: str, state: str, tmp_path: Path
) -> None:
    """What else the program did the lines do not show; a console's own line shows what program it is."""
    (tmp_path / "console.log").write_text(text)
    given = diagnose_incident([tmp_path / "console.log"]).report.answer
    assert given is not None
    assert given.state == state
