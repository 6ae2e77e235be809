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


def test_cases_of_several_parameters_have_the_names_that_they_were_given() -> None:
    @folded("number, wanted", [(1, 1), pytest.param(2, 3, id="a wrong one"), (4, 5)])
    def equals(number: int, wanted: int) -> None:
        assert number == wanted

    with pytest.raises(AssertionError, match=r"^2 of 3 cases\na wrong one: .*\n(.*\n)*\(4, 5\): "):
        equals()


def test_an_error_that_does_not_come_is_a_failure_of_its_case() -> None:
    @folded("text", ["1", "x"])
    def is_refused(text: str) -> None:
        with pytest.raises(ValueError, match="invalid"):
            int(text)

    with pytest.raises(AssertionError, match=r"^1 of 2 cases\n1: DID NOT RAISE"):
        is_refused()
