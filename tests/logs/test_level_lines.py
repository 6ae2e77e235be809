"""Lines at WARN and ERROR are told apart by the catalogue of what RocketMQ can log."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import mqdiag.logs.catalogue as data
from mqdiag.facts.log_lines import LevelLineFacts
from mqdiag.logs.catalogue import catalogue
from mqdiag.logs.level_line_facts import level_line_facts
from mqdiag.logs.level_lines import LevelLines
from mqdiag.logs.other_clients import other_client
from mqdiag.read.logs.levels import ALL, COMMON, words_of
from mqdiag.read.logs.scan import LONG_LOG_BLOCKS, places_of_words
from mqdiag.rules.reported_fault import RULE
from tests.folded import folded

LOGS = Path(__file__).parents[2] / "fixtures" / "logs"
CATALOGUE = Path(data.__file__).parent
HEALTHY = sorted(LOGS.glob("healthy-*/*/*.log.gz"))


def facts_of(*blocks: bytes) -> LevelLineFacts:
    lines = LevelLines(words_of(blocks[0]))
    above = 0
    for block in blocks:
        lines.see(block, places_of_words(block, lines.words), above)
        above += block.count(b"\n")
    facts = level_line_facts([("some.log", lines, None)])
    return msgspec.structs.replace(facts, quiet_s=None)


def rows(name: str) -> Iterator[dict[str, str]]:
    with (CATALOGUE / name).open(encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)


def test_nearly_all_texts_are_classified_each_with_a_reason() -> None:
    reasons = {row["reason"] for row in rows("reasons.tsv")} | {*RULE.texts.case}
    texts = list(rows("statements.tsv"))
    classified = [row for row in texts if row["verdict"] != "unclassified"]
    assert len(texts) > 2000
    assert len(classified) >= 0.95 * len(texts)
    assert {row["verdict"] for row in classified} == {"harmless", "passing", "symptom", "fault"}
    assert [row["pattern"] for row in classified if row["reason"] not in reasons] == []
    assert [
        row["pattern"] for row in texts if row["verdict"] in ("passing", "symptom") and not row["rule"]
    ] == []


@pytest.mark.parametrize(
    ("thrown", "judged_by"),
    [
        ("client.exception.MQClientException: No route info of this topic, orders", "no-route"),
        ("client.exception.MQClientException: Send [3] times, still failed, cost [9041]ms", "send-timeout"),
    ],
)
def test_a_send_that_failed_for_good_is_a_symptom_however_few_there_are(thrown: str, judged_by: str) -> None:
    line = "2026-11-21 12:46:35.228 ERROR [main] com.acme.Orders - not sent"
    record = f"{line}\norg.apache.rocketmq.{thrown}\n\tat a.B.c\n"
    facts = facts_of(record.encode() * 3)
    assert facts.symptoms == {judged_by: 3}
    assert facts.foreign == 0
    assert not facts.all_harmless
    assert facts_of(record.encode() * 30).weak == {judged_by: 30}


@pytest.mark.parametrize(
    "thrown",
    [
        "RemotingTooMuchRequestException: sendDefaultImpl call timeout",
        "RemotingConnectException: connect to 10.0.0.7:9876 failed",
    ],
)
def test_other_exceptions_of_the_client_pass_in_small_numbers(thrown: str) -> None:
    line = "2026-11-21 12:46:35.228 ERROR [main] com.acme.Orders - not sent"
    record = f"{line}\norg.apache.rocketmq.remoting.exception.{thrown}\n\tat a.B.c\n".encode()
    assert facts_of(record * 3).passing == {"send-timeout": 3}
    assert facts_of(record * 30).weak == {"send-timeout": 30}


def test_an_exception_of_the_application_below_tells_nothing() -> None:
    record = (
        b"2026-11-21 12:46:35.228 ERROR [main] com.acme.Orders - not sent\ncom.acme.NoMoney: 3\n\tat a.B.c\n"
    )
    assert facts_of(record * 3).foreign == 3


@folded("path", HEALTHY, lambda path: "-".join(path.parts[-3:]))
def test_a_healthy_process_logs_only_what_is_known_to_be_harmless(path: Path) -> None:
    facts = facts_of(gzip.decompress(path.read_bytes()))
    if path.name == "application.log.gz":
        assert all("com.acme.shop" in text.text for text in facts.commonest), "the application's own lines"
    else:
        assert facts.all_harmless, facts


@folded(
    "line",
    [
        b"2026-11-21 20:00:01 WARN main - Load default HA Service: DefaultHAService\n",
        b"2026-11-21 20:00:01,123 WARN RocketmqClient - Load default HA Service: DefaultHAService\n",
        b"2026-11-21 20:00:01.123 WARN  [7] [main] [o.a.r.s.Store#?:?] - Load default HA Service: DefaultHAService\n",
        b"2026-11-21 20:00:01.123  WARN 7 --- [main] RocketmqClient : Load default HA Service: DefaultHAService\n",
        b'{"level":"WARN","logger":"RocketmqStore","message":"Load default HA Service: DefaultHAService"}\n',
        b'{"log":"2026-11-21 20:00:01 WARN main - Load default HA Service: DefaultHAService\\n","stream":"stdout"}\n',
    ],
)
def test_a_text_is_found_in_every_layout(line: bytes) -> None:
    facts = facts_of(line)
    assert facts.harmless == 1
    assert facts.all_harmless


def test_a_symptom_names_its_rule() -> None:
    line = b"2026-11-21 20:00:01 ERROR Clean - physic disk maybe full soon 0.97, so mark disk full\n"
    facts = facts_of(line)
    assert facts.symptoms == {"disk-full": 1}
    assert not facts.all_harmless
    assert not facts.not_understood


def test_unknown_texts_are_counted_and_the_commonest_are_shown() -> None:
    block = b"".join(
        b"2026-11-21 20:00:01 WARN main - %s %d\n" % (text, number)
        for text, times in ((b"shop closed", 9), (b"no stock", 5), (b"late", 3), (b"odd", 1))
        for number in range(times)
    )
    facts = facts_of(block)
    assert facts.foreign == 18
    assert [(text.text, text.count) for text in facts.commonest] == [
        ("shop closed N", 9), ("no stock N", 5), ("late N", 3),
    ]  # fmt: skip
    assert not facts.all_harmless


def test_words_in_a_text_and_lines_of_stack_traces_are_no_levels() -> None:
    facts = facts_of(
        b"2026-11-21 20:00:01 INFO main - status is WARN, last was SYSTEM_ERROR, java.io.IOException\n"
        b"\tat com.acme.ERROR.run(WARN.java:7)\n"
    )
    assert facts == LevelLineFacts()


@folded(
    "line",
    [
        b"2026-11-21 20:00:01,123 FATAL [main] com.acme.Shop - shop closed\n",
        b"SEVERE: shop closed\n",
        b"2026-11-21 20:00:01.123 [ERROR] main - shop closed\n",
        b"2026-11-21 20:00:01 WARNING main - shop closed\n",
        b"2026-11-21 20:00:01 error main - shop closed\n",
        b"[2026-11-21 20:00:01.123][warn] shop closed\n",
        b'time="2026-11-21T20:00:01+08:00" level=warning msg="shop closed"\n',
        b'{"level":"error","message":"shop closed"}\n',
        b"warn: shop closed\n",
    ],
)
def test_a_level_counts_in_every_spelling(line: bytes) -> None:
    assert facts_of(line).foreign == 1
    quiet = b"2026-11-21 20:00:01 info main - open\n" * 9000
    assert facts_of(quiet + line).foreign == 1, "in a long log that writes levels in small letters"


def test_old_names_of_options_are_harmless_and_other_warnings_of_the_jvm_are_not() -> None:
    old = b"[0.004s][warning][gc] -XX:+PrintGCDetails is deprecated. Will use -Xlog:gc* instead.\n"
    assert facts_of(old).all_harmless
    failed = (
        b'[9.101s][warning][os,thread] Failed to start thread "Unknown thread" with pthread_create (EAGAIN)\n'
    )
    assert facts_of(failed).foreign == 1


def test_a_long_log_of_collections_is_searched_for_few_words() -> None:
    line = b"[2026-11-21T20:00:01.000+0800][info ][gc] GC(7) Pause Young (Normal) 410M->200M(512M) 9.1ms\n"
    assert words_of(line * 4000) == COMMON
    assert words_of(line) == ALL


def test_words_in_small_letters_are_no_levels_inside_of_a_text() -> None:
    assert facts_of(b"2026-11-21 20:00:01 INFO main - error: none, level=warn, [error]\n") == LevelLineFacts()
    assert facts_of(b"the last error was no warn at all\n") == LevelLineFacts()


@pytest.mark.parametrize(
    "line",
    [
        b"2026-11-21 20:00:01 WARN FlushConsumeQueueService - Offset not matched. Request offset: %d,"
        b" firstOffset: 312000000, lastOffset: 318000000, mappedFileSize: 6000000, mappedFiles count: 1\n",
        b"2026-11-21 20:00:01 WARN FlushConsumeQueueService - findMapedFileByOffset offset not matched,"
        b" request Offset: %d, index: 1, mapedFileSize: 6000000, mapedFiles count: 1, StackTrace:\n",
    ],
)
def test_a_lookup_of_the_end_of_a_full_file_is_harmless_and_one_beside_it_is_not(line: bytes) -> None:
    at_end, beside = line % 318_000_000, line % 318_000_001
    assert facts_of(at_end * 15).harmless == 15
    facts = facts_of(at_end + beside)
    assert (facts.harmless, facts.symptoms) == (1, {"offset-not-matched": 1})


def test_a_passing_line_is_harmless_until_it_comes_often() -> None:
    line = b"2026-11-21 20:00:01 WARN RocketmqClient - get Topic [orders] RouteInfoFromNameServer is not exist value\n"
    assert facts_of(line * 20).all_harmless
    assert not facts_of(line * 21).all_harmless


def test_a_longer_text_does_not_fit_a_short_pattern() -> None:
    assert catalogue().find(b"Interrupted") is not None
    assert catalogue().find(b"Interrupted by the operator, data is lost") is None


def test_each_line_of_a_short_log_is_looked_at() -> None:
    line = b"2026-11-21 20:00:01 WARN main - Load default HA Service: DefaultHAService\n"
    other = b"2026-11-21 20:00:01 WARN main - nobody knows this text\n"
    facts = facts_of(line * 2500 + other + line * 2400)
    assert (facts.unseen, facts.harmless, facts.foreign) == (0, 4900, 1)


def test_a_flood_is_sampled_and_counted_in_full() -> None:
    line = b"2026-11-21 20:00:01 WARN main - Load default HA Service: DefaultHAService\n"
    facts = facts_of(line * 6000)
    assert facts.harmless == 6000
    assert 0 < facts.unseen < 6000


def test_fewer_lines_of_a_flood_are_judged_later_in_a_long_log() -> None:
    """Each block has 1,000 lines: of the first 5 blocks all are judged, of those after them 200, in the end 91."""
    block = b"2026-11-21 20:00:01 WARN main - Load default HA Service: DefaultHAService\n" * 1000
    levels = LevelLines(words_of(block))
    places = places_of_words(block, levels.words)
    for _ in range(LONG_LOG_BLOCKS):
        levels.see(block, places, 0)
    unseen = (LONG_LOG_BLOCKS - 5) * (1000 - 200)
    assert levels.unseen == unseen
    levels.see(block, places, 0)
    assert levels.unseen == unseen + (1000 - 91)
    assert sum(levels.entries.values()) == 1000 * (LONG_LOG_BLOCKS + 1)


def test_of_each_kind_of_line_the_first_is_kept_as_it_stands() -> None:
    quiet = b"2026-11-21 20:00:01 INFO main - fine\n"
    warning = b"2026-11-21 20:00:02 WARN main - shelf 17 is odd\n"
    error = b"2026-11-21 20:00:03 ERROR main - shelf 18 fell\n"
    facts = facts_of(quiet * 3 + warning * 2, quiet + error, warning.replace(b"17", b"9"))
    assert [(one.path, one.line, one.text, one.count) for one in facts.heaviest] == [
        ("some.log", 7, error.decode().strip(), 1),
        ("some.log", 4, warning.decode().strip(), 3),
    ]


@folded(
    "client, line",
    [
        ("C++", b"[2026-Jun-30 15:51:22.863803](info):oneway update of mq[update:310]\n"),
        ("Go", b'time="2026-06-30T15:51:22+08:00" level=warning msg="pull failed" consumerGroup=CID_x\n'),
        ("C++", b"[2026-06-30 15:51:22.318070](debug):connect to [10.1.1.1:9876].[connect:149]\n"),
        ("Go", b'ERRO[0003] get consumer list of group from broker error  broker="10.1.1.1:10911"\n'),
        ("Go", b'{"level":"warn","ts":1.5,"msg":"no broker found for mq","PullRequest":"MessageQueue []"}\n'),
        (".NET", b"09:14:22.807 01 N - [Tcp]    NewLife.RocketMQ.Protocol.MqCodec\n"),
    ],
)
def test_clients_in_other_languages_are_named(client: str, line: bytes) -> None:
    assert other_client(line) == client


ASKED = (
    b"2026-11-21 20:00:01 WARN TransactionalMessageCheckService - Offset illegal. GetMessageStatus=%s,"
    b" topic=RMQ_SYS_TRANS_HALF_TOPIC, groupId=CID_RMQ_SYS_TRANS, requestOffset=3\n"
)
MISSED = (
    b"2026-11-21 20:00:01 WARN TransactionalMessageCheckService - The miss op offset=%d in queue=MessageQueue"
    b" [topic=RMQ_SYS_TRANS_OP_HALF_TOPIC, brokerName=a, queueId=0] is illegal, pullResult=PullResult"
    b" [pullStatus=OFFSET_ILLEGAL, nextBeginOffset=1, minOffset=0, maxOffset=1, msgFoundList=0]\n"
)


@pytest.mark.parametrize(
    ("line", "harmless"),
    [
        (ASKED % b"OFFSET_OVERFLOW_ONE", True),
        (ASKED % b"OFFSET_OVERFLOW_BADLY", False),
        (MISSED % 1, True),
        (MISSED % 7, False),
    ],
)
def test_a_check_of_transactions_at_the_end_of_its_queue_is_harmless(line: bytes, harmless: bool) -> None:
    found = facts_of(line)
    assert (found.harmless, found.faults) == ((1, 0) if harmless else (0, 1))
    assert bool(found.commonest) is not harmless


HARMLESS = b"Load default HA Service: DefaultHAService"
FAILED = b"load topic config from json file error, startup will exit"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (b"rebalance exception: " + HARMLESS, "unknown"),
        (b"consumeStats, topic config not exist, " + b"x: " + FAILED, "harmless"),
        (b"delete lmq error. x: " + HARMLESS, "fault"),
    ],
)
def test_a_value_in_a_line_of_an_own_file_is_no_text_of_its_own(text: bytes, verdict: str) -> None:
    line = b"2026-11-21 20:00:01 ERROR PullMessageThread_1 - " + text + b"\n"
    levels = LevelLines(words_of(line), own_file=True)
    levels.see(line, places_of_words(line, levels.words), 0)
    facts = level_line_facts([("broker.log", levels, None)])
    told = {"harmless": facts.harmless, "fault": facts.faults, "unknown": facts.foreign}
    assert {name for name, count in told.items() if count} == {verdict}


@pytest.mark.parametrize(("thread", "symptoms"), [(b"AdminBrokerThread_1", 0), (b"PullMessageThread_1", 1)])
def test_mqadmin_that_asks_for_the_first_message_is_harmless(thread: bytes, symptoms: int) -> None:
    """brokerStatus reads twice maxMessageSize of a commit log that holds less; a consumer's pull is another thing."""
    text = b" - selectMappedBuffer request pos invalid, request pos: 0, size: 8388608, fileFromOffset: 0\n"
    found = facts_of(b"2026-11-21 20:00:01 WARN " + thread + text)
    assert (found.harmless, len(found.symptoms)) == (1 - symptoms, symptoms)


