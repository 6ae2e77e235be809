"""What is read in a quick way, or remembered, is what the long way gives."""

from __future__ import annotations

import re

import pytest

from mqdiag.logs import message as messages
from mqdiag.logs import whole_stack as stacks
from mqdiag.logs.catalogue import Catalogue, Entry, entries
from mqdiag.logs.message import Message
from mqdiag.logs.pause_lines import tells_nothing
from mqdiag.logs.whole_stack import whole_stack
from mqdiag.read.logs.again import without_copies
from mqdiag.read.logs.scan import Hit
from mqdiag.read.logs.stamps import StampReader
from tests.logs.given import read

NEVER = re.compile("(?!)")
find = Catalogue.find


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


BELOW = [
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
]


@pytest.mark.parametrize("below", BELOW)
def test_frames_of_a_stack(below: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    line = b"java.lang.X: y"
    block = line + b"\n" + below

    def frames() -> str:
        return Message(Hit(0, line, block, 0, 0, 1), StampReader()).frames()

    told = frames()
    monkeypatch.setattr(Message, "_usual_frames", lambda self: None)
    assert told == frames()


@pytest.mark.parametrize("below", BELOW)
def test_lines_of_a_stack_upwards_and_downwards(below: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    block = b"2026-11-21 12:00:01 ERROR x\njava.lang.X: y\n" + below
    starts = [at + 1 for at, byte in enumerate(block[:-1]) if byte == ord("\n")]

    def told() -> list[tuple[list[str], int, str, list[str]]]:
        lines = [block[start:].partition(b"\n")[0] for start in starts]
        at_lines = (
            Message(Hit(0, line, block, start, start, 1), StampReader())
            for start, line in zip(starts, lines, strict=True)
        )
        return [
            (list(one.stack()), stack.position, stack.above, stack.frames.split("\n"))
            for one in at_lines
            for stack in (whole_stack(one),)
        ]

    quickly = told()
    monkeypatch.setattr(messages, "_FRAMES", re.compile(b"(?!)"))
    monkeypatch.setattr(stacks, "_USUAL_FRAME", b"(?!)")
    assert quickly == told()


def test_lines_above_in_a_stack_are_looked_at_all_at_once() -> None:
    block = b"2026-11-21 12:00:01 ERROR x\njava.lang.X: y\n" + b"\tat a.b.C.quick(C.java:1)\n" * 20
    start = block.rindex(b"\tat ")
    messages.lines_of_stack.cache_clear()
    for _ in range(3):
        whole_stack(Message(Hit(0, block[start:-1], block, start, start, 1), StampReader()))
    assert messages.lines_of_stack.cache_info()[:2] == (2, 1)


def test_texts_that_differ_in_digits_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Catalogue(entries())
    wait = b"No route info of this topic: t%d"
    asked: list[bytes] = []

    def asking(known: Catalogue, text: bytes) -> tuple[int, Entry] | None:
        asked.append(text)
        return find(known, text)

    monkeypatch.setattr(Catalogue, "find", asking)
    assert known.find_by_words(wait % 1) == known.find_by_words(wait % 2) == find(known, wait % 3) is not None
    assert asked == [wait % 1]


def test_digits_of_a_statement_tell_it_from_others() -> None:
    known = Catalogue(entries())
    text = b"Create maped file%d error, topic: t clientAddr: a"
    found = [known.find_by_words(text % number) for number in (1, 9, 2)]
    assert found == [known.find(text % number) for number in (1, 9, 2)]
    assert found[0] is not None
    assert found[1] is None


@pytest.mark.parametrize(
    ("header", "level"),
    [
        ("2026-11-21 12:00:01.123 INFO 17 --- [main] c.x.Shop : y", "INFO"),
        ("2026-11-21 12:00:02.456 INFO 18 --- [main] c.x.Shop : y", "INFO"),
        ("2026-11-21 12:00:02.456 WARN 18 --- [main] c.x.Shop : y", "WARN"),
        ("2026-11-21 12:00:02.456 INFO 18 --- [main] o.a.r.c.X : y", None),
        ("2026-11-21 12:00:02.456 x : INFO", None),
    ],
)
def test_levels_of_an_application(header: str, level: str | None) -> None:
    assert messages.application_level(header) == level


@pytest.mark.parametrize("size", [1, 100, 16383, 16384, 16385, 50_000, 1 << 20])
def test_pieces_of_a_log_are_the_same_however_it_is_cut(size: int) -> None:
    data = b"".join(
        b"2026-11-21 12:00:%02d INFO main - line %d\n" % (number % 60, number) for number in range(3000)
    )
    chunks = (data[at : at + size] for at in range(0, len(data), size))
    whole = b"".join(without_copies(chunks))
    assert whole == data
    again = data + data
    assert b"".join(without_copies(again[at : at + size] for at in range(0, len(again), size))) == data


@pytest.mark.parametrize(
    ("text", "nothing"),
    [
        (b"[1.234s][info][gc,start] GC(7) Pause Young (Normal) (G1 Evacuation Pause)", True),
        (b"[1.235s][info][gc] GC(8) Pause Young (Normal) 12M->3M(64M) 1.234ms", False),
        (b"[1.235s][info][gc] GC(8) To-space exhausted", False),
    ],
)
def test_lines_about_pauses_that_tell_nothing(text: bytes, nothing: bool) -> None:
    assert tells_nothing(text) is nothing


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
