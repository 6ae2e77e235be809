"""Floods of small cases as one test, whose failure names each case that failed and why."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

Test = Callable[..., None]


def folded(parameter: str, cases: Iterable[Any], ids: Callable[[Any], str] = str) -> Callable[[Test], Test]:
    """What `pytest.mark.parametrize` would make a test of each of these cases, as one test.

    Fixtures are made once, for all cases.
    """
    given = tuple(cases)

    def of(test: Test) -> Test:
        @functools.wraps(test)
        def each(**fixtures: Any) -> None:
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
        each.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return each

    return of
