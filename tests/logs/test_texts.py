"""Texts of versions of which no real log is at hand, and forms around them: the message decides, not the prefix."""

from __future__ import annotations

import json

import pytest

from mqdiag.errors import InputError
from mqdiag.facts.logs import LogSubject
from mqdiag.language import english
from tests.folded import folded
from tests.logs.given import CLIENT_4, CLIENT_5, facts, line, only_event, read

REQUEST = (
    "PullRequest [consumerGroup=CID_wash, messageQueue=MessageQueue [topic=segments, brokerName=broker-a, queueId=3],"
    " nextOffset=77]"
)
COUNT = (
    "the cached message count exceeds the threshold 100, so do flow control, minOffset=1, maxOffset=101, count=101,"
    " size=4 MiB, pullRequest={request}, flowControlTimes={times}"
)
BUSY = (
    "sendKernelImpl exception, resend at once, InvokeID: 77, RT: 205ms, Broker: MessageQueue [topic=orders,"
    " brokerName=broker-a, queueId=1]"
)
EXCEPTION = (
    "org.apache.rocketmq.client.exception.MQBrokerException: CODE: 2  DESC: {text}\nFor more information, please visit"
    " the url\n\tat org.apache.rocketmq.client.impl.MQClientAPIImpl.processSendResponse(MQClientAPIImpl.java:560)\n"
)
NOT_MATCHED = "Offset not matched. Request offset: "
TIMEOUT = "[TIMEOUT_CLEAN_QUEUE]broker busy, start flow control for a while, period in queue: 205ms, size of queue: 880"


@folded(
    "text, kind, largest, threshold",
    [
        # 3.2.6 to 3.4.6
        (f"the consumer message buffer is full, so do flow control, 1203 {REQUEST} 1", "count", 1203, None),
        (f"the queue's messages, span too long, so do flow control, 2400 {REQUEST} 1001", "span", 2400, None),
        # 3.5.1 to 4.1.0: size is a count
        (
            "the consumer message buffer is full, so do flow control, minOffset=1, maxOffset=9, size=1002,"
            f" pullRequest={REQUEST}, flowControlTimes=1",
            "count",
            1002,
            None,
        ),
        # since 4.2.0
        (COUNT.format(request=REQUEST, times=1), "count", 101, 100),
        (
            "the cached message size exceeds the threshold 100 MiB, so do flow control, minOffset=1, maxOffset=9,"
            f" count=8, size=101 MiB, pullRequest={REQUEST}, flowControlTimes=1",
            "size",
            101,
            100,
        ),
        (
            "the queue's messages, span too long, so do flow control, minOffset=5, maxOffset=2006, maxSpan=2001,"
            f" pullRequest={REQUEST}, flowControlTimes=1",
            "span",
            2001,
            None,
        ),
        # since 5.0.0
        (
            "the messages waiting to ack exceeds the threshold 96, so do flow control, popRequest=PopRequest [topic="
            "segments, consumerGroup=CID_wash, messageQueue=MessageQueue [topic=segments, brokerName=broker-a,"
            " queueId=3], initMode=1], flowControlTimes=1, wait count=97",
            "pop",
            97,
            96,
        ),
    ],
)
def test_flow_control_texts(text: str, kind: str, largest: int, threshold: int | None) -> None:
    logs = facts(line(text, CLIENT_4))
    (row,) = logs.flow_control
    assert (row.kind, row.group, row.largest, row.threshold) == (kind, "CID_wash", largest, threshold)
    assert row.topics == ("segments",)
    assert only_event(logs).subjects[0].queue_id == 3


def test_duty_cycle() -> None:
    """1,000 held-back pulls of 50 ms in 25 seconds: two queues at once."""
    lines = [
        line(COUNT.format(request=REQUEST, times=times), CLIENT_4, second=second)
        for times, second in ((1, 0), (1001, 25))
    ]
    (row,) = facts("".join(lines)).flow_control
    assert (row.lines, row.occurrences, row.seconds, row.queues_held_back) == (2, 1001, 25.0, 2.0)


def test_a_counter_that_falls_is_a_client_that_started_again() -> None:
    lines = [
        line(COUNT.format(request=REQUEST, times=times), CLIENT_4, second=second)
        for times, second in ((5001, 0), (1, 20), (1001, 45))
    ]
    (row,) = facts("".join(lines)).flow_control
    assert (row.occurrences, row.seconds) == (6002, 25.0), "5,001 of the client before, 1,001 of the new one"


