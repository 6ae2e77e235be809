"""A clock that was put, and times that were written in two zones."""

from __future__ import annotations

import pytest

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import SampleFacts
from mqdiag.rules import clock_jumped
from tests.rules.checks import findings


@pytest.mark.parametrize(
    ("jumps_s", "told_ms"),
    [
        ([28_800.4], []),
        ([-19_800.2], []),
        ([20_700.0], []),
        ([1200.3], [1_200_300]),
        ([28_800.4, 1200.3], [1_200_300]),
        ([30_000.0], [30_000_000]),
        ([30 * 86_400.0], [2_592_000_000]),
    ],
    ids=["UTC+8", "India", "Nepal", "put", "both", "no zone", "a month"],
)
def test_another_zone_is_no_jump(jumps_s: list[float], told_ms: list[int]) -> None:
    series = tuple(
        SampleFacts(path=f"{at}.txt", format="jstack", captured_local="2026-11-28 20:44:40", jumped_s=one)
        for at, one in enumerate((None, *jumps_s))
    )
    found = findings(clock_jumped, Facts(stacks=StacksFacts(samples=len(series), series=series)))
    assert [one.evidence["jump_ms"] for one in found] == told_ms
