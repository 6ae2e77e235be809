"""Floods of small cases as one test, whose failure names each case that failed and why."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tests.layers import CHECK

Test = Callable[..., None]


def folded(
    parameter: str, cases: Iterable[Any], ids: Callable[[Any], str] = str, *, one_in: int = 1
) -> Callable[[Test], Test]:
    """What `pytest.mark.parametrize` would make a test of each of these cases, as one test.

    Fixtures are made once, for all cases. One of so many cases is in each run, the others are a check.
    """
    every = tuple(cases)
    others = tuple(case for place, case in enumerate(every) if place % one_in)

    def of(test: Test) -> Test:
        @functools.wraps(test)
        def each(given: tuple[Any, ...] = every, **fixtures: Any) -> None:
            failed = []
            for case in given:
                try:
                    test(**{parameter: case}, **fixtures)
                except AssertionError as error:
                    failed.append(f"{ids(case)}: {error}")
                except Exception as error:
                    error.add_note(f"in case {ids(case)}")
                    raise
            assert given, "no case"
            assert not failed, "\n".join((f"{len(failed)} of {len(given)} cases", *failed))

        signature = inspect.signature(test)
        left = [one for name, one in signature.parameters.items() if name != parameter]
        if one_in > 1:
            left.append(inspect.Parameter("given", inspect.Parameter.KEYWORD_ONLY))
            parts = [
                pytest.param(every[::one_in], id="some"),
                pytest.param(others, id="the others", marks=CHECK),
            ]
            each = pytest.mark.parametrize("given", parts)(each)
        each.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return each

    return of