def test_clients_in_other_languages_are_told_apart() -> None:
    logs = facts(
        line('the number of message exceeds so do flow control" ConsumeConcurrentlyMaxSpan=2000', CLIENT_4)
    )
    assert only_event(logs).kind == "flow-control-other-client"
    assert logs.flow_control == ()


@folded(
    "text, kind",
    [
        ("[REJECTREQUEST]system busy, start flow control for a while", "busy-reject"),
        ("[OVERLOAD]system busy, start flow control for a while", "busy-overload"),
        ("[PC_SYNCHRONIZED]broker busy, start flow control for a while", "busy-pc-synchronized"),
        (TIMEOUT.replace("TIMEOUT", "PCBUSY"), "busy-pc-clean"),
        (TIMEOUT, "busy-timeout-clean"),
    ],
)
def test_five_busy_texts(text: str, kind: str) -> None:
    """Topic and broker stand on the line above the exception."""
    event = only_event(facts(line(BUSY, CLIENT_4) + EXCEPTION.format(text=text)))
    assert (event.kind, event.side, event.count) == (kind, "client", 1)
    assert event.first == "2026-11-21T12:00:01"
    assert event.subjects == (
        LogSubject(topic="orders", broker="broker-a", count=1, first=event.first, last=event.first),
    )


def test_causes_of_one_exception_are_one_event() -> None:
    record = (
        line(BUSY, CLIENT_4) + EXCEPTION.format(text=TIMEOUT) + "Caused by: " + EXCEPTION.format(text=TIMEOUT)
    )
    assert only_event(facts(record * 3)).count == 3


@pytest.mark.parametrize(
    ("text", "thread", "place"),
    [
        # since 4.3.0; shortened here
        ("400, firstOffset: 0, lastOffset: 400,", "FlushRealTimeService", "full-file-edge"),
        ("500, firstOffset: 0, lastOffset: 400,", "WriteSocketService", "beyond-last"),
        ("50, firstOffset: 100, lastOffset: 400,", "PullMessageThread_7", "below-first"),
        ("150, firstOffset: 100, lastOffset: 400,", "X", "inside"),
    ],
)  # fmt: skip
def test_offset_not_matched(text: str, thread: str, place: str) -> None:
    logs = facts(line(f"{NOT_MATCHED}{text} mappedFileSize: 100, mappedFiles count: 4", thread=thread))
    (row,) = logs.not_matched
    assert (row.place, row.thread, row.count) == (place, thread.removesuffix("_7"), 1)


@pytest.mark.parametrize(
    ("requested", "index", "place"),
    [(0, -6, "below-first"), (200, 2, "full-file-edge"), (250, 2, "beyond-last"), (900, 8, "beyond-last")],
)
def test_offset_not_matched_of_old_brokers(requested: int, index: int, place: str) -> None:
    """3.2.6 to 3.5.8, and 4.0.0 to 4.2.0: an index instead of the ends."""
    for text in (
        f"findMapedFileByOffset offset not matched, request Offset: {requested}, index: {index}, mapedFileSize: 100,"
        " mapedFiles count: 2, StackTrace: ",
        f"Offset for MappedFile{{fileName='x'}} not matched. Request offset: {requested}, index: {index},"
        " mappedFileSize: 100, mappedFiles count: 2",
    ):
        (row,) = facts(line(text, thread="FlushConsumeQueueService")).not_matched
        assert row.place == place


def test_the_article_s_json_record() -> None:
    """Pretty-printed: time and thread stand on lines above the message."""
    record = {
        "timestamp": "2017-12-28T00:18:48.620+0800",
        "level": "WARN",
        "thread": "FlushConsumeQueueService",
        "logger": "RocketmqStoreError",
        "message": "findMapedFileByOffset offset not matched, request Offset: 0, index: -6, mapedFileSize: 6000000,"
        " mapedFiles count: 2, StackTrace: \n\tjava.lang.Thread.getStackTrace(Thread.java:1567)",
    }
    for indent in (None, 4):
        (row,) = facts((json.dumps(record, indent=indent) + "\n") * 2).not_matched
        assert (row.thread, row.place, row.count) == ("FlushConsumeQueueService", "below-first", 2)
        assert row.first == "2017-12-28T00:18:48.620+08:00"


