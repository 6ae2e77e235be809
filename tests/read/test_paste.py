"""Excerpts as mails, chats and terminals leave them."""

from __future__ import annotations

import pytest

from mqdiag.read.logs.blocks import blocks
from mqdiag.read.paste import MAX_BYTES, tidied
from tests.folded import folded

RECORD = (
    b"2026-11-21 20:00:01 WARN PullMessageThread_4 - the request offset too small. group=CID_a, topic=orders"
)
OTHER = b"2026-11-21 20:00:02 INFO main - nothing of note"


def wrapped_at(line: bytes, width: int) -> bytes:
    return b"\n".join(line[at : at + width] for at in range(0, len(line), width))


@pytest.mark.parametrize("sign", [b"> ", b">", b"> > ", b"| "])
def test_quotation_signs_go(sign: bytes) -> None:
    text = b"\n".join((RECORD, OTHER))
    assert tidied(b"\n".join(sign + line for line in text.split(b"\n"))) == text


def test_the_service_of_docker_compose_goes() -> None:
    text = b"\n".join((RECORD, b"\tat com.acme.Shop.buy(Shop.java:7)", b"", OTHER))
    lines = text.split(b"\n")
    assert tidied(b"\n".join(b"broker-1  | " + line for line in lines)) == text
    of_two = b"\n".join((b"broker-1  | " + RECORD, b"broker-2  | " + OTHER))
    assert tidied(of_two) is of_two
    table = b"broker-a | 0 | 10.0.0.7:10911\nbroker-a | 1 | 10.0.0.8:10911"
    assert tidied(table) is table
    of_one_level = b"ERROR | " + RECORD + b"\nERROR | " + OTHER
    assert tidied(of_one_level) is of_one_level


def test_a_single_quoted_line_stays() -> None:
    text = b"\n".join((RECORD, b"> a line that the application printed", OTHER, OTHER))
    assert tidied(text) is text


def test_common_indentation_goes_and_that_of_frames_stays() -> None:
    text = b"\n".join((RECORD, b"\tat com.acme.Shop.buy(Shop.java:7)", OTHER))
    assert tidied(b"\n".join(b"    " + line for line in text.split(b"\n"))) == text


def test_colours_go() -> None:
    assert (
        tidied(b"2026-11-21 20:00:01 \x1b[31mWARN\x1b[0;39m main - x") == b"2026-11-21 20:00:01 WARN main - x"
    )


@pytest.mark.parametrize("width", [40, 79, 80])
def test_lines_that_a_terminal_wrapped(width: int) -> None:
    text = b"\n".join((RECORD, RECORD, OTHER))
    cut = b"\n".join(wrapped_at(line, width) for line in text.split(b"\n"))
    assert cut != text
    assert tidied(cut) == text


def test_lines_that_a_chat_wrapped_at_blanks() -> None:
    text = b"WARN RocketmqClient - the queue's messages, span\ntoo long, so do flow control, minOffset=3,\nmaxSpan=2001"
    assert tidied(text) == text.replace(b"\n", b" ")


def test_the_repeated_last_character_of_a_wrapped_line_goes() -> None:
    """As one terminal multiplexer copies them."""
    frames = [
        b"        at com.acme.shop.orders.Listener.consumeMessage(Listener.java:%d)" % n for n in (117, 203)
    ]
    cut = b"\n".join(frame[:60] + frame[59:60] + b"\n" + frame[60:] for frame in frames)
    assert tidied(RECORD[:60] + b"\n" + cut) == RECORD[:60] + b"\n" + b"\n".join(frames)


@folded(
    "text",
    [
        b"\n".join((RECORD, OTHER)),
        b"\n".join(
            (
                RECORD,
                b"org.apache.rocketmq.client.exception.MQBrokerException: CODE: 2",
                b"\tat a.B.c(B.java:1)",
            )
        ),
        b"\n".join((RECORD, b"For more information, please visit the url", OTHER)),
        b'{"level":"WARN",\n"text":"a"}',
        b"brokerVersionDesc : V4_3_2\nruntime : [ 0 days ]",
        b"ClientId\tClientAddr\tVersion\n10.0.0.1@1\t10.0.0.1:5\tV4",
        b"[2026-11-21T20:00:01.000+0800][1.2s] GC(1) Pause\n[2026-11-21T20:00:02.000+0800][2.2s] GC(2) Pause",
        # records of the same length are no sign of a wrapping terminal
        b"\n".join((OTHER, b"\tcom.acme.A.b(A.java:1)", OTHER, b"\tcom.acme.A.b(A.java:1)")),
        RECORD + b" " + b"x" * 300 + b"\nlast line of a message",
        b"",
        b"\n\n",
    ],
)
def test_what_is_whole_stays(text: bytes) -> None:
    assert tidied(text) is text


def test_a_log_file_is_given_as_it_is() -> None:
    """The blanks before its lines are its own; only of an excerpt they are what a page put there."""
    data = (b"  " + OTHER + b"\n") * (MAX_BYTES // len(OTHER))
    chunks = [data[at : at + (1 << 16)] for at in range(0, len(data), 1 << 16)]
    assert b"".join(blocks("x.log", iter(chunks))) == data


def test_an_excerpt_in_many_chunks_is_tidied() -> None:
    data = b"\n".join(b"> " + line for line in (RECORD, OTHER))
    assert b"".join(blocks("x.log", iter([data[:50], data[50:]]))) == RECORD + b"\n" + OTHER + b"\n"


def test_a_block_of_a_long_log_ends_before_a_record() -> None:
    """What a stack says belongs to the line that it was logged under."""
    record = (
        b"2026-11-21 12:46:35.228 ERROR [main] com.acme.Orders - not sent\n"
        b"org.apache.rocketmq.client.exception.MQClientException: Send [3] times, still failed\n"
        b"\tat a.B.c(B.java:1)\n"
        b"Caused by: org.apache.rocketmq.remoting.exception.RemotingConnectException: connect to 10.0.0.7:9876 failed\n"
        b"\t... 9 more\n"
    )
    data = record * (MAX_BYTES // len(record) + 20)
    begin = (MAX_BYTES // len(record) + 5) * len(record)
    for cut in range(begin, begin + len(record), 7):
        got = list(blocks("x.log", iter([data[:cut], data[cut:]])))
        assert b"".join(got) == data
        assert all(block.startswith(b"2026-11-21") for block in got)


def test_text_without_records_is_cut_at_line_ends() -> None:
    data = b"a line of prose\n" * (MAX_BYTES // 8)
    first, _ = blocks("x.log", iter([data[: MAX_BYTES + 5], data[MAX_BYTES + 5 :]]))
    assert first.endswith(b"\n")


def test_lines_of_redis_that_are_equally_wide_continue_no_other_one() -> None:
    data = b"".join(
        b"15093:M 28 Nov 2026 09:16:%02d.193 # Slow script detected: still in execution after 5000 milliseconds.\n"
        % second
        for second in range(9)
    )
    for form in (data, data.replace(b"15093:M ", b"[15093] ").replace(b" 2026", b"")):
        assert b"".join(blocks("redis.log", iter([form]))) == form


def test_a_cause_begins_a_line_where_a_terminal_lost_the_end_of_the_one_above() -> None:
    text = b"begin\n\tat a.b.Main.main(Main.java:58) [acme.jar:1]Caused by: java.net.UnknownHostException: node-7\n"
    assert tidied(text) == text.replace(b"]C", b"]\nC")
    told = b"a reader prints (Caused by: java.net.ConnectException) in brackets\n"
    assert tidied(told) is told
