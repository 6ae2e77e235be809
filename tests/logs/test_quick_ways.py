"""What is read in a quick way, or remembered, is what the long way gives."""

from __future__ import annotations

import re

import pytest

from mqdiag.logs import message as messages
from mqdiag.logs.message import Message
from mqdiag.read.logs.scan import Hit
from mqdiag.read.logs.stamps import StampReader
from tests.logs.given import read

NEVER = re.compile("(?!)")


@pytest.mark.parametrize(
    ("text", "thread"),
    [
        ("2026-11-21 12:00:01.123 WARN  [1234] [main] [o.a.X#y:1] - x", "main"),
        ("2026-11-21 12:00:01.123 WARN  [1234] [main] [o.a.X#y:1] - ERROR [5] [other] [x", "main"),
        ("2026-11-21 12:00:01.123 WARN" + " " * 2048 + "[1234] [main] [o.a.X#y:1] - x", None),
        ("2026-11-21 12:00:01,123 INFO RocketmqClient - x", None),
        ('2026-11-21 12:00:01,123 INFO RocketmqClient - Exception in thread "main" x', "main"),
        ('2026-11-21 12:00:01,123 INFO RocketmqClient - {"thread": "main"}', "main"),
        ('2026-11-21 12:00:01,123 INFO RocketmqClient - {"threadName":"main"}', "main"),
        ("2026-11-21 12:00:01,123 INFO RocketmqClient - 1 [main] ERROR x", "main"),
        ("2026-11-21 12:00:01,123 INFO RocketmqClient - WARN main - x", "main"),
        ("2026-11-21 12:00:01,123 INFO RocketmqERROR - main | x", "main"),
        ("2026-11-21 12:00:01,123 INFO RocketmqClient-main - x", "RocketmqClient-main"),
    ],
)
def test_threads_of_clients(text: str, thread: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert messages.thread_of(text) == thread
    monkeypatch.setattr(messages, "_OF_A_CLIENT", NEVER)
    assert messages.thread_of(text) == thread


FRAMES = b"\tat a.b.C.d(C.java:1)\n    at a.b.C.e(C.java:2) ~[x.jar:1]\r\n"


@pytest.mark.parametrize(
    "below",
    [
        FRAMES + b"2026-11-21 12:00:02 INFO x\n",
        FRAMES + b"Caused by: a.b.D: x\n\tat a.b.C.f(C.java:3)\n",
        FRAMES + b"\t... 3 more\n\tat a.b.C.f(C.java:3)\n",
        FRAMES + b"\n\tat a.b.C.f(C.java:3)\n2026 x\n",
        FRAMES + b"See http://x\n\tat a.b.C.f(C.java:3)\n2026 x\n",
        FRAMES + b"at a.b.C.f(C.java:3)\n2026 x\n",
        FRAMES + b"app_1  | \tat a.b.C.f(C.java:3)\n2026 x\n",
        FRAMES + b"\tat a.b.C.\xc3\xa4(C.java:3)\n2026 x\n",
        FRAMES + b"x" * 3000 + b"\n",
        FRAMES,
        FRAMES[:-2],
        FRAMES * 200 + b"2026 x\n",
        b"\tat a\n" + b"\tat " + b"a" * 7100 + b"\nx\n",
        b"\tat a\n" + b"\tat " + b"a" * 8150 + b"\nx\n",
        b"\tat a\n" + b"\tat " + b"a" * 8200 + b"\nx\n",
        b"2026-11-21 12:00:02 INFO x\n" + FRAMES,
        b"",
    ],
)
def test_frames_of_a_stack(below: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    line = b"java.lang.X: y"
    block = line + b"\n" + below

    def frames() -> str:
        return Message(Hit(0, line, block, 0, 0, 1), StampReader()).frames()

    told = frames()
    monkeypatch.setattr(Message, "_usual_frames", lambda self: None)
    assert told == frames()


def test_distributions_of_writes_are_told_apart() -> None:
    """The same line again, and one that differs in the last bucket."""
    lines = "".join(
        f"2026-11-21 12:0{minute}:00 INFO StoreStatsService - [PAGECACHERT] TotalPut 5, PutMessageDistributeTime "
        f"[<=0ms]:1 [0~10ms]:2 [10~50ms]:0 [500ms~1s]:0 [10s~]:{slow} \n"
        for minute, slow in enumerate((0, 0, 7, 0))
    )
    latency = read(lines, "store.log").tally.latency
    assert latency.lines == 4
    assert latency.buckets == {"<=0ms": 4, "0~10ms": 8, "10~50ms": 0, "500ms~1s": 0, "10s~": 7}
    assert (latency.puts.total, latency.puts.from_1_s, latency.slow_minutes) == (19, 7, 1)
    assert [puts.total for puts in latency.minutes.values()] == [3, 3, 10, 3]
