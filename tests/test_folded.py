"""A flood that is one test fails with the name of each case that failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.folded import folded


def test_a_failure_names_every_case_that_failed(tmp_path: Path) -> None:
    @folded("number", range(5), lambda number: f"case {number}")
    def each_is_even(number: int, tmp_path: Path) -> None:
        assert tmp_path.is_dir()
        assert number % 2 == 0, "odd"

    with pytest.raises(AssertionError, match=r"^2 of 5 cases\ncase 1: odd.*\n(.*\n)*case 3: odd"):
        each_is_even(tmp_path=tmp_path)


def test_an_error_of_a_case_ends_the_test() -> None:
    @folded("number", [0])
    def divides(number: int) -> None:
        assert 1 / number

    with pytest.raises(ZeroDivisionError):
        divides()


def test_no_case_is_a_failure() -> None:
    @folded("number", [])
    def nothing(number: int) -> None:
        raise NotImplementedError

    with pytest.raises(AssertionError, match="no case"):
        nothing()