def test_correction_on_a_queue_without_data_is_no_reset() -> None:
    text = line(
        "the broker store no queue data, fix the request offset 500 to 0, Topic: t QueueId: 0 Consumer Group: g"
    ) + line(
        "PULL_OFFSET_MOVED:correction offset. topic=t, groupId=g, requestOffset=500, newOffset=0, suggestBrokerId=0"
    )
    (reset,) = facts(text).offset_resets
    assert reset.no_queue_data


def test_reset_seen_by_broker_and_client_is_one() -> None:
    broker = line(
        "the request offset: 500 over flow badly, broker max offset: 75, consumer: /10.0.0.7:1"
    ) + line(
        "PULL_OFFSET_MOVED:correction offset. topic=segments, groupId=CID_wash, requestOffset=500, newOffset=0,"
        " suggestBrokerId=0"
    )
    client = line(
        f"the pull request offset illegal, {REQUEST.replace('nextOffset=77', 'nextOffset=500')} PullResult"
        " [pullStatus=OFFSET_ILLEGAL, nextBeginOffset=0, minOffset=0, maxOffset=75, msgFoundList=0]",
        CLIENT_4,
    )
    logs = facts(broker, client)
    (reset,) = logs.offset_resets
    assert (reset.requested, reset.given, reset.broker_max, reset.queue_id) == (500, 0, 75, 3)
    assert reset.sides == ("broker", "client")
    (beyond,) = [one.values["largest_beyond"] for one in logs.events if one.kind == "offset-overflow"]
    assert beyond == 500 - 75


@pytest.mark.parametrize(
    ("text", "gap"),
    [
        ("Slave fall behind master: 512 bytes", 512),
        ("Slave fall behind master: -512 bytes", -512),
        ("CommitLog: slave fall behind master 512bytes", 512),
    ],
)
def test_slave_behind(text: str, gap: int) -> None:
    assert facts(line(text)).replica_gaps[0].last_bytes == gap


@folded("text, kind, group", [
        ("consumeMessage exception: java.lang.IllegalStateException Group: G Msgs: [x] MQ: MessageQueue [topic=t,"
         " brokerName=b, queueId=1]", "consume-exception", "G"),
        ("consumeMessage return null, Group: G Msgs: [x] MQ: m", "consume-returned-null", "G"),
        ("consumeMessage Orderly return not OK, Group: G Msgs: [x] MQ: m", "consume-orderly-suspended", "G"),
        ("sendMessageBack Exception, G", "send-back-refused", "G"),
        ("sendMessageBack exception, group: G msg: MessageExt", "send-back-failed", "G"),
        ("Failed to send message back, consumerGroup=G, brokerName=b, mq=m, message=x", "send-back-refused", "G"),
        ("[BUG]doRebalance, G, remove unnecessary mq, MessageQueue [topic=t, brokerName=b, queueId=1], because pull is"
         " pause, so try to fixed it", "pull-paused", "G"),
        ("[BUG]doRebalance, G, try remove unnecessary mq, MessageQueue [topic=t, brokerName=b, queueId=1], because pull"
         " is pause, so try to fixed it", "pull-paused", "G"),
        ("The pullThresholdForQueue is changed from 500 to 50", "threshold-divided", None),
        ("do sync transfer other node, wait return, but failed, topic: t", "slave-transfer-timeout", None),
        ("transfer messsage to slave timeout, 77", "slave-transfer-timeout", None),
        ("[NOTIFYME]TransientStorePool is not enough, so create mapped file error, create queue size : 1",
         "pool-not-enough", None),
        ("10.0.0.7:1, too many requests and system thread pool busy, RejectedExecutionException x request code: 10",
         "send-pool-rejected", None),
        ("10.0.0.7:1, too many requests and system thread pool busy, RejectedExecutionException x request code: 11",
         "other-pool-rejected", None),
    ])  # fmt: skip
def test_other_texts(text: str, kind: str, group: str | None) -> None:
    event = only_event(facts(line(text)))
    assert event.kind == kind
    assert (event.subjects[0].group if event.subjects else None) == group


def test_failures_of_a_minute() -> None:
    text = "[CONSUME_FAILED_TPS] [orders@CID] Stats In One Minute, SUM: {} TPS: 2.00 AVGPT: 1.00"
    event = only_event(facts(line(text.format(120)) + line(text.format(0)) + line(text.format(30), second=2)))
    assert (event.count, event.occurrences, event.peak_per_minute) == (2, 150, 150)


