"""Small Java programs: how an outcome is judged, and that mqdiag names who holds the memory."""

from __future__ import annotations

import pytest

from tests.accuracy.holders.outcome import Outcome, Said, first_outcomes, outcome_of, verdict_of
from tests.accuracy.holders.truth import RIG, Case, cases, make_missing
from tests.folded import folded
from tests.layers import NIGHTLY, one_in_each_run
from tests.programs import need

CASES = cases()
KEPT = [case for case in CASES if case.dump is not None and case.dump.suffix == ".gz"]
PLAIN = Case(name="plain", program="Plain", leaks=("Cache.ENTRIES",))


def _outcome(*findings: str, code: int = 0) -> Outcome:
    """Findings as "severity title"."""
    return Outcome(
        exit=code,
        findings=tuple(
            Said(rule="heap-held-by-application", severity=severity, title=title)  # type: ignore[arg-type]
            for severity, _, title in (one.partition(" ") for one in findings)
        ),
    )


@folded(
    "outcome, verdict",
    [
        (_outcome("error a.Cache.ENTRIES retains 9"), "right"),
        (_outcome("warning a.Cache.ENTRIES retains 9"), "missed"),
        (_outcome(), "missed"),
        (_outcome("error a.Other.MAP retains 9"), "wrong"),
        (_outcome("error a.Cache.ENTRIES retains 9", "error a.Other.MAP retains 9"), "wrong"),
        (
            _outcome("error a.Cache.ENTRIES retains 9", "warning java.util.ArrayList.elementData retains 3"),
            "wrong",
        ),
    ],
)
def test_an_outcome_is_judged_by_the_truth(outcome: Outcome, verdict: str) -> None:
    assert verdict_of(PLAIN, outcome) == verdict


def test_a_program_without_a_leak_wants_no_error() -> None:
    even = Case(name="even", program="Even", leaks=(), most="warning", exit=0)
    assert verdict_of(even, _outcome("error a.Cache.ENTRIES retains 9", code=1)) == "wrong"
    assert verdict_of(even, _outcome("warning a.Cache.ENTRIES retains 9")) == "right"
    assert verdict_of(even, _outcome(code=1)) == "missed"


def test_all_programs_are_there_and_were_run_before_the_rules_were_changed() -> None:
    assert len(CASES) >= 40
    assert all((RIG / "holders" / "programs" / f"{case.program}.java").is_file() for case in CASES)
    assert {case.name for case in CASES} == set(first_outcomes())


@one_in_each_run(4)
@pytest.mark.parametrize("case", KEPT, ids=lambda case: case.name)
def test_the_holder_of_a_kept_dump_is_named(case: Case) -> None:
    outcome = outcome_of(case)
    assert verdict_of(case, outcome) == "right", outcome


@NIGHTLY
def test_nineteen_of_twenty_programs_are_right_and_none_is_wrong() -> None:
    need("javac")
    make_missing(CASES)
    there = [case for case in CASES if case.dump is not None]
    verdicts = {case.name: verdict_of(case, outcome_of(case)) for case in there}
    assert len(there) >= 40
    assert [name for name, verdict in verdicts.items() if verdict == "wrong"] == []
    assert sum(verdict == "right" for verdict in verdicts.values()) >= 0.95 * len(there)
