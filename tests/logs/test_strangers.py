"""Connections of other protocols, by the bytes that netty took for a length."""

from __future__ import annotations

import pytest

from tests.logs.given import facts, line, only_event

FRAME = "io.netty.handler.codec.TooLongFrameException: Adjusted frame length exceeds 16777216: {length} - discarded\n"
FIELD_BYTES = 4


def _log(first: bytes) -> str:
    length = int.from_bytes(first, "big") + FIELD_BYTES
    return line("decode exception, 10.1.2.3:40318") + FRAME.format(length=length)


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (b"PRI ", "foreign-grpc"),
        (b"GET ", "foreign-http"),
        (b"\x16\x03\x01\x02", "foreign-tls"),
        (b"\x03\x00\x00\x2f", "foreign-remote-desktop"),
    ],
)
def test_the_length_tells_the_protocol(first: bytes, kind: str) -> None:
    assert only_event(facts(_log(first))).kind == kind


@pytest.mark.parametrize("first", [b"\x01\x40\x00\x00", b"\x00\xff\xff\xff", b"\xe7\xa6\x5b\xe5"])
def test_other_lengths_may_be_those_of_messages(first: bytes) -> None:
    assert facts(_log(first)).events == ()


def test_a_length_that_is_no_length_is_left_alone() -> None:
    assert facts(line("decode exception, a") + FRAME.format(length=10**12 - 1)).events == ()