def test_flags_and_frames_are_no_out_of_memory() -> None:
    quiet = (
        line("-XX:+HeapDumpOnOutOfMemoryError -XX:OnOutOfMemoryError=kill")
        + "\tat java.lang.OutOfMemoryError.<init>(OutOfMemoryError.java:48)\n"
    )
    assert facts(quiet).events == ()
    loud = 'Exception in thread "worker-1" java.lang.OutOfMemoryError: Java heap space\n'
    event = only_event(facts(line("start") + loud))
    assert (event.kind, event.subjects[0].thread) == ("out-of-memory", "worker-1")


@folded(
    "text, kind, values",
    [
        ("java.lang.OutOfMemoryError: Direct buffer memory", "out-of-direct-memory", {}),
        (
            "java.lang.OutOfMemoryError: Cannot reserve 4194304 bytes of direct buffer memory (allocated: 4190, limit:"
            " 4192)",
            "out-of-direct-memory",
            {"used_bytes": 4190, "limit_bytes": 4192},
        ),
        (
            "io.netty.util.internal.OutOfDirectMemoryError: failed to allocate 16777216 byte(s) of direct memory (used:"
            " 941, max: 954)",
            "out-of-direct-memory",
            {"used_bytes": 941, "limit_bytes": 954},
        ),
        ("java.lang.OutOfMemoryError: Metaspace", "out-of-class-memory", {}),
        ("java.lang.OutOfMemoryError: PermGen space", "out-of-class-memory", {}),
        ("java.lang.OutOfMemoryError: Requested array size exceeds VM limit", "array-too-long", {}),
        ("java.lang.OutOfMemoryError: Required array length 2147483639 + 9 is too large", "array-too-long", {}),
        ("java.lang.OutOfMemoryError: Required length exceeds implementation limit", "array-too-long", {}),
        ("java.lang.OutOfMemoryError: GC overhead limit exceeded", "out-of-memory", {}),
        ("java.lang.OutOfMemoryError", "out-of-memory", {}),
    ],
)
def test_the_memory_that_ran_out_is_told_apart(text: str, kind: str, values: dict[str, int]) -> None:
    event = only_event(
        facts(line("a request failed") + text + "\n\tat java.nio.Bits.reserveMemory(Bits.java:694)\n")
    )
    assert (event.kind, event.count) == (kind, 1)
    assert event.values == values


@pytest.mark.parametrize("module", [" (java.base@17.0.15)", ""])
def test_a_class_histogram_shows_no_out_of_memory(module: str) -> None:
    """Each JVM keeps a few OutOfMemoryErrors in reserve; the histogram of a healthy one lists their class."""
    histogram = (
        "19231:\n num     #instances         #bytes  class name (module)\n"
        + "-" * 55
        + f"\n 221:            12            480  java.lang.OutOfMemoryError{module}\n"
        f" 527:             2             80  [Ljava.lang.OutOfMemoryError;{module}\n"
        "Total         95464        5586768\n"
    )
    assert facts(histogram).events == ()


MESSAGE = "send expire msg back. topic=t, msgId=m, storeHost=/10.0.0.1:10911, queueId=1, queueOffset=9"


@folded(
    "text, first",
    [
        (line(MESSAGE), "2026-11-21T20:00:01+08:00"),
        (line(MESSAGE, CLIENT_4), "2026-11-21T12:00:01"),
        (line(MESSAGE, CLIENT_5), "2026-11-21T20:00:01.123+08:00"),
        (
            json.dumps({"log": line(MESSAGE, CLIENT_4), "stream": "stdout", "time": "2026-11-21T04:00:01.5Z"})
            + "\n",
            "2026-11-21T04:00:01.500+00:00",
        ),
        (f"2026-11-21T04:00:01.5Z stdout F {line(MESSAGE, CLIENT_4)}", "2026-11-21T04:00:01.500+00:00"),
        (f'{{"@timestamp":"2026-11-21T04:00:01Z","message":"{MESSAGE}"}}\n', "2026-11-21T04:00:01+00:00"),
        (f'{{"timestamp":1795262446683,"message":"{MESSAGE}"}}\n', "2026-11-21T12:00:46.683+00:00"),
        (f"2026/11/21 12:00:01 [INFO] {MESSAGE}\r\n", "2026-11-21T12:00:01"),
        (f"21-Nov-2026 12:00:01.250 INFO [x] {MESSAGE}\n", "2026-11-21T12:00:01.250"),
        (f"order-service-1  | 2026-11-21T12:00:01+08:00 INFO {MESSAGE}\n", "2026-11-21T12:00:01+08:00"),
        (f"{MESSAGE}\n", None),
    ],
)
def test_any_prefix(text: str, first: str | None) -> None:
    event = only_event(facts(text))
    assert event.kind == "expired-sent-back"
    assert event.first == first
    assert event.subjects[0].queue_id == 1


