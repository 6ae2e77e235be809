"""Scenes of JVMs without RocketMQ: none is worse than undecided, and four in five are right."""

from __future__ import annotations

from collections import Counter

from tests.accuracy.any_jvm import first_outcomes, scenes
from tests.accuracy.public.outcome import outcome_of, verdict_of
from tests.layers import CHECK


def test_each_scene_was_run_when_it_was_met() -> None:
    assert {case.name for case in scenes()} == set(first_outcomes())


@CHECK
def test_no_scene_is_worse_than_undecided_and_four_in_five_are_right() -> None:
    decided = [case for case in scenes() if case.truth.decided]
    found = Counter(verdict_of(case.truth, outcome_of(case)) for case in scenes())
    assert found["wrong"] == found["false all-clear"] == 0
    right = sum(verdict_of(case.truth, outcome_of(case)) == "right" for case in decided)
    assert right >= 0.8 * len(decided)
