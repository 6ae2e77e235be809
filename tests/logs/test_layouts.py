"""Events in the layouts of old versions, other loggers and excerpts."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from mqdiag.errors import InputError
from mqdiag.logs.message import Message
from mqdiag.logs.reader import LogsReader
from mqdiag.read.logs.scan import Hit
from mqdiag.read.logs.shape import shape_of
from mqdiag.read.logs.stamps import StampReader
from tests.folded import folded
from tests.logs.given import facts, only_event, read

SPAN = (
    "the queue's messages, span too long, so do flow control, minOffset=51200, maxOffset=53300, maxSpan=2100, "
    "pullRequest=PullRequest [consumerGroup=CID_wash, messageQueue=MessageQueue [topic=segments, "
    "brokerName=broker-b, queueId=5], nextOffset=53301], flowControlTimes=4001"
)


@folded("line, thread", [
        ("26-11-21 20:00:01 INFO PullMessageService - x", "PullMessageService"),
        ("2026-11-21 20:00:01.0926 WARN - PublicExecutor_2 | Client.onException-384  x", "PublicExecutor_2"),
        ("[87] 2026-11-21 20:00:01,980 INFO  [RocketmqClient      ] [PullMessageService] - x", "PullMessageService"),
        ("2026-11-21 20:00:01.735 [pool-4-thread-1] ERROR com.acme.Sender - send failed", "pool-4-thread-1"),
        ("2026-11-21 20:00:01.735 [pool-4-thread-1] [trace-9] ERROR com.acme.Sender - send failed", "pool-4-thread-1"),
        ("2026-11-21 20:00:01.735 WARN [shop,64f,9a] 1 --- [  worker-3] RocketmqClient : x", "worker-3"),
        ("2026-11-21 20:00:01.735 \x1b[33mWARN\x1b[0;39m \x1b[35m1\x1b[0;39m --- [  worker-3] Client : x", "worker-3"),
        ("2026-11-21 20:00:01.735|WARN|worker-3|RocketmqClient|x", "worker-3"),
        ("2026-11-21 20:00:01,735 WARN [worker-3] [o.a.r.X:12] - x", "worker-3"),
        ("2026-11-21 20:00:01,735 WARN RocketmqClient - x", None),
    ])  # fmt: skip
def test_the_thread_of_a_line(line: str, thread: str | None) -> None:
    data = line.encode()
    message = Message(Hit(0, data, data, 0, 0, 1), StampReader())
    assert message.thread() == thread


def test_a_client_with_two_digit_years() -> None:
    logs = facts(f"26-11-21 20:00:01 WARN PullMessageService - {SPAN}\n")
    (row,) = logs.flow_control
    assert (row.kind, row.group, row.largest) == ("span", "CID_wash", 2100)
    assert logs.files[0].format == "rocketmq"
    assert (logs.files[0].first or "").startswith("2026-11-21T20:00:01")


def test_puts_in_the_lock_of_3_2_6() -> None:
    event = only_event(
        facts(
            "2026-11-21 13:46:23 WARN SendMessageThread_101 - putMessage in lock eclipse time(ms) 1382\n"
            "2026-11-21 13:47:23 WARN SendMessageThread_2 - putMessage in lock eclipse time(ms) 1111\n"
        )
    )
    assert (event.kind, event.count, event.values) == ("slow-put-in-lock", 2, {"longest_ms": 1382})


def test_puts_outside_of_the_lock_of_3_2_6() -> None:
    event = only_event(
        facts("2026-11-21 13:46:23 WARN SendMessageThread_1 - putMessage not in lock eclipse time(ms) 1502\n")
    )
    assert (event.kind, event.values) == ("slow-put", {"longest_ms": 1502})


def test_the_slaves_lag_of_3_2_6() -> None:
    text = "".join(
        f"2026-11-21 13:4{minute}:00 INFO BrokerControllerScheduledThread1 - "
        f"slave fall behind master, how much, {gap} bytes\n"
        for minute, gap in enumerate((900_000, 700_000))
    )
    (gap,) = facts(text).replica_gaps
    assert (gap.largest_bytes, gap.last_bytes) == (900_000, 700_000)


def test_quoted_and_wrapped_flow_control() -> None:
    line = f"WARN RocketmqClient - {SPAN}"
    cut = "\n".join(line[at : at + 72] for at in range(0, len(line), 72))
    quoted = "".join(f"> {part}\n" for part in cut.split("\n"))
    (row,) = facts(quoted).flow_control
    assert (row.kind, row.group, row.largest) == ("span", "CID_wash", 2100)
    assert row.topics == ("segments",)


@folded("wrap", [
        lambda text: json.dumps({"@timestamp": "2026-11-21T12:00:01.250Z", "message": text, "host": "a"}),
        lambda text: json.dumps(
            {"_index": "app", "_source": {"@timestamp": "2026-11-21T12:00:01.250Z", "message": text}}
        ),
        lambda text: json.dumps({"log": text + "\n", "stream": "stdout", "time": "2026-11-21T12:00:01.250Z"}),
        lambda text: f"2026-11-21T12:00:01.250Z stdout F {text}",
        lambda text: f"shop-1  | 2026-11-21T12:00:01.250Z {text}",
        lambda text: f"[pod/shop-6f/app] 2026-11-21T12:00:01.250Z {text}",
        lambda text: f"<14>1 2026-11-21T12:00:01.250Z host shop 42 - - {text}",
        lambda text: f"2026-11-21T12:00:01.250+00:00 host shop[42]: {text}",
    ])  # fmt: skip
def test_prefixes_of_collectors(wrap: Callable[[str], str]) -> None:
    logs = facts(wrap(f"WARN RocketmqClient - {SPAN}") + "\n")
    (row,) = logs.flow_control
    assert (row.group, row.largest, row.topics) == ("CID_wash", 2100, ("segments",))
    assert row.first is not None
    assert row.first.startswith("2026-11-21T12:00:01")


@pytest.mark.parametrize(
    "text",
    [
        "WARN  RocketmqClient - something that nobody knows\n",
        "22392] ERROR [main] c.a.Shop : stopped\n",
        'Exception in thread "main" java.lang.IllegalStateException: no\n\tat com.acme.Shop.main(Shop.java:3)\n',
        "com.acme.FailedException: first line\nsecond line of the message\n\tat com.acme.Shop.main(Shop.java:3)\n",
    ],
)
def test_records_whose_times_are_cut_off_are_a_log(text: str) -> None:
    assert read(text).tally.span.first is None


@pytest.mark.parametrize("text", ["# Shop\n\nA sign is shown when a shop fails.\n", "a\nb\n"])
def test_prose_is_told_to_be_of_no_known_form(text: str) -> None:
    assert LogsReader().read("readme", iter([text.encode()])).untold.count
    with pytest.raises(InputError, match="is not a log"):
        LogsReader().read("readme", iter([b"no time\nand no level\n" * 4000]))


def test_a_name_decides_the_kind_of_a_two_digit_year_log() -> None:
    assert shape_of(b"26-11-21 20:00:01 INFO main - x\n", "a/store.log").kind == "store"
