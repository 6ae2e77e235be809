"""Texts as lines of a terminal."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from mqdiag.render.text import lines as text_lines
from mqdiag.render.text.lines import fitted, flowing, longest_word, wrapped
from tests.folded import folded


@folded(
    "text, width, lines",
    [
        ("", 10, [""]),
        ("one two", 10, ["one two"]),
        ("one two three", 10, ["one two", "three"]),
        ("exactly ten", 7, ["exactly", "ten"]),
        ("a abcdefghijklmnop b", 8, ["a", "abcdefgh", "ijklmnop", "b"]),
        ("abcdefghij b", 8, ["abcdefgh", "ij b"]),
        ("    -> far", 20, ["    -> far"]),
        ("too narrow", 0, ["too", "narrow"]),
    ],
)
def test_lines_break_at_spaces_and_cut_long_words_only(text: str, width: int, lines: list[str]) -> None:
    assert wrapped(text, width) == lines


def test_a_number_and_its_unit_stay_on_one_line() -> None:
    assert wrapped("heap of 40 MiB", 12) == ["heap of 40", "MiB"]
    assert wrapped("heap of 40 MiB", 12, keep_units=True) == ["heap of", "40 MiB"]
    assert wrapped("heap of 40 Mice", 12, keep_units=True) == ["heap of 40", "Mice"]


def test_chinese_breaks_between_characters_but_not_before_a_closing_mark() -> None:
    assert wrapped("线程停住了，原因不明。", 10) == ["线程停住", "了，原因不", "明。"]


def test_no_line_is_wider_than_its_width() -> None:
    text = "线程 ConsumeMessageThread_1 已停住 42 s，堆为 2 GiB（上限），" * 5
    for width in range(7, 60):
        lines = wrapped(text, width, keep_units=True)
        assert max(map(cell_len, lines)) <= width
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_the_widest_columns_are_narrowed_until_all_fit() -> None:
    assert fitted([10, 40, 30], [0, 0, 0], 90) == [10, 40, 30]
    assert fitted([10, 40, 30], [0, 0, 0], 70) == [10, 30, 30]
    assert sorted(fitted([10, 40, 30], [0, 0, 0], 51)) == [10, 20, 21]


def test_a_column_keeps_what_it_needs() -> None:
    assert fitted([10, 40, 30], [0, 40, 0], 60) == [10, 40, 10]
    assert fitted([10, 40, 30], [0, 25, 28], 60) == [7, 25, 28]
    assert fitted([10, 40], [10, 40], 20) == [10, 40]


def test_the_longest_word_is_what_no_line_break_divides() -> None:
    assert longest_word("a frame at com.acme.Shop.pay(Shop.java:7)") == len("com.acme.Shop.pay(Shop.java:7)")
    assert longest_word("线程停住了") == 2
    assert longest_word("") == 0


def test_a_word_that_people_copy_is_whole_where_it_must_not_be_cut() -> None:
    assert wrapped("a abcdefghijklmnop b", 8, cut=False) == ["a", "abcdefghijklmnop", "b"]


def test_only_lines_of_chinese_are_searched_for_its_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pattern takes milliseconds to compile, and reports in other languages have an ellipsis or a dash too."""
    monkeypatch.setattr(text_lines, "_CHINESE_BREAK", None)
    assert wrapped("10 × a… – café", 20) == ["10 × a… – café"]
    with pytest.raises(AttributeError):
        wrapped("消费线程", 20)


def test_short_texts_flow_and_no_line_is_longer_than_the_page() -> None:
    assert flowing(["state stuck", "sure high", "role worker"], 26) == [
        "state stuck · sure high ·",
        "role worker",
    ]
    assert flowing(["why it is the same work"], 14) == ["why it is", "the same", "work"]
    assert flowing([], 14) == []
