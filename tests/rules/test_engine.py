"""What the engine makes of a rule that finds very much."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import AdminFacts, Facts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.language import english
from mqdiag.rules.draft import Draft, Limits, Result
from mqdiag.rules.engine import MOST_FINDINGS, run_rules
from mqdiag.text import say
from tests.rules.made import made_rule

CASES = MOST_FINDINGS + 50


def test_of_many_findings_the_gravest_are_kept_in_the_rules_order_and_the_others_counted() -> None:
    rule = made_rule("many-cases")

    @rule.sees("admin")
    def in_admin(facts: Facts, limits: Limits) -> Iterator[Result]:
        for number in range(CASES):
            yield Draft(
                severity=Severity.ERROR if number == CASES - 1 else Severity.WARNING,
                cause="many",
                confidence=Confidence.HIGH,
                title=say("one"),
                subject=Subject(topic=f"t{number:04}"),
                weight=0.0 if number < 50 else 1.0,
            )

    outcome = run_rules([rule], Facts(admin=AdminFacts()))
    assert not outcome.failed
    topics = [found.subject.topic for found in outcome.findings]
    assert topics == [f"t{number:04}" for number in range(50, CASES)]
    assert english()(outcome.findings[0].explanation[-1]) == (
        f"The rule found {CASES} cases; the gravest {MOST_FINDINGS} are in the report."
    )
    assert not outcome.skipped
