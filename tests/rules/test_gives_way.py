"""A finding that gives way to others stands only without them."""

from __future__ import annotations

from msgspec.structs import replace

from mqdiag.acceptance import Acceptance
from mqdiag.causes.link import ANY_FAULT, ANY_RULE, SAME_THREADS, standing
from mqdiag.facts import AdminFacts, Facts
from mqdiag.findings import Finding, Severity
from mqdiag.rules.catalogue import rule_files
from mqdiag.rules.engine import run_rules
from tests.rules.made import made_rule


def finding(name: str, *gives_way_to: str) -> Finding:
    rule = made_rule(name, gives_way_to=gives_way_to)
    rule.sees("admin")(lambda facts, limits: iter([rule.case("one")]))
    (found,) = run_rules([rule], Facts(admin=AdminFacts())).findings
    return found


def test_it_stands_without_the_rules_that_it_names() -> None:
    fault, other = finding("fault"), finding("other")
    to_fault, to_any = finding("to-fault", "fault"), finding("to-any", "*")
    for given, left in (
        ([to_fault, to_any], [to_fault, to_any]),  # what gives way takes nobody's place
        ([to_fault, to_any, other], [to_fault, other]),
        ([to_fault, fault, to_any], [fault]),
    ):
        assert standing(given) == left
    assert standing([to_any], [fault]) == []


def test_a_mark_names_findings_by_what_they_are() -> None:
    to_fault = replace(finding("to-fault", "any fault"), seen_in=("heap",))
    fault = replace(finding("fault"), seen_in=("heap", "logs"))
    for beside, stands in (
        (fault, False),
        (replace(fault, accepted=Acceptance(reason="known", source="baseline")), False),
        (replace(fault, seen_in=("logs",)), True),
        (replace(fault, severity=Severity.INFO), True),
        (replace(fault, undecides=True), True),
    ):
        assert bool(standing([to_fault], [beside])) is stands

    pool = replace(finding("pool", "same threads"), evidence={"threads": ("a", "b", "c", "d")})
    for names, stands in ((("a", "b", "c"), False), (("a", "b"), True), (("e", "f", "g"), True), ((), True)):
        told = [replace(finding("told"), evidence={"thread": name}) for name in names]
        assert bool(standing([pool], told)) is stands


def test_the_rules_that_cases_name_exist() -> None:
    names = {rule.name for rule in rule_files()} | {ANY_RULE, ANY_FAULT, SAME_THREADS}
    for rule in rule_files():
        for case in rule.texts.case.values():
            assert names.issuperset(case.gives_way_to), rule.name
