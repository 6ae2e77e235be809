"""Evidence from public threads: its form, how an outcome is judged, and what mqdiag says of each case."""

from __future__ import annotations

import pytest

from mqdiag.rules.catalogue import rule_files
from tests.accuracy.page import part_of
from tests.accuracy.public.outcome import Outcome, Said, first_outcome, verdict_of
from tests.accuracy.public.section import Result, parts, results
from tests.accuracy.public.truth import Case, Truth, cases, searches
from tests.folded import folded
from tests.layers import CHECK

CASES = cases()


def _truth(**keys: object) -> Truth:
    given: dict[str, object] = {
        "source": "example/example#1",
        "topic": "send-timeout",
        "command": ("logs", "a.log"),
        "why": "An example.",
        "decided": True,
        "causes": ("send-timeout/broker-unreachable",),
        "also": ("connection-churn",),
        "never": ("no-route",),
    }
    return Truth(**(given | keys))  # type: ignore[arg-type]


def _outcome(state: str, *findings: str) -> Outcome:
    """Findings as `rule/cause severity`."""
    parts = [(*name.split("/"), severity) for name, severity in (one.split() for one in findings)]
    return Outcome(
        state=state, findings=tuple(Said(rule=rule, cause=cause, severity=bad) for rule, cause, bad in parts)
    )


@folded(
    "outcome, verdict",
    [
        (_outcome("fault", "send-timeout/broker-unreachable error"), "right"),
        (_outcome("undecided", "send-timeout/broker-unreachable info"), "right"),
        (_outcome("fault", "connection-churn/closed warning"), "undecided"),
        (_outcome("undecided"), "undecided"),
        (_outcome("undecided", "input-incomplete/truncated error"), "undecided"),
        (_outcome("fault", "send-timeout/slow-broker error"), "wrong"),
        (
            _outcome("fault", "send-timeout/broker-unreachable error", "no-route/topic-not-created warning"),
            "wrong",
        ),
        (_outcome("fault", "send-timeout/broker-unreachable error", "disk-full/disk-full error"), "wrong"),
        (_outcome("healthy"), "false all-clear"),
    ],
)
def test_an_outcome_is_judged_by_the_truth(outcome: Outcome, verdict: str) -> None:
    assert verdict_of(_truth(), outcome) == verdict


def test_of_an_open_case_only_what_is_ruled_out_is_wrong() -> None:
    truth = _truth(decided=False, causes=())
    assert verdict_of(truth, _outcome("fault", "disk-full/disk-full error")) == "undecided"
    assert verdict_of(truth, _outcome("fault", "no-route/topic-not-created warning")) == "wrong"
    assert verdict_of(truth, _outcome("healthy")) == "false all-clear"


def test_a_healthy_case_wants_silence_and_the_all_clear() -> None:
    truth = _truth(healthy=True, causes=())
    assert verdict_of(truth, _outcome("healthy", "version-skew/versions info")) == "right"
    assert verdict_of(truth, _outcome("undecided")) == "undecided"
    assert verdict_of(truth, _outcome("fault", "flow-control/by-count warning")) == "wrong"


@folded("case", CASES, lambda case: case.name)
def test_a_case_names_files_that_are_there(case: Case) -> None:
    command, *files = case.truth.command
    assert command in ("logs", "stacks", "diagnose")
    assert all((case.folder / file).is_file() for file in files)
    assert case.truth.topic in {one.topic for one in searches()}


def test_every_decided_case_has_a_right_answer_that_a_rule_can_give() -> None:
    """A truth may name rules that nobody has written."""
    known = {f"{rule.card.name}/{cause}" for rule in rule_files() for cause in rule.card.causes}
    known |= {rule.card.name for rule in rule_files()}
    sick = [case for case in CASES if case.truth.decided and not case.truth.healthy]
    assert [case.name for case in sick if known.isdisjoint(case.truth.causes)] == []


def test_each_case_is_of_a_thread_of_its_own_and_was_run_when_it_was_met() -> None:
    sources = [case.truth.source for case in CASES]
    assert len(set(sources)) == len(sources)
    assert all(first_outcome(case) is not None for case in CASES)


@pytest.fixture(scope="module")
def found() -> list[Result]:
    return results()


@CHECK
@pytest.mark.parametrize("verdict", ["wrong", "false all-clear"])
def test_no_case_is_worse_than_undecided(verdict: str, found: list[Result]) -> None:
    assert [one.case.name for one in found if one.now == verdict] == []


@CHECK
def test_nine_in_ten_of_the_faults_that_an_expert_decides_are_right(found: list[Result]) -> None:
    """An idle dump is no all-clear: it does not show whether work should have come."""
    faults = [one for one in found if one.decided and not one.case.truth.healthy]
    right = [one for one in faults if one.now == "right"]
    assert len(faults) >= 200
    assert len(right) >= 0.9 * len(faults)


@CHECK
def test_the_pages_have_the_results_of_today(found: list[Result]) -> None:
    for name, body in parts(found).items():
        assert part_of(name)[1].strip() == body.strip(), "python -m tests.accuracy.public --pages"
