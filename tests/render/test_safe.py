"""Strings from evidence never act on the terminal."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from mqdiag.render.wording.safe import ELLIPSIS, safe
from tests.folded import folded


@folded(
    "raw, shown",
    [
        ("ConsumeMessageThread_1", "ConsumeMessageThread_1"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("half \ud800", "half \\ud800"),
        ("\x9b31m", "\\x9b31m"),
        ("line\u2028sep", "line\\u2028sep"),
        ("消费者组 ünïcode", "消费者组 ünïcode"),
        ("[bold red]", "[bold red]"),
    ],
)
def test_what_is_shown(raw: str, shown: str) -> None:
    assert safe(raw) == shown


def test_an_overlong_string_is_cut_with_an_ellipsis() -> None:
    assert safe("y" * 300) == "y" * 199 + ELLIPSIS
    assert safe("y" * 200) == "y" * 200
    assert safe("\x00" * 300, limit=10) == "\\x00\\x00\\" + ELLIPSIS


@given(st.text(st.characters(exclude_categories=())))
def test_nothing_invisible_survives(raw: str) -> None:
    shown = safe(raw, limit=None)
    hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert not [char for char in shown if unicodedata.category(char) in hidden]
    shown.encode()