@folded(
    "text, lines",
    [
        (b"java.lang.IllegalStateException: no\n\tat a.B.c(B.java:1)\nCaused by: a.b.CException: d\n", 1),
        (b'Exception in thread "main" a.b.CError\n', 1),
        (b"broker1    | java.util.concurrent.RejectedExecutionException: Task\n", 1),
        (b"2026-11-21 20:00:01 INFO main - a\na.b.CException: d\n", 1),
        (b"2026-11-21 20:00:01 WARN main - Load default HA Service: x\na.b.CException: d\n", 0),
        (b"2026-11-21 20:00:01 INFO main - caught a.b.CException: d\n", 0),
    ],
)
def test_an_exception_counts_unless_a_line_above_it_does(text: bytes, lines: int) -> None:
    assert facts_of(text).foreign == lines


def test_exceptions_of_a_long_log_are_sampled() -> None:
    quiet, thrown = b"2026-11-21 20:00:01 INFO main - a\n", b"a.b.CException: d\n"
    assert facts_of(*[quiet] * 8, thrown).foreign == 0
    assert facts_of(*[quiet] * 8, *[quiet + thrown] * 8).foreign == 1


def test_the_java_client_is_no_other_client() -> None:
    for path in HEALTHY:
        assert other_client(gzip.decompress(path.read_bytes())[:65536]) is None


