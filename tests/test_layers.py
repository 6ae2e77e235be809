"""A test of many cases has some of them in each run, and all in the runs together."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.layers import CHECK, NIGHTLY, leave_to_the_check, one_in_each_run


@pytest.fixture
def collected(request: pytest.FixtureRequest) -> list[pytest.Item]:
    """Seven cases of a test of which one in three is in each run; the second is for the night."""
    module = pytest.Module.from_parent(request.session, path=Path(__file__))
    cases = [
        pytest.Function.from_parent(module, name=f"test_of[{number}]", callobj=lambda: None)
        for number in range(7)
    ]
    for place, case in enumerate(cases):
        case.add_marker(one_in_each_run(3))
        if place == 1:
            case.add_marker(NIGHTLY)
    return list(cases)


def test_one_in_so_many_cases_is_in_each_run(collected: list[pytest.Item]) -> None:
    leave_to_the_check(collected)
    checks = [item.name for item in collected if item.get_closest_marker(CHECK.name)]
    assert checks == [f"test_of[{number}]" for number in (2, 3, 5, 6)]
