"""POP consumers and refused messages, by lines as brokers and clients of several versions write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.facts import AdminFacts, Facts
from mqdiag.facts.admin import GroupProgress, QueueProgress
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject
from mqdiag.findings import Finding, Report, Severity
from mqdiag.rules import pop_revive_behind
from tests.logs.given import CLIENT_4, line
from tests.rules.checks import findings

TIME = "2026-11-21T20:00:00"
LOGS = Path(__file__).parents[2] / "fixtures" / "logs"
UNAVAILABLE = (
    "org.apache.rocketmq.client.exception.MQBrokerException: CODE: 14  DESC: service not available now. It may be"
    " caused by one of the following reasons: the broker's disk is full [CL:  {share} CQ:  {share} INDEX:  {share}],"
    " messages are put to the slave, message store has been shut down, etc. BROKER: 10.0.0.7:10911\n"
)
ANSWER = "org.apache.rocketmq.client.exception.MQBrokerException: CODE: {code}  DESC: {text} BROKER: 10.0.0.7:10911\n"


def diagnosed(text: str, tmp_path: Path) -> Report:
    log = tmp_path / "some.log"
    log.write_text(text)
    return diagnose_logs([log]).report


def only(report: Report, rule: str) -> Finding:
    (finding,) = (one for one in report.findings if one.rule == rule)
    return finding


def unavailable(share: str, *, count: int = 4) -> str:
    """So many answers with code 14, in a log that is no excerpt."""
    head = line("order event was not sent", second=2)
    return (head + UNAVAILABLE.format(share=share)) * count + line("nothing of interest") * 20


def moved(by: str) -> str:
    return line(f"Pop initial offset, because store is no correct, orders@CID_points@2, {by}")


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (moved("500->74"), "offset-beyond-queue"),
        (moved("74->500"), "messages-deleted"),
        (moved("5384577->null"), "store-without-answer"),
        (
            line(
                "PopConsumerService getMessageAsync, initial offset because store is no correct, groupId=CID_points,"
                " topicId=orders, queueId=2, batchSize=32, offset=500->74"
            ),
            "offset-beyond-queue",
        ),
        (
            line("PopConsumerService revive error, message may be lost, record=PopConsumerRecord{}"),
            "record-dropped",
        ),
        (
            line("rePut CK reach max times, drop it. orders, CID_points, broker-a, 2-7, 1, 60000, 17"),
            "record-dropped",
        ),
        (line("[PopBuffer]put ck to store fail: PopCheckPointWrapper{}, SERVICE_NOT_AVAILABLE"), "not-stored"),
        (line("put ack msg error:PutMessageResult [putMessageStatus=SERVICE_NOT_AVAILABLE]"), "not-stored"),
    ],
)
def test_positions_and_records_that_are_lost(text: str, cause: str, tmp_path: Path) -> None:
    assert only(diagnosed(text, tmp_path), "pop-offset-lost").cause == cause


def test_whose_position_it_is_and_how_far_it_moved(tmp_path: Path) -> None:
    finding = only(diagnosed(moved("500->74"), tmp_path), "pop-offset-lost")
    assert (finding.subject.group, finding.subject.topic) == ("CID_points", "orders")
    assert finding.evidence["largest_gap"] == 426
    assert finding.severity is Severity.ERROR


def rounds(*delays: int, every: int = 20) -> str:
    """The ends of rounds of the thread that gives messages back, so many seconds apart."""
    return "".join(
        f"2026-11-21 20:{number * every // 60:02d}:{number * every % 60:02d} INFO PopReviveService_0 -"
        f" reviveQueueId=0, revive finish,old offset is 7, new offset is 9, ckDelay={delay}  \n"
        for number, delay in enumerate(delays)
    )


def test_messages_that_come_back_late(tmp_path: Path) -> None:
    finding = only(diagnosed(rounds(*[0] * 20, *[70, 95, 140, 133, 90]), tmp_path), "pop-revive-behind")
    assert finding.cause == "revive-late"
    assert (finding.evidence["largest_delay_s"], finding.evidence["lines"]) == (140, 5)


@pytest.mark.parametrize(
    "text",
    [
        rounds(*[3] * 30),
        rounds(*[3] * 25, 45, 44, 41, 40),
        # all queues take up what became due while the broker was down
        rounds(*[290] * 8, every=1) + rounds(*[3] * 25),
    ],
)
def test_messages_that_come_back_in_order(text: str, tmp_path: Path) -> None:
    assert diagnosed(text, tmp_path).findings == ()


def test_pop_without_the_timer_wheel(tmp_path: Path) -> None:
    text = ANSWER.format(
        code=16, text="the broker[10.0.0.7] pop message is forbidden because timerWheelEnable is false"
    )
    finding = only(diagnosed(text, tmp_path), "pop-revive-behind")
    assert finding.cause == "timer-wheel-off"


def test_a_broker_without_the_timer_wheel_and_without_pop_is_healthy(tmp_path: Path) -> None:
    text = line("skip revive topic because timerWheelEnable is false", thread="PopReviveService_0") * 30
    report = diagnosed(text, tmp_path)
    assert report.findings == ()
    assert report.answer is not None
    assert report.answer.state == "healthy"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (
            "Too much msgs unacked, then stop popping. topic=orders, group=CID_points, queueId=2",
            "not-acknowledged",
        ),
        (
            "Too much msgs unacked, then stop poping. topic=orders, group=CID_points, queueId=2",
            "not-acknowledged",
        ),
        ("[PopBuffer]add ck, max size, PopCheckPoint{}, 200000", "buffer-full"),
        ("[PopBuffer]ck finish fail, stay too long, PopCheckPointWrapper{}", "buffer-full"),
    ],
)
def test_check_points_that_pile_up(text: str, cause: str, tmp_path: Path) -> None:
    assert only(diagnosed(line(text) * 30, tmp_path), "pop-revive-behind").cause == cause


def _waiting(diff: int) -> Facts:
    queue = QueueProgress(
        topic="rmq_sys_REVIVE_LOG_shop",
        broker="broker-a",
        queue_id=0,
        broker_offset=500_000,
        consumer_offset=500_000 - diff,
        diff=diff,
    )
    progress = GroupProgress(
        group=pop_revive_behind.REVIVE_GROUP, source="consumerProgress.txt", queues=(queue,)
    )
    return Facts(admin=AdminFacts(groups=(progress,)))


def test_check_points_that_wait_by_mqadmin() -> None:
    (finding,) = findings(pop_revive_behind, _waiting(40_000))
    assert (finding.cause, finding.evidence["waiting"]) == ("revive-late", 40_000)
    assert not findings(pop_revive_behind, _waiting(900))


FORBIDDEN = ", so putMessage is forbidden"


@pytest.mark.parametrize(
    ("told", "cause"),
    [
        ("", "store-not-writable"),
        (line("message store is in slave mode" + FORBIDDEN), "not-master"),
        (line("message store is slave mode" + FORBIDDEN), "not-master"),
        (line("broke role is slave" + FORBIDDEN), "not-master"),
        (line("message store has shutdown" + FORBIDDEN), "shutting-down"),
        (line("message store is not writeable" + FORBIDDEN + " 4"), "store-error"),
    ],
)
def test_what_code_14_means(told: str, cause: str, tmp_path: Path) -> None:
    report = diagnosed(unavailable("0.31") + told, tmp_path)
    assert {finding.rule for finding in report.findings} == {"send-refused"}
    finding = report.findings[0]
    assert finding.cause == cause
    assert finding.evidence["disk_percent"] == 31
    assert (finding.severity is Severity.INFO) == (cause == "shutting-down")


def test_code_14_of_a_full_disk_is_left_to_its_rule(tmp_path: Path) -> None:
    text = unavailable("0.93") + line("message store is not writeable" + FORBIDDEN + " 16")
    assert {finding.rule for finding in diagnosed(text, tmp_path).findings} == {"disk-full"}


@pytest.mark.parametrize(
    ("told", "cause"),
    [
        (line("message store is in slave mode" + FORBIDDEN), "not-master"),
        (
            "the message store is not writable. It may be caused by one of the following reasons\n",
            "store-not-writable",
        ),
    ],
)
def test_what_the_store_alone_tells(told: str, cause: str, tmp_path: Path) -> None:
    assert only(diagnosed(told, tmp_path), "send-refused").cause == cause


def test_a_store_that_stops_is_no_finding_without_refusals(tmp_path: Path) -> None:
    assert diagnosed(line("message store has shutdown" + FORBIDDEN), tmp_path).findings == ()


@pytest.mark.parametrize(
    ("code", "text", "cause", "limit"),
    [
        (
            13,
            "the message is illegal, maybe msg body or properties length not matched. msg body length limit 128k, msg"
            " properties length limit 32k.",
            "message-too-large",
            None,
        ),
        (
            13,
            "the message is illegal, maybe msg body or properties length not matched. msg body length limit 4194304B,"
            " msg properties length limit 32KB.",
            "message-too-large",
            4_194_304,
        ),
        (13, "the message body size over max value, MAX: 4194304", "message-too-large", 4_194_304),
        (16, "the broker[10.0.0.7] sending message is forbidden", "no-permission", None),
        (16, "the topic[orders] sending message is forbidden", "no-permission", None),
        (17, "topic[orders] not exist, apply first please!", "topic-missing", None),
        (1, "broker unable to service, until 2026-11-22 20:00:00,000", "broker-not-open", None),
        (1, "create mapped file failed, server is busy or broken.", "no-new-file", None),
        (1, "create maped file failed, please make sure OS and JDK both 64bit.", "no-new-file", None),
        (1, "in-sync replicas not enough", "replicas-missing", None),
    ],
)
def test_answers_that_name_their_reason(
    code: int, text: str, cause: str, limit: int | None, tmp_path: Path
) -> None:
    finding = only(diagnosed(ANSWER.format(code=code, text=text), tmp_path), "send-refused")
    assert finding.cause == cause
    assert finding.evidence.get("limit_bytes") == limit


def test_messages_that_no_slave_has(tmp_path: Path) -> None:
    text = "SendResult [sendStatus=SLAVE_NOT_AVAILABLE, msgId=7F00, messageQueue=MessageQueue [topic=orders]]\n"
    assert (
        only(diagnosed(line(text.strip(), CLIENT_4) * 5, tmp_path), "send-refused").cause
        == "slave-not-available"
    )


def acknowledgements(*offsets: int) -> str:
    return "".join(
        f"2026-11-21 20:{number // 60:02d}:{number % 60:02d} INFO PopReviveService_0 - reviveQueueId=0,find ack,"
        f' offset:{offset}, raw : {{"ackOffset":7,"consumerGroup":"CID_points"}}\n'
        for number, offset in enumerate(offsets)
    )


def test_one_acknowledgement_that_is_read_again_and_again(tmp_path: Path) -> None:
    finding = only(diagnosed(acknowledgements(*[98_204] * 90), tmp_path), "pop-revive-behind")
    assert (finding.cause, finding.evidence["times"]) == ("revive-stands", 90)


def test_acknowledgements_of_a_working_broker(tmp_path: Path) -> None:
    """The last one is read in some rounds until the next check point becomes due."""
    offsets = [offset for offset in range(30) for _ in range(3)]
    assert diagnosed(acknowledgements(*offsets), tmp_path).findings == ()


def test_a_slave_that_refuses_pulls_says_nothing_about_the_page_cache() -> None:
    """Of the master that lost its store, the slave's messages are told first."""
    report = diagnose_logs(sorted((LOGS / "power-loss-5.3.3").glob("*/*.gz"))).report
    refused = only(report, "pull-refused")
    assert (refused.cause, refused.severity) == ("slave-serves-no-reads", Severity.WARNING)
    assert (refused.subject.group, refused.evidence["lines"]) == ("CID_orders", 116)
    assert (report.findings[0].rule, report.findings[0].cause) == ("slave-behind", "slave-ahead")
    assert "page-cache-busy" not in {one.rule for one in report.findings}


