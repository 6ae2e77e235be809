"""Which run a test belongs to: `make test` by default, `make check` before a change is taken, `make nightly`.

`make test` has each rule, reader, format and attack once, in one process. What starts processes, JVMs, browsers or
Spark is a check; what repeats a test over more cases is for the night, and no check.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any, TypeVar

import pytest
from hypothesis import settings

CHECK = pytest.mark.check
NIGHTLY = pytest.mark.nightly

Case = TypeVar("Case")


def some_later(
    cases: Iterable[Case],
    later: Callable[[Case], bool],
    *,
    name: Callable[[Case], str] | None = None,
    layer: pytest.MarkDecorator = NIGHTLY,
) -> list[Any]:
    """The cases of a test, with those marked that only a later layer runs.

    Args:
        cases: values of one parameter, or tuples of several.
        later: whether a case is left to the later layer.
        name: what pytest calls a case, where its own name says nothing.
        layer: `CHECK` or `NIGHTLY`.
    """
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            id=None if name is None else name(case),
            marks=layer if later(case) else (),
        )
        for case in cases
    ]


def one_in(every: int, cases: Iterable[Case], *, name: Callable[[Case], str] | None = None) -> list[Any]:
    """One of so many cases for each run of the tests, the rest for the night."""
    place = count()
    return some_later(cases, lambda _: bool(next(place) % every), name=name)


def one_in_each_run(every: int) -> pytest.MarkDecorator:
    """One of so many cases of a test for each run of the tests, the rest as a check.

    A case that is for a later layer already is not counted.
    """
    return pytest.mark.one_in_each_run(every)


def leave_to_the_check(items: Iterable[pytest.Item]) -> None:
    """Mark what `one_in_each_run` leaves, of all tests that were collected."""
    places: Counter[str] = Counter()
    for item in items:
        mark = item.get_closest_marker("one_in_each_run")
        if mark is None or any(item.get_closest_marker(layer.name) for layer in (CHECK, NIGHTLY)):
            continue
        test = item.nodeid.partition("[")[0]
        if places[test] % mark.args[0]:
            item.add_marker(CHECK)
        places[test] += 1


def examples(night: int) -> Callable[[Any], Any]:
    """A quarter of so many random examples for each run of the tests, and all of them for the night."""
    if not at_night():
        return settings(max_examples=night // 4)
    return lambda test: NIGHTLY(settings(max_examples=night)(test))


def at_night() -> bool:
    """Whether tests of the night are asked for."""
    return os.environ.get(_NIGHT) == "1"


def note_what_is_asked_for(marks: str) -> None:
    """Keep for `at_night` whether tests of the night are asked for.

    Args:
        marks: the expression that chooses tests, as `-m` has it.
    """
    os.environ[_NIGHT] = str(int("nightly" in marks.replace("not nightly", "")))


_NIGHT = "MQDIAG_TESTS_OF_THE_NIGHT"
