"""long-safepoints: a log of collections that has no lines on safepoints tells long pauses too."""

from __future__ import annotations

import pytest

from mqdiag.facts import Facts
from mqdiag.facts.collector_logs import GcFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.rules import long_safepoints
from tests.rules.checks import findings
from tests.rules.examples import example_of

SECONDS_27 = 27_000.0


def collections(longest_ms: float, path: str = "gc.log") -> GcFacts:
    return GcFacts(
        path=path, format="jdk8", collections=2, full=2, pause_ms=2 * longest_ms, longest_pause_ms=longest_ms
    )


def test_full_collections_of_half_a_minute_are_told_with_their_number() -> None:
    (one,) = findings(long_safepoints, Facts(logs=LogsFacts(gc=(collections(SECONDS_27),))))
    assert one.cause == "collection"
    assert one.evidence["longest_ms"] == SECONDS_27
    assert one.evidence["full_collections"] == 2


@pytest.mark.parametrize("longest_ms", [0.0, 500.0, 2999.0])
def test_short_ones_are_not(longest_ms: float) -> None:
    assert not findings(long_safepoints, Facts(logs=LogsFacts(gc=(collections(longest_ms),))))


def test_a_log_with_its_safepoints_is_told_once() -> None:
    known = example_of(long_safepoints).fires().logs
    assert known is not None
    (row,) = known.safepoints
    both = LogsFacts(safepoints=(row,), gc=(collections(SECONDS_27, row.path),))
    assert [one.cause for one in findings(long_safepoints, Facts(logs=both))] == ["time-to-safepoint"]