def test_queues_that_no_broker_could_be_asked_for_are_part_of_its_restart() -> None:
    report = diagnose_logs(sorted((LOGS / "pop-in-order-5.3.3").glob("*/*.gz"))).report
    assert (report.answer.state, report.findings) == ("healthy", ())


def test_queues_that_could_not_be_shared_out_for_an_unknown_reason_decide_nothing(tmp_path: Path) -> None:
    """The same line with an exception that no restart has."""
    failed = line("allocate message queue exception. strategy name: AVG, ex: {}", level="ERROR")
    report = diagnosed(
        line("nothing of interest") * 300 + failed + "java.lang.NullPointerException: x\n", tmp_path
    )
    assert report.answer.state == "undecided"


def test_one_round_of_a_queue_tells_no_usual_time() -> None:
    queues = tuple(LogSubject(queue_id=at, count=1, first=TIME, last=TIME) for at in range(2))
    event = LogEvent(
        kind=pop_revive_behind.ROUND, count=2, first=TIME, last="2026-11-21T21:00:00", subjects=queues
    )
    assert not findings(pop_revive_behind, Facts(logs=LogsFacts(events=(event,))), rounds=1)


@pytest.mark.parametrize(
    ("code", "cause", "named"),
    [
        (351, "server-too-old", "GET_TOPIC_CONFIG"),
        (106, "wrong-server", "GET_BROKER_CLUSTER_INFO"),
        (52, "request-removed", "GET_BROKER_CLUSTER_ACL_INFO"),
        (1005, "no-controller", "CONTROLLER_GET_METADATA_INFO"),
        (307, "client-lacks-request", "GET_CONSUMER_RUNNING_INFO"),
        (4242, "unknown-request", None),
    ],
)
def test_a_request_that_is_not_known_is_told_by_its_name(
    code: int, cause: str, named: str | None, tmp_path: Path
) -> None:
    said = only(
        diagnosed(ANSWER.format(code=3, text=f" request type {code} not supported"), tmp_path),
        "request-not-supported",
    )
    assert (said.cause, said.evidence.get("request")) == (cause, named)
    assert said.severity is Severity.WARNING


def test_batches_that_are_not_known_are_told_as_refused_messages(tmp_path: Path) -> None:
    report = diagnosed(ANSWER.format(code=3, text=" request type 320 not supported"), tmp_path)
    assert [(one.rule, one.cause) for one in report.findings] == [("send-refused", "no-batches")]
    # words of an application about requests of its own, and of its user
    for text in ("request type 351 is not supported by this page", "Tom says request type 351 not supported"):
        assert diagnosed(line(text), tmp_path).findings == ()