def test_rocketmq_prints_gmt_8_and_the_user_names_other_zones() -> None:
    logs = facts(line(MESSAGE), line(MESSAGE, CLIENT_4), utc_offset_minutes=330)
    assert [file.utc_offset for file in logs.files] == ["+08:00", "+05:30"]
    assert all(file.offset_reason for file in logs.files)
    unknown = facts(line(MESSAGE, CLIENT_4)).files[0]
    assert unknown.utc_offset is None
    assert "--utc-offset" in english()(unknown.offset_reason)


def test_one_exception_in_two_logs_of_a_client_counts_once() -> None:
    record = line(BUSY, CLIENT_4) + EXCEPTION.format(text=TIMEOUT)
    twice = facts(record, record * 2, names=("p/application.log", "p/rocketmq_client.log"))
    assert only_event(twice).count == 2
    rotated = facts(record, record * 2, names=("p/rocketmq_client.log", "p/rocketmq_client.1.log.gz"))
    assert only_event(rotated).count == 3
    other_host = facts(record, record * 2, names=("p/application.log", "q/rocketmq_client.log"))
    assert only_event(other_host).count == 3


def test_order_of_files_does_not_matter() -> None:
    early, late = line(MESSAGE, second=1) * 2, line(MESSAGE, second=59)
    one = only_event(facts(early, late))
    other = only_event(facts(late, early))
    assert (one.count, one.first, one.last, one.series) == (other.count, other.first, other.last, other.series)


@pytest.mark.parametrize("chunk", [1, 7, 100, 4096])
def test_chunks_make_no_difference(chunk: int) -> None:
    text = "".join(line(BUSY, CLIENT_4, second=second) + EXCEPTION.format(text=TIMEOUT) for second in range(20))
    whole, parts = read(text), read(text, chunk=chunk)
    assert parts.counts.lines == whole.counts.lines
    assert parts.tally.events.keys() == whole.tally.events.keys()
    for key, event in whole.tally.events.items():
        assert parts.tally.events[key].count == event.count == 20
        assert parts.tally.events[key].subjects.keys() == event.subjects.keys()


