"""The encoding of a text by its first bytes."""

from __future__ import annotations

import pytest

from mqdiag.read.encoding import PROBE, encoding_of, is_chinese
from mqdiag.read.logs.blocks import blocks
from mqdiag.read.sniff import Content, content_of
from mqdiag.read.stacks.decode import TextPieces
from tests.folded import folded

TEXT = "2026-11-21 20:00:01 WARN main - 磁盘 x\n" * 20


@folded(
    "encoding, told",
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
    assert b"".join(blocks("x", iter([data]))).decode() == TEXT


@pytest.mark.parametrize("size", [97, 1 << 20])
def test_chinese_that_comes_late_is_read_as_such(size: int) -> None:
    """The first bytes of a log are mostly ASCII; what is no character goes alone, and no line end goes with it."""
    text = "2026-11-21 20:00:01 WARN main - x\n" * 3000 + TEXT
    stamp = "2026-11-21 20:00:02 WARN main - "
    data = text.encode("gb18030") + stamp.encode() + b"\xd6\n" + stamp.encode() + b"plain\n"
    chunks = (data[at : at + size] for at in range(0, len(data), size))
    assert b"".join(blocks("x", chunks)).decode() == f"{text}{stamp}\ufffd\n{stamp}plain\n"


@folded(
    "data, chinese",
    [
        (b"plain", None),
        ("找不到或无法加载主类".encode("gb18030"), True),
        ("系统找不到指定的路径。：（".encode("gb18030") + b"\xff", True),
        ("系统找不到指定的路径。".encode()[1:], False),
        ("系统找不到指定的路径。".encode(), False),
        ("Échec du démarrage, référence inchangée".encode("latin-1"), False),
        ("Не удается найти указанный файл".encode("cp1251"), False),
        ("系統找不到指定的路徑。".encode("big5"), False),
        ("指定されたパスが見つかりません。".encode("cp932"), False),
    ],
)
def test_only_common_chinese_is_taken_for_it(data: bytes, chinese: bool | None) -> None:
    assert is_chinese(data) is chinese


def test_a_character_that_the_probe_cuts_is_no_reason_to_doubt() -> None:
    data = b"x" * (PROBE - 1) + "磁".encode()
    assert encoding_of(data[:PROBE]) == "utf-8"


@pytest.mark.parametrize("data", [b"", b"caf\xe9 \xff\xff\n", b"plain\n"])
def test_what_is_of_no_other_encoding_is_utf_8(data: bytes) -> None:
    assert encoding_of(data) == "utf-8"
