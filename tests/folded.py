"""Floods of small cases as one test, whose failure names each case that failed and why."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tests.layers import CHECK

LONGEST_NAME = 120
"""characters of a case that a failure shows"""
Test = Callable[..., None]
_Case = tuple[str, tuple[Any, ...]]
_OF_PARAM = type(pytest.param())


def folded(
    parameters: str,
    cases: Iterable[Any],
    ids: Callable[[Any], str] | None = None,
    *,
    one_in: int = 1,
    rest: pytest.MarkDecorator = CHECK,
) -> Callable[[Test], Test]:
    """What `pytest.mark.parametrize` would make a test of each of these cases, as one test.

    Fixtures are made once, for all cases. One of so many cases is in each run, the others are of a later layer.

    Args:
        parameters: one name, or several with commas between them where each case is a tuple.
        cases: values, or what `pytest.param` makes of them.
        ids: what a failure calls a case; its own values where nothing is given.
        one_in: how many cases there are for each one of a run.
        rest: the layer of the others.
    """
    names = [name.strip() for name in parameters.split(",")]
    every = tuple(_named(case, len(names) > 1, ids) for case in cases)
    others = tuple(case for place, case in enumerate(every) if place % one_in)

    def of(test: Test) -> Test:
        @functools.wraps(test)
        def each(given: tuple[_Case, ...] = every, **fixtures: Any) -> None:
            failed = []
            for name, values in given:
                try:
                    test(**dict(zip(names, values, strict=True)), **fixtures)
                except (AssertionError, pytest.fail.Exception) as error:
                    failed.append(f"{name}: {error}")
                except Exception as error:
                    error.add_note(f"in case {name}")
                    raise
            assert given, "no case"
            assert not failed, "\n".join((f"{len(failed)} of {len(given)} cases", *failed))

        signature = inspect.signature(test)
        left = [one for name, one in signature.parameters.items() if name not in names]
        if one_in > 1:
            left.append(inspect.Parameter("given", inspect.Parameter.KEYWORD_ONLY))
            parts = [
                pytest.param(every[::one_in], id="some"),
                pytest.param(others, id="the others", marks=rest),
            ]
            each = pytest.mark.parametrize("given", parts)(each)
        each.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return each

    return of


def _named(case: Any, is_tuple: bool, ids: Callable[[Any], str] | None) -> _Case:
    """A case with its name, and its values for the parameters."""
    values = tuple(case.values) if isinstance(case, _OF_PARAM) else (tuple(case) if is_tuple else (case,))
    given = values if is_tuple else values[0]
    own = getattr(case, "id", None) if isinstance(case, _OF_PARAM) else None
    return own or (str if ids is None else ids)(given)[:LONGEST_NAME], values