@folded(
    "data, problem",
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"JAVA PROFILE 1.0.2\0\0\0\0\x08", "heap dump"),
        (bytes(range(256)) * 20, "is not text"),
        (b"\x7fELF\x02\x01\x01", "a program"),
        (b"dear diary,\nnothing of note\n" * 4000, "not a log"),
    ],
)
def test_what_is_no_log(data: bytes, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read(data)


@folded("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "gbk"])
def test_encodings(encoding: str) -> None:
    text = (line(MESSAGE.replace("topic=t", "topic=消息"), CLIENT_4) * 5).encode(encoding)
    event = only_event(facts(text))
    assert event.count == 5
    assert "消息" in event.example


def test_junk_between_lines() -> None:
    data = b"\0" * 5000 + line(MESSAGE).encode() + b"\xff\xfe\xfa\x80\n" + b"\0" * 3000 + line(MESSAGE).encode()
    assert only_event(facts(data)).count == 2


def test_a_line_without_end() -> None:
    data = line("x").encode() + b"a" * 3_000_000 + b"\n" + line(MESSAGE).encode() + b"b" * 3_000_000
    assert only_event(facts(data)).count == 1


def test_an_address_is_the_broker_whose_name_stands_on_another_line() -> None:
    """The client's own log names the broker by name, the application's exception by its address."""
    answer = EXCEPTION.format(text=f"{TIMEOUT} BROKER: 10.0.0.7:10911")
    named = line(BUSY, CLIENT_4) + answer
    alone = "2026-11-21 12:00:02,002 ERROR sender - not sent\n" + answer.replace("org.", "Caused by: org.", 1)
    event = only_event(facts(named, alone, names=("logs/rocketmq_client.log", "elsewhere/application.log")))
    assert {row.broker for row in event.subjects} == {"broker-a"}
    assert sum(row.count for row in event.subjects) == event.count == 2
    started = line(
        "The broker[broker-b, 10.0.0.7:10911] boot success. serializeType=JSON and name server is 10.0.0.1:9876"
    )
    (both,) = (one for one in facts(named, alone, started).events if one.kind == event.kind)
    assert "10.0.0.7:10911" in {row.broker for row in both.subjects}, "two brokers have that address"


def test_two_queues_that_are_set_back_alike_stay_two() -> None:
    """The broker's line names no queue: only with the client's can it be told how many there were."""
    moved = "PULL_OFFSET_MOVED:correction offset. topic=orders, groupId=CID, requestOffset=1325, newOffset=0,"
    over = "the request offset: 1325 over flow badly, broker max offset: 75, consumer: /127.0.0.1:60974"
    broker = (line(over) + line(moved)) * 2
    illegal = (
        "the pull request offset illegal, PullRequest [consumerGroup=CID, messageQueue=MessageQueue [topic=orders,"
        " brokerName=broker-a, queueId={queue}], nextOffset=1325] PullResult [pullStatus=OFFSET_ILLEGAL,"
        " nextBeginOffset=0, minOffset=0, maxOffset=75, msgFoundList=0]"
    )
    client = "".join(line(illegal.format(queue=queue), CLIENT_4) for queue in (0, 3))
    for given in ((broker, client), (client, broker)):
        resets = facts(*given, names=("b/broker.log", "c/client.log")).offset_resets
        assert [(one.queue_id, one.count, one.broker_max) for one in resets] == [(0, 1, 75), (3, 1, 75)]
        assert all(set(one.sides) == {"broker", "client"} for one in resets)
    (alone,) = facts(broker).offset_resets
    assert (alone.queue_id, alone.count) == (None, 2)
    rest = facts(broker * 2, client, names=("b/broker.log", "c/client.log")).offset_resets
    assert sorted((one.queue_id is None, one.count) for one in rest) == [(False, 1), (False, 1), (True, 2)]


def test_lite_pull_of_4_prints_its_numbers_one_place_too_far() -> None:
    """`flowControlTimes={}`: the size stands where the threshold belongs, and the counter where the size does."""
    said = "The consume request count exceeds threshold {size}, so do flow control, consume request count={times}, "
    text = "".join(
        line(said.format(size=size, times=times) + "flowControlTimes={}", CLIENT_4, second=second)
        for second, size, times in ((1, 21, 1), (51, 23, 1001))
    )
    (row,) = facts(text).flow_control
    assert (row.kind, row.threshold, row.largest, row.occurrences) == ("waiting-requests", None, 23, 1001)
    assert row.queues_held_back == 1.0


def test_lines_of_each_group_by_minute() -> None:
    failed = "consumeMessage exception: x Group: {group} Msgs: [] MQ: MessageQueue [topic=t, brokerName=b, queueId=0]"
    text = "".join(line(failed.format(group=group), second=second) for second, group in enumerate("aabab"))
    event = only_event(facts(text, text.replace("20:00", "20:01")))
    assert event.peak_per_minute == 5
    assert [(row.group, row.count, row.peak_per_minute) for row in event.groups] == [("a", 6, 3), ("b", 4, 2)]
    assert event.groups[1].peak_at == "2026-11-21T20:00:00+08:00"


@pytest.mark.parametrize("digits", [25, 999, 5_000])
def test_a_number_that_is_too_long_is_left_out(digits: int) -> None:
    """Python refuses to read one of 5,000 digits, and to turn one of 999 into a float."""
    text = f"[PAGECACHERT] TotalPut 44, PutMessageDistributeTime [<=0ms]:9 [0~10ms]:{'9' * digits} [1~2s]:1"
    latency = read(line(text)).tally.latency
    assert latency.lines == 1
    assert latency.buckets["<=0ms"] == 9
    assert "0~10ms" not in latency.buckets


@pytest.mark.parametrize("quote", ['"', "'", "`"])
def test_an_answer_that_a_text_begins_with_in_quotes_is_no_answer(quote: str) -> None:
    assert [one.kind for one in facts(line(TIMEOUT)).events] == ["busy-timeout-clean"]
    assert facts(line(quote + TIMEOUT + quote)).events == ()