def test_an_answer_of_mqadmin_without_a_dead_letter_queue_is_harmless_and_another_is_not() -> None:
    text = (
        b"org.apache.rocketmq.tools.command.SubCommandException: TopicStatusSubCommand command failed\n"
        b"\tat org.apache.rocketmq.tools.command.topic.TopicStatusSubCommand.execute(TopicStatusSubCommand.java:119)\n"
        b"Caused by: org.apache.rocketmq.client.exception.MQClientException: CODE: 17  DESC: No topic route info in"
        b" name server for the topic: %DLQ%CID_orders\n"
    )
    facts = facts_of(text)
    assert (facts.harmless, facts.foreign) == (1, 0)
    assert facts_of(text.replace(b"%DLQ%CID_orders", b"orders")).foreign == 1


@folded(
    "text, harmless",
    [
        ("payment of order 7 was refused, code:500", False),
        ("refused code:5", False),
        ("charge failed: ConsumerRunningInfo is empty.", False),
        ("payment of order 7: x get unknown errror", False),
        ("order 7 was lost, its file size is 0, auto delete. is_ok: true", False),
        ("[MONITOR] ConsumerRunningInfo is empty.", True),
        ("/data/store/consumequeue/a/0/00 size is 0, auto delete. is_ok: true", True),
        ("java.util.concurrent.ThreadPoolExecutor@1b[Running, pool size = 1] didn't terminate!", True),
    ],
)
def test_an_excuse_that_begins_with_a_value_has_one_there(text: str, harmless: bool) -> None:
    """What stands there in a sentence is of another program, in RocketMQ's own file too."""
    found = catalogue().find(text.encode())
    assert (found is not None and found[1].verdict in ("harmless", "passing")) is harmless
