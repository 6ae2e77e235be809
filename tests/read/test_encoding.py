"""The encoding of a text by its first bytes."""

from __future__ import annotations

import pytest

from mqdiag.read.encoding import PROBE, encoding_of
from mqdiag.read.logs.blocks import blocks
from mqdiag.read.sniff import Content, content_of
from mqdiag.read.stacks.decode import TextPieces

TEXT = "2026-11-21 20:00:01 WARN main - 磁盘 x\n" * 20


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("gb18030", "gb18030"),
        ("gbk", "gb18030"),
    ],
)
def test_every_reader_tells_the_same_encoding(encoding: str, told: str) -> None:
    data = TEXT.encode(encoding)
    assert encoding_of(data) == told
    assert content_of(data) is Content.TEXT
    assert "".join(TextPieces("x", iter([data]))).lstrip("\ufeff") == TEXT
    if told != "gb18030":
        assert b"".join(blocks("x", iter([data]))).decode() == TEXT


def test_a_character_that_the_probe_cuts_is_no_reason_to_doubt() -> None:
    data = b"x" * (PROBE - 1) + "磁".encode()
    assert encoding_of(data[:PROBE]) == "utf-8"


@pytest.mark.parametrize("data", [b"", b"caf\xe9 \xff\xff\n", b"plain\n"])
def test_what_is_of_no_other_encoding_is_utf_8(data: bytes) -> None:
    assert encoding_of(data) == "utf-8"
